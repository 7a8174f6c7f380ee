{{ config(materialized = 'ephemeral') }}
-- One row per parsed price list and stretch of polls in which it was in force.
select
    source, stream, payload_key, payload_sha256, is_dated, has_dated_rows, observed_at, last_poll
from {{ source('raw', 'price_observations') }}
