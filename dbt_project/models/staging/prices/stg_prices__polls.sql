-- Every poll of a price list, numbered in order of time.
with

source as (select * from {{ source('raw', 'price_polls') }})

select source, stream, poll, polled_at, polls_to_close
from source
