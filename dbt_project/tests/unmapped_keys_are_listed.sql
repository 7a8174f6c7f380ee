{{ config(severity = 'error', meta = {'dagster': {'ref': {'name': 'ops_unmapped'}}}) }}
with

facts as (
    select 'accelerator' as kind, count(*) as n_rows
    from (
        select accelerator_id from {{ ref('fct_inference_result') }}
        union all
        select accelerator_id from {{ ref('fct_training_result') }}
        union all
        select accelerator_id from {{ ref('fct_serving_point') }}
    )
    where starts_with(accelerator_id, 'unmapped:')
    union all
    select 'serving_model', count(*) from {{ ref('fct_serving_point') }} where starts_with(model_id, 'unmapped:')
    union all
    select 'benchmark', count(*)
    from (
        select benchmark_id from {{ ref('fct_inference_result') }}
        union all
        select benchmark_id from {{ ref('fct_training_result') }}
    )
    where starts_with(benchmark_id, 'unmapped:')
    union all
    select 'scenario', count(*) from {{ ref('fct_inference_result') }} where starts_with(scenario, 'unmapped:')
    union all
    select 'unit', count(*) from {{ ref('fct_inference_result') }} where starts_with(result_unit, 'unmapped:')
    union all
    select 'submitter', count(*)
    from (
        select submitter_id from {{ ref('fct_inference_result') }}
        union all
        select submitter_id from {{ ref('fct_training_result') }}
    )
    where starts_with(submitter_id, 'unmapped:')
    union all
    select 'provider', count(*) from {{ ref('fct_price_interval') }} where starts_with(provider, 'unmapped:')
    union all
    select 'instance_type', count(*)
    from {{ ref('fct_price_interval') }}
    where mapping_rule = 'unmapped' and not starts_with(provider, 'unmapped:')
    union all
    select 'region', count(*)
    from {{ ref('fct_price_interval') }}
    where country_reason = 'region is not mapped' and not starts_with(provider, 'unmapped:')
),

listed as (select kind, sum(n_rows) as n_rows from {{ ref('ops_unmapped') }} group by kind)

select kind, facts.n_rows as rows_in_facts, coalesce(listed.n_rows, 0) as rows_listed
from facts
left join listed using (kind)
where facts.n_rows <> coalesce(listed.n_rows, 0)
