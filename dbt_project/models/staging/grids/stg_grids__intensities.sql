-- Carbon intensities of the payload in force of each file: the one fetched last, or of the latest date.
select * rename (member as payload_member, record as payload_record)
from {{ source('raw', 'grid_intensities') }}
qualify {{ is_newest_of_stream() }}
