{{ config(materialized = 'ephemeral') }}
-- Measured configurations with the keys of their model and accelerator: models by seed serving_models, accelerators by the aliases
-- that MLPerf names have. Words that no seed maps have the key `unmapped:<words>`.
with

points as (select * from {{ ref('stg_serving__points') }}),

models as (
    {{ with_overrides('serving_models') }}
),

accelerators as (
    {{ accelerators_of_systems(
        "(select accelerator_published as accelerator_name_published, source as platform, '' as system_name, [] as capacities_gb from points)",
        ref('stg_reference__accelerator_aliases'),
        ref('accelerator_name_words'),
        ref('stg_reference__accelerator_specs'),
    ) }}
)

select
    points.*,
    {{ key_or_unmapped('models.model_id', 'points.model_published') }} as model_id,
    models.benchmark_family,
    accelerators.candidates,
    {{ key_or_unmapped('accelerators.accelerator_id', 'points.accelerator_published') }} as accelerator_id
from points
left join models on lower(points.model_published) = lower(models.model_published)
left join accelerators
    on points.accelerator_published = accelerators.accelerator_name_published and points.source = accelerators.platform
