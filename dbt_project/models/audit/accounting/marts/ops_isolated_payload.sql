-- One row per landed payload that failed checks and is not used.
with

isolated as (select * from {{ source('raw', 'isolated_payloads') }})

select
    source,
    payload_key,
    nullif(release, '') as release,
    payload_sha256,
    fetched_at::timestamptz as fetched_at,
    problem,
    remedy
from isolated
