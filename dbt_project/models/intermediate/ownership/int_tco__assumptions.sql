-- The current value of every parameter of every scenario, and who set it: the user for this scenario, the user for
-- the scenario it is based on, the seed.
with

parameters as (select * from {{ ref('tco_scenarios') }}),

set_by_user as (select * from {{ ref('stg_tco__overrides') }}),

-- the default scenarios and the user's own, each with the default it is based on
scenarios as (
    select distinct scenario_id, scenario_id as based_on
    from parameters
    union all
    select scenario_id, any_value(based_on) as based_on
    from set_by_user
    where scenario_id <> '*' and scenario_id not in (select parameters.scenario_id from parameters)
    group by scenario_id
),

overrides as (
    select * from set_by_user
    where accelerator_id is null and value is not null
)

select
    scenarios.scenario_id,
    scenarios.based_on,
    parameters.parameter,
    coalesce(own.value, inherited.value, parameters.value) as value,
    parameters.unit,
    coalesce(own.value, inherited.value) is not null as is_overridden,
    parameters.is_calibrated and coalesce(own.value, inherited.value) is null as is_calibrated,
    case when coalesce(own.value, inherited.value) is null then parameters.source_url end as source_url,
    coalesce(own.file, inherited.file) as file,
    case when coalesce(own.value, inherited.value) is null then parameters.as_of end as as_of,
    case when coalesce(own.value, inherited.value) is null then parameters.note else 'set by the user' end as note,
    parameters.value as default_value
from scenarios
inner join parameters on scenarios.based_on = parameters.scenario_id
left join overrides as own
    on scenarios.scenario_id = own.scenario_id and parameters.parameter = own.parameter
left join overrides as inherited
    on scenarios.based_on = inherited.scenario_id
    and scenarios.scenario_id <> scenarios.based_on
    and parameters.parameter = inherited.parameter
