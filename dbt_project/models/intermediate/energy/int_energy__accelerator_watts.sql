{{ config(materialized = 'ephemeral') }}
-- What one accelerator with its share of host and network draws by a model, before PUE. The published figure is
-- preferred to TDP × factor; both are kept for the check against measurements. The factor is the median of published all-in
-- watts ÷ TDP. It derives from ratings only, never from measurements: the check against them stays a check.
with

specs as (select accelerator_id, tdp_w from {{ ref('stg_reference__accelerator_specs') }}),

published as (
    select
        accelerator_id,
        'published_all_in' as power_model,
        watts_per_accelerator,
        source_url as power_source_url
    from {{ ref('accelerator_power') }}
    where power_scope = 'critical_it'
    qualify row_number() over (partition by accelerator_id order by as_of desc) = 1
),

factor as (
    select median(published.watts_per_accelerator / specs.tdp_w) as all_in_factor
    from published
    inner join specs using (accelerator_id)
    where specs.tdp_w > 0
),

from_tdp as (
    select
        specs.accelerator_id,
        'tdp_x_all_in_factor' as power_model,
        specs.tdp_w * factor.all_in_factor as watts_per_accelerator
    from specs
    cross join factor
    where specs.tdp_w > 0
),

modelled as (
    select published.* from published inner join specs using (accelerator_id)
    union all by name
    select * from from_tdp
)

select
    *,
    row_number() over (partition by accelerator_id order by power_model) = 1 as is_preferred
from modelled
