-- Which variant of an accelerator ran: virtualised, partitioned (a MIG slice), power capped.
with

results as (
    select result_id, accelerator_name_published, platform, system_name, notes
    from {{ ref('int_inference__in_force') }}
),

said as (
    unpivot results on accelerator_name_published, platform, system_name, notes
    into name field value words
),

found as (
    select distinct said.result_id, variants.variant
    from said
    inner join {{ ref('accelerator_variants') }} as variants
        on said.field = variants.field
        and regexp_matches(said.words, variants.pattern, 'i')
)

select
    result_id,
    string_agg(variant, '+' order by variant) as variant,
    bool_or(variant = 'virtualised') as is_virtualised,
    bool_or(variant = 'partitioned') as is_partitioned,
    bool_or(variant = 'power_capped') as is_power_capped
from found
group by result_id
