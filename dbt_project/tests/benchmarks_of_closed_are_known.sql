{{ config(severity = 'error') }}
-- A closed result is of a benchmark in seeds/mlperf_benchmarks.csv, with a rule for its unit.
select release, model_published, benchmark_id, scenario, result_unit, result_unit_published, count(*) as n_results
from {{ ref('fct_inference_result') }}
where division = 'closed' and (benchmark_id is null or result_unit is null)
group by all
