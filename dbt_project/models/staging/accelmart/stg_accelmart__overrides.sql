-- Rows of the user's override files as they stand there.
with

source as (select * from {{ source('raw', 'overrides') }})

select seed, file, line, record
from source
