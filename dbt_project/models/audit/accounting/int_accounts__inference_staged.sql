{{ config(materialized = 'ephemeral') }}

-- One row per parsed payload of MLPerf Inference: its rows in raw and in staging.
with

staged as (
    select source, release, dialect, payload_key, payload_sha256, count(*) as n
    from {{ ref('stg_mlperf_inference__results') }}
    group by all
)

select
    {{ account_step(
        2, "'raw → staging'", 'reconciled.rows_out', 'coalesce(staged.n, 0)',
        source='reconciled.source', release='reconciled.release', dialect='reconciled.dialect', payload_key='reconciled.payload_key'
    ) }}
from {{ ref('ops_reconciliation') }} as reconciled
left join staged using (source, release, dialect, payload_key, payload_sha256)
where reconciled.source like 'mlperf-inference%'
