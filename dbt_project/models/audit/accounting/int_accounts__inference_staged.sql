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
        2, "'raw → staging'", 'accounts.rows_out', 'coalesce(staged.n, 0)',
        source='accounts.source', release='accounts.release', dialect='accounts.dialect', payload_key='accounts.payload_key'
    ) }}
from {{ ref('ops_reconciliation') }} as accounts
left join staged using (source, release, dialect, payload_key, payload_sha256)
where accounts.source like 'mlperf-inference%'
