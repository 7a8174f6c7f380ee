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
        {{ tco_parts('hardware.all_in_capex_usd', 'hardware.it_power_w', 'scenarios') }},
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
        hardware.capex_note,
        hardware.capital_factor,
        hardware.capital_factor_low,
        hardware.capital_factor_high,
        hardware.capital_factor_purchases,
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
    len(regexp_extract_all(components.assumption_ids, '(?:^|,)(?:purchase/|rate/|[^,]*/all_in_capex_usd)'))
        + coalesce(components.capital_factor_purchases, 0) as n_capex_figures,
    (components.electricity_usd_per_accelerator_hour + components.colocation_usd_per_accelerator_hour)
        / (components.usd_per_accelerator_hour * components.availability_pct / 100) * 100 as power_and_space_share_pct,
    {{ tco_of_used_hours('components') }}
from components
left join ranges using (cost_id)
