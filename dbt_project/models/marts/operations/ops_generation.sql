-- One row: the generation that this file is.
with

build as (select * from {{ source('raw', 'build_info') }})

select generation_id, previous_generation_id, built_at, input_fingerprint, code_version, are_changes_accepted
from build
