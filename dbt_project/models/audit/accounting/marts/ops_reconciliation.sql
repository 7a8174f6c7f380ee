-- One row per parsed payload: its records in, and what became of them.
with

accounts as (
    select
        * exclude (left_out),
        -- payloads parsed before there was such a count have none
        coalesce(left_out, 0) as left_out
    from (
        {{ rows_of_active_payloads('reconciliation') }}
    ) as parsed
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
