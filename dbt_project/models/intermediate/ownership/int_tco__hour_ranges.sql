{{ config(materialized = 'ephemeral') }}
-- Low and high of what owning costs an hour. On one basis of capital: every input with a documented range (seed
-- tco_input_ranges, or the user's own), and the capex, at its low end and at its high end; an input without a
-- range keeps its value. Over the bases: the newest row of each basis of an accelerator and the published rate of the tier. A capex
-- of the user's, an old purchase, and what a buyer of servers pays (from the lowest to the highest ratio of a purchase) stand by
-- themselves. An envelope, no confidence interval; null where its ends do not differ.
with

assumptions as (select * from {{ ref('int_tco__assumptions') }}),

hardware as (
    select
        *,
        capex_basis = 'implied_times_factor' as has_factor,
        is_newest_of_basis and capex_basis not in ('set_by_user', 'implied_times_factor') and is_purchase_old is not true
            as is_one_of_the_bases
    from {{ ref('int_tco__hardware') }}
),

ranges as (select * from {{ ref('tco_input_ranges') }}),

rates as (
    select accelerator_id, tier, usd_per_accelerator_hour
    from {{ ref('tco_published_rates') }}
    where not is_placeholder
    qualify row_number() over (partition by accelerator_id, tier order by price_level desc, as_of desc) = 1
),

sides as (select unnest([true, false]) as is_cheap),

-- a longer life and a higher availability make an hour cheaper, more of anything else makes it more expensive
inputs as (
    select
        assumptions.scenario_id,
        assumptions.parameter,
        sides.is_cheap,
        case
            when sides.is_cheap = (assumptions.parameter in ('depreciation_years', 'availability_pct'))
                then greatest(assumptions.value, ranges.high, assumptions.high)
            else least(assumptions.value, ranges.low, assumptions.low)
        end as value,
        ranges.parameter is not null or assumptions.low is not null as has_range
    from assumptions
    cross join sides
    left join ranges
        on assumptions.based_on = ranges.scenario_id and assumptions.parameter = ranges.parameter
        and not assumptions.is_overridden
),

scenarios as (
    select
        scenario_id,
        is_cheap,
        {{ parameter_columns(tco_parameters()) }},
        count(*) filter (where has_range) as n_inputs_with_range
    from inputs
    group by scenario_id, is_cheap
),

owned as (
    select
        scenarios.* replace (
            coalesce(
                if(scenarios.is_cheap, hardware.availability_pct_high, hardware.availability_pct_low), hardware.availability_pct
            ) as availability_pct
        ),
        hardware.cost_id,
        hardware.it_power_w,
        if(scenarios.is_cheap, hardware.all_in_capex_usd_low, hardware.all_in_capex_usd_high) as capex
    from hardware
    inner join scenarios using (scenario_id)
),

costs as (
    select
        cost_id,
        is_cheap,
        n_inputs_with_range,
        capex,
        {{ tco_running_usd_per_h('capex', 'it_power_w', 'owned') }} as running,
        {{ tco_usd_per_accelerator_hour('capex', 'it_power_w', 'owned') }} as per_hour
    from owned
),

on_basis as (
    select
        hardware.cost_id,
        hardware.scenario_id,
        hardware.accelerator_id,
        hardware.is_one_of_the_bases,
        hardware.has_factor,
        cheap.capex as capex_low,
        expensive.capex as capex_high,
        cheap.running as running_low,
        expensive.running as running_high,
        cheap.per_hour as hour_low,
        expensive.per_hour as hour_high,
        cheap.n_inputs_with_range + (hardware.availability_pct_low is not null)::integer
            + (hardware.all_in_capex_usd_low < hardware.all_in_capex_usd_high)::integer as n_inputs_with_range,
        rates.usd_per_accelerator_hour as published_rate
    from hardware
    inner join costs as cheap on hardware.cost_id = cheap.cost_id and cheap.is_cheap
    inner join costs as expensive on hardware.cost_id = expensive.cost_id and not expensive.is_cheap
    left join rates
        on (hardware.is_one_of_the_bases or hardware.has_factor)
        and hardware.accelerator_id = rates.accelerator_id and hardware.scenario_id = rates.tier
),

over_bases as (
    select
        *,
        if(is_one_of_the_bases, count(*) over bases, 1) as n_bases,
        if(is_one_of_the_bases, min(capex_low) over bases, capex_low) as capex_lowest,
        if(is_one_of_the_bases, max(capex_high) over bases, capex_high) as capex_highest,
        if(is_one_of_the_bases, min(running_low) over bases, running_low) as running_lowest,
        if(is_one_of_the_bases, max(running_high) over bases, running_high) as running_highest,
        least(if(is_one_of_the_bases, min(hour_low) over bases, hour_low), published_rate) as hour_lowest,
        greatest(if(is_one_of_the_bases, max(hour_high) over bases, hour_high), published_rate) as hour_highest
    from on_basis
    window bases as (partition by scenario_id, accelerator_id, is_one_of_the_bases)
)

select
    cost_id,
    case when capex_lowest < capex_highest then capex_lowest end as capex_usd_per_accelerator_low,
    case when capex_lowest < capex_highest then capex_highest end as capex_usd_per_accelerator_high,
    case when running_lowest < running_highest then running_lowest end as running_usd_per_accelerator_hour_low,
    case when running_lowest < running_highest then running_highest end as running_usd_per_accelerator_hour_high,
    case when hour_lowest < hour_highest then hour_lowest end as usd_per_accelerator_hour_low,
    case when hour_lowest < hour_highest then hour_highest end as usd_per_accelerator_hour_high,
    case when hour_low < hour_high then hour_low end as usd_per_accelerator_hour_on_basis_low,
    case when hour_low < hour_high then hour_high end as usd_per_accelerator_hour_on_basis_high,
    n_inputs_with_range,
    concat_ws(
        '; ',
        case
            when has_factor then 'lowest and highest ratio of a purchase to the implied capital'
            when n_bases > 1 then n_bases || ' bases of capital'
            else 'one basis of capital'
        end,
        case when published_rate is not null then 'published rate of the tier' end,
        case when n_inputs_with_range > 0
            then 'documented ranges of inputs, all at their low or all at their high end'
        else 'no input has a documented range' end
    ) as uncertainty_basis
from over_bases
