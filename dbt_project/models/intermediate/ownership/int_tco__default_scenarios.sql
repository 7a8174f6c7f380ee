{{ config(materialized = 'ephemeral') }}
-- The default scenarios of the seed, a column each parameter. What is calibrated or inverted rests on these alone, so
-- that a user's own figures never move what is said about published ones.
with

parameters as (select * from {{ ref('tco_scenarios') }})

select
    scenario_id,
    {%- for parameter in tco_parameters() %}
    max(value) filter (where parameter = '{{ parameter }}') as {{ parameter }}{{ ',' if not loop.last }}
    {%- endfor %}
from parameters
group by scenario_id
