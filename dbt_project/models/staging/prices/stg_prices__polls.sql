-- Every poll of a price list, numbered in order of time.
select source, stream, poll, polled_at, polls_to_close
from {{ source('raw', 'price_polls') }}
