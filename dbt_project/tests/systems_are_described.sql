{{ config(severity = 'warn') }}
select release, submitter_published as submitter, platform, count(*) as n_results
from {{ ref('int_inference__active') }}
where not is_system_described
group by all
