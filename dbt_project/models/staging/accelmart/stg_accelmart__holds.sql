-- Sources and rounds that the operator holds or withdraws, against those of the published generation.
select source, release, action, held_at, change
from {{ source('operator', 'source_holds') }}
