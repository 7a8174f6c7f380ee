with

scenarios as (select * from {{ ref('int_tco__assumptions') }}),

hardware as (select * from {{ ref('tco_hardware') }}),

rates as (select * from {{ ref('tco_published_rates') }}),

capex as (select * from {{ ref('int_tco__capex') }}),

overrides as (
    select * from {{ ref('stg_tco__overrides') }}
    where accelerator_id is not null and value is not null
)

select
    'scenario/' || scenario_id || '/' || parameter as assumption_id,
    'scenario' as kind,
    scenario_id,
    null as accelerator_id,
    parameter,
    value,
    unit,
    case
        when is_overridden then 'set by the user'
        when is_calibrated then 'calibrated'
        else 'published'
    end as basis,
    is_calibrated,
    is_overridden,
    coalesce(source_url, file) as source_url,
    as_of,
    note
from scenarios

union all

select
    'hardware/' || accelerator_id || '/' || parameter as assumption_id,
    'hardware' as kind,
    null as scenario_id,
    accelerator_id,
    parameter,
    value,
    unit,
    basis,
    false as is_calibrated,
    false as is_overridden,
    source_url,
    as_of,
    note
from hardware

union all

-- the rates capex is solved from, each with the capex that came out
select
    'rate/' || rates.rate_id as assumption_id,
    'rate' as kind,
    rates.tier as scenario_id,
    rates.accelerator_id,
    'usd_per_accelerator_hour' as parameter,
    rates.usd_per_accelerator_hour as value,
    'USD per accelerator-hour' as unit,
    'published' as basis,
    false as is_calibrated,
    false as is_overridden,
    rates.source_url,
    rates.as_of,
    'implies an all-in capex of ' || printf('%.0f', capex.all_in_capex_usd) || ' USD; ' || rates.note as note
from rates
inner join capex on 'rate/' || rates.rate_id = capex.assumption_ids

union all

select
    'override/' || scenario_id || '/' || accelerator_id || '/' || parameter as assumption_id,
    'hardware' as kind,
    scenario_id,
    accelerator_id,
    parameter,
    value,
    unit,
    'set by the user' as basis,
    false as is_calibrated,
    true as is_overridden,
    file as source_url,
    null as as_of,
    'set by the user' as note
from overrides
