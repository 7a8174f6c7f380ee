-- One row per record that is no row, and per defect that did not cost its row.
with

rejects as (
    {{ rows_of_active_payloads('rejects') }}
)

select
    source, release, dialect, payload_key, severity, payload as payload_member, record as payload_record, problem, remedy,
    payload_sha256, fetched_at
from rejects
