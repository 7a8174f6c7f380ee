{{ config(severity = 'warn') }}
-- Results without a unit, and those whose published unit is not that of the benchmark (seed mlperf_inference_metrics) in a round
-- for which no correction is known: unit_basis says how it was decided.
select release, benchmark_id, scenario, result_unit_published, unit_basis, count(*) as n_results
from {{ ref('fct_inference_result') }}
where result_unit is null or unit_basis in ('corrected_by_size', 'contradictory')
group by all
