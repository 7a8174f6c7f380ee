with

rejects as (select * from {{ ref('stg_mlperf_inference__rejects') }})

select source, release, dialect, severity, payload_member, payload_record, problem, remedy, payload_sha256, fetched_at
from rejects
