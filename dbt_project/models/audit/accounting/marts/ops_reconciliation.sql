-- One row per parsed payload: its records in, and what became of them.
with

accounts as (
    select * from {{ ref('stg_mlperf_inference__reconciliation') }}
    union all by name
    select * from {{ ref('stg_mlperf_training__reconciliation') }}
    union all by name
    select * from {{ ref('stg_prices__reconciliation') }}
    union all by name
    select * from {{ ref('stg_specs__reconciliation') }}
    union all by name
    select * from {{ ref('stg_serving__reconciliation') }}
)

select
    source,
    payload_sha256,
    release,
    dialect,
    payload_key,
    payload_url,
    licence,
    parser_version,
    fetched_at,
    records_in,
    rows_out,
    duplicates,
    merged,
    rejects,
    remarks,
    left_out,
    records_in = rows_out + duplicates + merged + rejects + left_out as is_balanced
from accounts
