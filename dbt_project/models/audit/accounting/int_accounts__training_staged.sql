{{ config(materialized = 'ephemeral') }}

-- One row per parsed payload of MLPerf Training: its rows in raw and in staging.
select
    {{ account_step(
        2, "'raw → staging'", 'reconciled.rows_out', 'coalesce(staged.n, 0)',
        source='reconciled.source', release='reconciled.release', dialect='reconciled.dialect', payload_key='reconciled.payload_key'
    ) }}
from {{ ref('ops_reconciliation') }} as reconciled
left join {{ ref('int_accounts__training_rows') }} as staged
    on reconciled.source = staged.source and reconciled.release = staged.release
    and reconciled.payload_sha256 = staged.payload_sha256
    -- a collection holds results, as the scored rounds do
    and replace(reconciled.dialect, 'training_collection', 'training_results') = staged.dialect
where reconciled.source like 'mlperf-training%'
