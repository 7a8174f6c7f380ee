{{ config(severity = 'warn') }}
select release, benchmark_id, scenario, result_unit_published, unit_basis, count(*) as n_results
from {{ ref('fct_inference_result') }}
where result_unit is null or unit_basis in ('corrected_by_size', 'contradictory')
group by all
