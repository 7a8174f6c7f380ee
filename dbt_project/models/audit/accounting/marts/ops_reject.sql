-- One row per record that is no row, and per defect that did not cost its row.
with

rejects as (
    select * from {{ ref('stg_mlperf_inference__rejects') }}
    union all by name
    select * from {{ ref('stg_mlperf_training__rejects') }}
    union all by name
    select * from {{ ref('stg_prices__rejects') }}
    union all by name
    select * from {{ ref('stg_specs__rejects') }}
    union all by name
    select * from {{ ref('stg_serving__rejects') }}
)

select source, release, dialect, payload_key, severity, payload_member, payload_record, problem, remedy, payload_sha256, fetched_at
from rejects
