-- Sources and rounds that the operator holds or withdraws, against those of the published generation.
with

source as (select * from {{ source('operator', 'source_holds') }})

select source, release, action, held_at, change
from source
