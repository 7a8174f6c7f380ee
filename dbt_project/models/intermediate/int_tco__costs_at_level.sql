-- Ownership cost of each accelerator in each scenario at every level of prices its capex is known at, and at the
-- user's own capex. Two parts are only fairly compared at the same level: prices of accelerators fall by the month.
with

scenarios as (select * from {{ ref('int_tco__scenarios') }}),

hardware as (select * from {{ ref('int_tco__hardware') }}),

capex as (select * from {{ ref('int_tco__capex') }}),

at_level as (
    select
        hardware.scenario_id,
        hardware.accelerator_id,
        capex.price_level,
        capex.capex_basis,
        capex.all_in_capex_usd,
        hardware.it_power_w,
        capex.is_default
    from hardware
    inner join capex using (accelerator_id)
    where not hardware.is_capex_overridden

    union all

    select scenario_id, accelerator_id, null as price_level, capex_basis, all_in_capex_usd, it_power_w, true as is_default
    from hardware
    where is_capex_overridden
)

select
    at_level.*,
    {{ tco_usd_per_accelerator_hour('at_level.all_in_capex_usd', 'at_level.it_power_w', 'scenarios') }}
        as usd_per_accelerator_hour
from at_level
inner join scenarios using (scenario_id)
