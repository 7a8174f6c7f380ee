{{ config(meta = {'dagster': {'ref': {'name': 'int_tco__assumptions'}}}) }}
with

overrides as (select * from {{ ref('stg_tco__overrides') }}),

scenarios as (select * from {{ ref('int_tco__assumptions') }}),

hardware as (select * from {{ ref('int_tco__hardware') }})

select overrides.*
from overrides
left join scenarios
    on overrides.scenario_id = scenarios.scenario_id
    and overrides.parameter = scenarios.parameter
    and overrides.value = scenarios.value
left join hardware
    on overrides.scenario_id in (hardware.scenario_id, '*')
    and overrides.accelerator_id = hardware.accelerator_id
    and hardware.is_overridden
where overrides.value is not null and scenarios.scenario_id is null and hardware.scenario_id is null
