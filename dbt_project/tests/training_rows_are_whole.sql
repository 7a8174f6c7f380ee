{{ config(severity = 'error', meta = {'dagster': {'ref': {'name': 'fct_training_result'}}}) }}
select result_id, results.n_runs, count(runs.run_id) as found, count(*) filter (runs.is_counted and not runs.converged) as odd
from {{ ref('fct_training_result') }} as results
left join {{ ref('fct_training_run') }} as runs using (result_id)
group by result_id, results.n_runs
having count(*) filter (runs.is_counted and not runs.converged) > 0 or count(runs.run_id) > results.n_runs
