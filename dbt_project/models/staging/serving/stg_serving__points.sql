-- Measured configurations of the payload in force of each list: the one fetched last, or of the latest date.
select * rename (member as payload_member, record as payload_record)
from {{ source('raw', 'serving_points') }}
-- a dated payload (leaderboard@2026-02-27) belongs to the same stream as a live one; the newest payload of a stream is used
qualify {{ is_newest_of_stream() }}
