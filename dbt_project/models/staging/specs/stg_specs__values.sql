-- Figures of the payload in force of each page or file: the one fetched last, or of the latest date.
select * rename (member as payload_member, record as payload_record)
from {{ source('raw', 'spec_values') }}
-- a dated payload (ml_hardware@2026-01) belongs to the same stream as a live one; the newest payload of a stream is used
qualify {{ is_newest_of_stream() }}
