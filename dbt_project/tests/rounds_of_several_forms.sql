{{ config(severity = 'warn', meta = {'dagster': {'ref': {'name': 'int_mlperf__forms'}}}) }}
select concat_ws(' ', suite_kind, release) as round, publication_basis, count(*) as n_results, min(result_id) as first_result_id
from {{ ref('int_mlperf__forms') }}
where exclusion_reason is null and contains(publication_basis, '_beside_')
group by all
