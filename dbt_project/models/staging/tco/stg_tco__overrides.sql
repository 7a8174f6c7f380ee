{{ config(materialized = 'ephemeral') }}
-- The user's assumptions (overrides/scenarios.csv), one row each; empty without such a file.
select scenario_id, based_on, accelerator_id, parameter, value, low, high, unit, source_url, as_of, is_calibrated, note, file
from {{ source('raw', 'tco_overrides') }}
