{{ config(materialized = 'ephemeral') }}

-- One row per source of specifications: its figures in staging, and those that stand for an accelerator. Of several figures of
-- one attribute of an accelerator, one is used.
with

mapped as (
    select figures.source, figures.attribute, products.accelerator_id
    from {{ ref('stg_specs__values') }} as figures
    left join {{ ref('int_specs__products') }} as products using (source, product_published)
),

published as (select source, count(*) as n from {{ ref('int_specs__published') }} group by source),

not_applicable as (
    select mapped.source, count(distinct mapped.accelerator_id) as n
    from mapped
    inner join {{ ref('spec_absences') }} as absences using (accelerator_id, attribute)
    where mapped.attribute = 'bf16_dense_tflops' and absences.kind = 'not applicable'
    group by mapped.source
),

counted as (
    select
        source,
        count(*) as n,
        count(*) filter (accelerator_id is null) as n_unmapped,
        count(accelerator_id) - count(distinct (accelerator_id, attribute)) filter (accelerator_id is not null) as n_not_used
    from mapped
    group by source
)

select
    {{ account_step(
        3, "'staging → figures of accelerators'", 'counted.n', 'coalesce(published.n, 0)',
        'counted.n_unmapped + counted.n_not_used + coalesce(not_applicable.n, 0)',
        "concat_ws(', ',
        counted.n_unmapped || ' of other products',
        counted.n_not_used || ' where another figure of the source is used',
        not_applicable.n || ' of a rate the part does not have'
    )", source='counted.source', dialect="'specs'"
    ) }}
from counted
left join published using (source)
left join not_applicable using (source)
