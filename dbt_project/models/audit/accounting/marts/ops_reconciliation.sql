-- One row per parsed payload: its records in, and what became of them.
with

accounts as (
    {{ rows_of_active_payloads('reconciliation') }}
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
    warnings,
    out_of_scope,
    records_in = rows_out + duplicates + merged + rejects + out_of_scope as is_balanced
from accounts
