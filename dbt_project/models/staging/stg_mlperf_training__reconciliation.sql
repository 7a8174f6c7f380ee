with

source as (select * from {{ source('raw', 'mlperf_training_reconciliation') }})

select
    source,
    release,
    dialect,
    payload_key,
    payload_url,
    payload_sha256,
    payload_bytes,
    licence,
    parser_version,
    fetched_at,
    records_in,
    rows_out,
    duplicates,
    merged,
    rejects,
    remarks
from source
