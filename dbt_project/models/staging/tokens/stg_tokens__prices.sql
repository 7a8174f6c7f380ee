-- Prices of tokens of the newest payload of each public list.
select * exclude (member, record)
from {{ source('raw', 'token_prices') }}
qualify {{ is_newest_of_stream() }}
