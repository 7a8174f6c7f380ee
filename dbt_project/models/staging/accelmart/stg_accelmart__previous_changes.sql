{{ config(materialized = 'ephemeral') }}
-- One row per change that earlier generations recorded.
select * from {{ source('previous', 'previous_changes') }}
