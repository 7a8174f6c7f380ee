{{ config(materialized = 'ephemeral') }}
-- One row: the build that reads it.
select generation_id, previous_generation_id, built_at, input_fingerprint, code_version, are_changes_accepted
from {{ source('raw', 'build_info') }}
