{{ config(materialized = 'ephemeral') }}

-- One row per parsed payload of MLPerf Training: its rows in raw and in staging.
select
    {{ account_step(
        2, "'raw → staging'", 'accounts.rows_out', 'coalesce(staged.n, 0)',
        source='accounts.source', release='accounts.release', dialect='accounts.dialect', payload_key='accounts.payload_key'
    ) }}
from {{ ref('ops_reconciliation') }} as accounts
left join {{ ref('int_accounts__training_rows') }} as staged
    on accounts.source = staged.source and accounts.release = staged.release
    and accounts.payload_sha256 = staged.payload_sha256
    -- a collection holds results, as the scored rounds do
    and replace(accounts.dialect, 'training_collection', 'training_results') = staged.dialect
where accounts.source like 'mlperf-training%'
