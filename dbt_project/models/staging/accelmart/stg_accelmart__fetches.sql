-- When each source was last fetched with success: a payload that did not change is as current as one that did.
with

source as (select * from {{ source('operator', 'source_fetches') }})

select source, last_fetched_at
from source
