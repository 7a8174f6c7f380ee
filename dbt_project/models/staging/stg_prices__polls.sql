-- Every poll of a price list, numbered within its month.
with

source as (select * from {{ source('raw', 'price_polls') }})

select source, stream, month, poll, polled_at, polls_to_close
from source
