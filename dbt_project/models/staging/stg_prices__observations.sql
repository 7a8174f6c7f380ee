{{ config(materialized = 'ephemeral') }}
-- Which parsed price list was in force in which polls of its stream. Of two for one poll, the later observation holds.
with

source as (select * from {{ source('raw', 'price_observations') }})

select
    source, source_rank, stream, payload_key, payload_sha256, observation, first_poll, last_poll, observed_at, is_dated, has_dated_rows
from source
