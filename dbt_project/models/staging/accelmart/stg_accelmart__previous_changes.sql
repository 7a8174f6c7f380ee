{{ config(materialized = 'ephemeral') }}
select * from {{ source('previous', 'previous_changes') }}
