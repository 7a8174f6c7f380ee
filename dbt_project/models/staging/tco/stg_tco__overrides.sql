{{ config(materialized = 'ephemeral') }}
-- What the user's scenarios.yaml says, one assumption a row; empty without such a file.
select scenario_id, based_on, accelerator_id, parameter, value, unit, file
from {{ source('raw', 'tco_overrides') }}
