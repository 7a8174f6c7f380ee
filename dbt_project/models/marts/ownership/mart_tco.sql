-- One row per accelerator, scenario, basis of capital and price level.
with

hardware as (select * from {{ ref('int_tco__hardware') }}),

scenarios as (
    select scenario.* replace (hardware.availability_pct as availability_pct), hardware.cost_id
    from {{ ref('int_tco__scenarios') }} as scenario
    inner join hardware using (scenario_id)
),

ranges as (select * from {{ ref('int_tco__hour_ranges') }}),

components as (
    select
        hardware.cost_id,
        hardware.accelerator_id,
        hardware.scenario_id,
        scenarios.based_on,
        hardware.all_in_capex_usd as capex_usd_per_accelerator,
        hardware.server_capex_usd as capex_server_usd_per_accelerator,
        hardware.network_capex_usd as capex_network_usd_per_accelerator,
        hardware.storage_capex_usd as capex_storage_usd_per_accelerator,
        hardware.other_capex_usd as capex_other_usd_per_accelerator,
        hardware.it_power_w,
        {% for parameter in tco_parameters() %}scenarios.{{ parameter }},
        {% endfor -%}
        {{ tco_capital_usd_per_h('hardware.all_in_capex_usd', 'scenarios.cost_of_capital_pct', 'scenarios.depreciation_years') }}
            as capital_usd_per_accelerator_hour,
        {{ tco_electricity_usd_per_h('hardware.it_power_w', 'scenarios.pue', 'scenarios.electricity_usd_per_kwh') }}
            as electricity_usd_per_accelerator_hour,
        {{ tco_colocation_usd_per_h('hardware.it_power_w', 'scenarios.colocation_usd_per_kw_month') }}
            as colocation_usd_per_accelerator_hour,
        {{ tco_maintenance_usd_per_h('hardware.all_in_capex_usd', 'scenarios.maintenance_pct_of_capex_per_year') }}
            as maintenance_usd_per_accelerator_hour,
        {{ tco_staff_usd_per_h('scenarios.staff_usd_per_accelerator_year') }} as staff_usd_per_accelerator_hour,
        {{ tco_running_usd_per_h('hardware.all_in_capex_usd', 'hardware.it_power_w', 'scenarios') }}
            as running_usd_per_accelerator_hour,
        {{ tco_usd_per_accelerator_hour('hardware.all_in_capex_usd', 'hardware.it_power_w', 'scenarios') }}
            as usd_per_accelerator_hour,
        hardware.capex_basis,
        hardware.price_level,
        hardware.is_default,
        hardware.purchase_form,
        hardware.is_purchase_old,
        hardware.capex_as_of,
        hardware.capex_source,
        hardware.it_power_basis,
        hardware.it_power_as_of,
        hardware.it_power_source,
        scenarios.is_overridden or hardware.is_overridden as is_overridden,
        scenarios.assumption_ids || ',' || hardware.assumption_ids as assumption_ids
    from hardware
    inner join scenarios using (cost_id)
)

select
    components.* exclude (cost_id),
    ranges.* exclude (cost_id),
    case
        when components.price_level is null then 'the user set the capex, which belongs to no price level'
        when components.capex_usd_per_accelerator is null
            then 'it is not known whether the newest purchase was of a server or of a bare module: low and high are of both'
    end as reason,
    len(regexp_extract_all(components.assumption_ids, '(?:^|,)(?:purchase/|rate/|[^,]*/all_in_capex_usd)')) as n_capex_figures,
    -- hours that are paid and cannot be used
    components.usd_per_accelerator_hour * (1 - components.availability_pct / 100) as unavailability_usd_per_accelerator_hour,
    (components.electricity_usd_per_accelerator_hour + components.colocation_usd_per_accelerator_hour)
        / (components.usd_per_accelerator_hour * components.availability_pct / 100) * 100 as power_and_space_share_pct,
    components.usd_per_accelerator_hour / (components.utilisation_pct / 100) as usd_per_utilised_accelerator_hour,
    components.usd_per_accelerator_hour / (components.utilisation_pct / 100) / (components.goodput_pct / 100) as usd_per_useful_accelerator_hour
from components
left join ranges using (cost_id)
