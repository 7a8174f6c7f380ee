-- One row per landed payload that failed checks and is not used.
with

isolated as (select * from {{ ref('stg_accelmart__isolated_payloads') }})

select source, payload_key, release, payload_sha256, fetched_at, problem, remedy
from isolated
