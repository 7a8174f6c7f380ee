{{ config(materialized = 'ephemeral') }}
-- Ephemeral: the file holds its own figures, not those of the one before as well.
select * from {{ source('previous', 'previous_figures') }}
