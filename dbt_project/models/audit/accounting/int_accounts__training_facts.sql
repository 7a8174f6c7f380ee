{{ config(materialized = 'ephemeral') }}

-- One row per payload of MLPerf Training and kind of its rows: its rows in staging and in the facts.
with

facts as (
    select release, payload_sha256, 'training_results' as dialect, count(*) as n
    from {{ ref('fct_training_result') }}
    group by all
    union all
    select release, payload_sha256, 'training_runs' as dialect, count(*) as n
    from {{ ref('fct_training_run') }}
    group by all
)

select
    {{ account_step(
        3, "'staging → fct_' || rtrim(staged.dialect, 's')", 'staged.n', 'coalesce(facts.n, 0)',
        source='staged.source', release='staged.release', dialect='staged.dialect'
    ) }}
from {{ ref('int_accounts__training_rows') }} as staged
left join facts using (release, dialect, payload_sha256)
-- configurations are evidence of a result's number format, not facts of their own
where staged.dialect <> 'training_formats'
