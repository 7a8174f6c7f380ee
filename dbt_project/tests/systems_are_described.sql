{{ config(severity = 'warn') }}
-- A result whose system file is missing or is none keeps its figure and has none per accelerator.
select release, submitter, platform, count(*) as n_results
from {{ ref('fct_inference_result') }}
where invalid_reason = 'no system description: accelerator and count are unknown'
group by all
