{{ config(severity = 'warn', meta = {'dagster': {'ref': {'name': 'ops_reconciliation'}}}) }}
with

trees as (
    select release, sum(records_in) as log_records_in, sum(rows_out) as log_rows_out
    from {{ ref('ops_reconciliation') }}
    where dialect = 'raw_tree'
    group by release
),

published as (
    select release, count(*) as n_results, count(*) filter (harness is null) as n_results_without_log
    from {{ ref('fct_inference_result') }}
    where dialect <> 'raw_tree'
    group by release
)

select release, published.n_results, published.n_results_without_log, trees.log_records_in, trees.log_rows_out
from published
inner join trees using (release)
where published.n_results_without_log > 0
