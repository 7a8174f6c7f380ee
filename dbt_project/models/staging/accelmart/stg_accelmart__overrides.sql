{{ config(materialized = 'ephemeral') }}
-- One row per row of the user's override files: the seed it overrides, and the row as JSON.
select seed, record from {{ source('raw', 'overrides') }}
