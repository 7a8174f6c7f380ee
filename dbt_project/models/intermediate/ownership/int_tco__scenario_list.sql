-- The default scenarios and the user's own, each with the default it is based on (itself for a default one).
with

parameters as (select * from {{ ref('tco_scenarios') }}),

overrides as (select * from {{ ref('stg_tco__overrides') }}),

defaults as (select distinct scenario_id from parameters)

select scenario_id, scenario_id as based_on, true as is_default
from defaults

union all

select scenario_id, any_value(based_on) as based_on, false as is_default
from overrides
where scenario_id <> '*' and scenario_id not in (select defaults.scenario_id from defaults)
group by scenario_id
