{{ config(severity = 'warn', meta = {'dagster': {'ref': {'name': 'fct_inference_result'}}}) }}
-- A submitter or round that the seeds do not know yet: its results stand, its name wants a line.
select release, submitter, count(*) as n_results
from {{ ref('fct_inference_result') }}
where submitter_id is null
    or release not in (select release from {{ ref('dim_release') }} where suite_kind = 'inference')
group by all
