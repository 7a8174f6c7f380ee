{{ config(severity = 'warn', meta = {'dagster': {'ref': {'name': 'int_inference__physical_limits'}}}) }}
select results.result_id, limits.limit_reason, limits.note
from {{ ref('int_inference__physical_limits') }} as limits
inner join {{ ref('int_inference__active') }} as results using (result_number)
where limits.limit_reason is not null or limits.note is not null
union all
select result_id, invalid_reason as limit_reason, run_problem as note
from {{ ref('fct_inference_result') }}
where run_problem is not null
union all
select result_id, limit_reason, null as note
from {{ ref('int_training__physical_limits') }}
where limit_reason is not null
