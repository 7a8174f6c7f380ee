{{ config(materialized = 'ephemeral') }}
-- Which variant of an accelerator ran: virtualised, partitioned (a MIG slice), power capped.
with

results as (
    select result_number, accelerator_name_published, platform, system_name, notes
    from {{ ref('int_inference__active') }}
),

said as (
    unpivot results on accelerator_name_published, platform, system_name, notes
    into name field value words
),

-- each wording is tried once: there are a hundred times fewer of them than results
worded as (
    select distinct wordings.field, wordings.words, variants.variant
    from (select distinct field, words from said) as wordings
    inner join {{ ref('accelerator_variants') }} as variants
        on wordings.field = variants.field
        and regexp_matches(wordings.words, variants.pattern, 'i')
),

found as (
    select distinct said.result_number, worded.variant
    from said
    inner join worded using (field, words)
)

select
    result_number,
    string_agg(variant, '+' order by variant) as variant,
    bool_or(variant = 'virtualised') as is_virtualised,
    bool_or(variant = 'partitioned') as is_partitioned,
    bool_or(variant = 'power_capped') as is_power_capped
from found
group by result_number
