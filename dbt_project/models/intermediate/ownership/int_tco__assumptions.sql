-- The current value of every parameter of every scenario, and who set it: the user for this scenario, the user for
-- the scenario it is based on, the seed.
with

scenarios as (select * from {{ ref('int_tco__scenario_list') }}),

parameters as (select * from {{ ref('tco_scenarios') }}),

overrides as (
    select * from {{ ref('stg_tco__overrides') }}
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
