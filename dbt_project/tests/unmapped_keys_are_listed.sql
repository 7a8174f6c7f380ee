{{ config(severity = 'error', meta = {'dagster': {'ref': {'name': 'ops_unmapped'}}}) }}
with

keys as (
    select
        accelerator_id as accelerator, benchmark_id as benchmark, scenario, result_unit as unit, submitter_id as submitter
    from {{ ref('fct_inference_result') }}
    union all by name
    select accelerator_id as accelerator, benchmark_id as benchmark, submitter_id as submitter from {{ ref('fct_training_result') }}
    union all by name
    select accelerator_id as accelerator, model_id as serving_model from {{ ref('fct_serving_point') }}
    union all by name
    select
        provider,
        case when mapping_rule = 'unmapped' and {{ is_mapped('provider') }} then {{ unmapped('instance_type') }} end as instance_type,
        case when country_reason = 'region is not mapped' and {{ is_mapped('provider') }} then {{ unmapped('region') }} end as region
    from {{ ref('fct_price_interval') }}
),

facts as (
    select kind, count(*) as n_rows
    from keys unpivot (key for kind in (columns(*)))
    where starts_with(key, 'unmapped:')
    group by kind
),

listed as (select kind, sum(n_rows) as n_rows from {{ ref('ops_unmapped') }} group by kind)

select kind, facts.n_rows as rows_in_facts, listed.n_rows as rows_listed
from facts
full join listed using (kind)
where facts.n_rows is distinct from listed.n_rows
