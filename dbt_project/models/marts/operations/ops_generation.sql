-- One row: the generation that this file is.
with

build as (select * from {{ ref('stg_accelmart__build') }})

select generation_id, previous_generation_id, built_at, input_fingerprint, code_version, are_changes_accepted
from build
