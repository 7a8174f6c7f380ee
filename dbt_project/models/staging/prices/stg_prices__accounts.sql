{{ config(materialized = 'ephemeral') }}
-- One row per parsed payload of a price list.
select source, dialect, payload_key, payload_sha256, rows_out
from {{ source('raw', 'price_reconciliation') }}
