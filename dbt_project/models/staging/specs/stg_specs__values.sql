-- Figures of the payload in force of each page or file: the one fetched last, or of the latest date.
with

source as (select * from {{ source('raw', 'spec_values') }})

select
    source, payload_key, product_published, attribute, value, unit, value_published, unit_published,
    is_sparse, is_bidirectional, per, per_count, source_url, note,
    payload_url, payload_sha256, licence, fetched_at, parser_version,
    member as payload_member, record as payload_record
from source
-- a dated payload (ml_hardware@2026-01) belongs to the same stream as a live one; the newest payload of a stream is used
qualify {{ is_newest_of_stream() }}
