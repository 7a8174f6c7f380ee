{{ config(severity = 'warn') }}
-- Results without a unit: the publication states none, and seed mlperf_inference_metrics has no rule for them.
select release, benchmark_id, scenario, count(*) as n_results
from {{ ref('fct_inference_result') }}
where result_unit is null
group by all
