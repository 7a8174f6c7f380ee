with

build as (select * from {{ ref('stg_accelmart__build') }})

select generation_id, built_at, input_fingerprint, code_version
from build
