with

source as (select * from {{ source('raw', 'mlperf_training_rejects') }})

select
    source,
    release,
    dialect,
    severity,
    payload as payload_member,
    record as payload_record,
    problem,
    remedy,
    payload_sha256,
    fetched_at
from source
