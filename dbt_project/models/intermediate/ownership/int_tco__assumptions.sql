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

-- the user's for the scenario itself comes before that for the scenario it is based on
overrides as (
    select set_by_user.* replace (scenarios.scenario_id as scenario_id)
    from scenarios
    inner join set_by_user on set_by_user.scenario_id in (scenarios.scenario_id, scenarios.based_on)
    where set_by_user.accelerator_id is null and set_by_user.value is not null
    qualify row_number() over (
        partition by scenarios.scenario_id, set_by_user.parameter
        order by set_by_user.scenario_id = scenarios.scenario_id desc
    ) = 1
)

select
    scenarios.scenario_id,
    scenarios.based_on,
    parameters.parameter,
    coalesce(overrides.value, parameters.value) as value,
    parameters.unit,
    overrides.value is not null as is_overridden,
    case when overrides.value is null then parameters.is_calibrated else coalesce(overrides.is_calibrated, false) end as is_calibrated,
    case when overrides.value is null then parameters.source_url else overrides.source_url end as source_url,
    overrides.file,
    case when overrides.value is null then parameters.as_of else overrides.as_of end as as_of,
    case when overrides.value is null then parameters.note else coalesce(overrides.note, 'set by the user') end as note,
    parameters.value as default_value,
    overrides.low,
    overrides.high
from scenarios
inner join parameters on scenarios.based_on = parameters.scenario_id
left join overrides
    on scenarios.scenario_id = overrides.scenario_id and parameters.parameter = overrides.parameter
