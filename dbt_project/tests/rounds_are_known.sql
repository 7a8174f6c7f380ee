{{ config(severity = 'warn', meta = {'dagster': {'ref': {'name': 'fct_inference_result'}}}) }}
with

rounds as (
    select 'inference' as suite_kind, release, count(*) as n_results from {{ ref('fct_inference_result') }} group by release
    union all
    select 'training' as suite_kind, release, count(*) as n_results from {{ ref('fct_training_result') }} group by release
)

select suite_kind, release, rounds.n_results
from rounds
anti join {{ ref('mlperf_releases') }} using (suite_kind, release)
