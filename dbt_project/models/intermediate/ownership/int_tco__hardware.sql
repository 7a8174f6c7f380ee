-- Capex, power and availability in force of every accelerator in every scenario, at every basis and price level at which
-- its capex is known. The first that exists is taken whole, for capex and for power apart: the user's for this scenario,
-- for the scenario it is based on, for every scenario; the default. A user's capex has no price level and replaces all
-- others. An availability of the part stands before that of the scenario, unless the user set that. A hyperscaler pays what its own
-- rate implies, everybody else that times the factor of purchases; a purchase older than 18 months is never the default.
with

known_capex as (select * from {{ ref('int_tco__capex') }}),

factor as (select * from {{ ref('int_tco__capital_factor') }}),

-- what a buyer of servers pays: the newest capital that a large cloud's rate implies, times the factor
capex as (
    select * from known_capex
    union all by name
    select
        known_capex.* replace (
            known_capex.all_in_capex_usd * factor.capital_factor as all_in_capex_usd,
            known_capex.all_in_capex_usd * factor.capital_factor_low as all_in_capex_usd_low,
            known_capex.all_in_capex_usd * factor.capital_factor_high as all_in_capex_usd_high,
            'implied_times_factor' as capex_basis,
            'what a buyer of servers pays: implied ' || known_capex.price_level || ' × ' || factor.capital_factor_note as capex_note,
            known_capex.assumption_ids || ',factor/capital' as assumption_ids
        ),
        factor.capital_factor,
        factor.capital_factor_low,
        factor.capital_factor_high,
        factor.capital_factor_purchases
    from known_capex
    cross join factor
    where known_capex.capex_basis = 'implied_by_rate' and known_capex.all_in_capex_usd is not null
    qualify row_number() over (partition by known_capex.accelerator_id order by known_capex.price_level desc) = 1
),

default_power as (select * from {{ ref('tco_hardware') }} where parameter = 'it_power_w'),

-- every scenario has one
scenarios as (select * from {{ ref('int_tco__assumptions') }} where parameter = 'availability_pct'),

part_availability as (
    select parts.accelerator_id, parts.value, ranges.low, ranges.high
    from {{ ref('tco_hardware') }} as parts
    left join {{ ref('tco_input_ranges') }} as ranges using (accelerator_id, parameter)
    where parts.parameter = 'availability_pct'
),

overrides as (
    select
        scenario_id,
        accelerator_id,
        any_value(coalesce(source_url, file)) filter (where parameter = 'all_in_capex_usd') as capex_source,
        any_value(coalesce(source_url, file)) filter (where parameter = 'it_power_w') as it_power_source,
        max(low) filter (where parameter = 'all_in_capex_usd') as all_in_capex_usd_low,
        max(high) filter (where parameter = 'all_in_capex_usd') as all_in_capex_usd_high,
        {{ parameter_columns(capex_parts() + ['it_power_w']) }}
    from {{ ref('stg_tco__overrides') }}
    where accelerator_id is not null
    group by scenario_id, accelerator_id
),

-- how near each statement of the user's stands to a scenario: 1 its own, 2 that it is based on, 3 all
nearness as (
    select
        scenarios.scenario_id as for_scenario_id,
        case
            when overrides.scenario_id = scenarios.scenario_id then 1
            when overrides.scenario_id = scenarios.based_on then 2
            else 3
        end as nearness,
        overrides.*
    from scenarios
    inner join overrides
        on overrides.scenario_id in (scenarios.scenario_id, scenarios.based_on, '*')
),

all_capex as (
    select
        for_scenario_id as scenario_id,
        accelerator_id,
        nearness,
        all_in_capex_usd_low,
        all_in_capex_usd_high,
        {{ capex_parts() | join(', ') }},
        'set_by_user' as capex_basis,
        capex_source,
        'override/' || scenario_id || '/' || accelerator_id || '/all_in_capex_usd' as capex_assumption_ids
    from nearness
    where all_in_capex_usd is not null

    union all by name

    select
        scenarios.scenario_id,
        4 as nearness,
        capex.* exclude (capex.capex_source_url, capex.assumption_ids),
        capex.capex_source_url as capex_source,
        capex.assumption_ids as capex_assumption_ids
    from scenarios
    cross join capex
    where scenarios.based_on <> 'hyperscaler' or capex.capex_basis <> 'implied_times_factor'
),

all_power as (
    select
        for_scenario_id as scenario_id,
        accelerator_id,
        nearness,
        it_power_w,
        'set by the user' as it_power_basis,
        it_power_source,
        'override/' || scenario_id || '/' || accelerator_id || '/it_power_w' as power_assumption_ids
    from nearness
    where it_power_w is not null

    union all by name

    select
        scenarios.scenario_id,
        default_power.accelerator_id,
        4 as nearness,
        default_power.value as it_power_w,
        default_power.basis as it_power_basis,
        default_power.as_of as it_power_as_of,
        default_power.source_url as it_power_source,
        'hardware/' || default_power.accelerator_id || '/it_power_w' as power_assumption_ids
    from scenarios
    cross join default_power
),

nearest_capex as (
    select * from all_capex
    qualify rank() over (partition by scenario_id, accelerator_id order by nearness) = 1
),

nearest_power as (
    select * from all_power
    qualify row_number() over (partition by scenario_id, accelerator_id order by nearness) = 1
)

select
    concat_ws(
        '/', nearest_capex.scenario_id, nearest_capex.accelerator_id, nearest_capex.capex_basis, nearest_capex.price_level
    ) as cost_id,
    nearest_capex.* exclude (nearest_capex.nearness, nearest_capex.capex_assumption_ids) replace (
        coalesce(nearest_capex.all_in_capex_usd_low, nearest_capex.all_in_capex_usd) as all_in_capex_usd_low,
        coalesce(nearest_capex.all_in_capex_usd_high, nearest_capex.all_in_capex_usd) as all_in_capex_usd_high
    ),
    nearest_power.* exclude (scenario_id, accelerator_id, nearest_power.nearness, nearest_power.power_assumption_ids),
    (nearest_capex.price_level is not distinct from max(nearest_capex.price_level) over (
        partition by nearest_capex.scenario_id, nearest_capex.accelerator_id, nearest_capex.capex_basis
    )) as is_newest_of_basis,
    row_number() over (
        partition by nearest_capex.scenario_id, nearest_capex.accelerator_id
        order by
            coalesce(nearest_capex.is_purchase_old, false),
            nearest_capex.all_in_capex_usd is null,
            {{ by_default_capex('nearest_capex.capex_basis', 'nearest_capex.price_level') }}
    ) = 1 and nearest_capex.is_purchase_old is not true as is_default,
    coalesce(part_availability.value, scenarios.value) as availability_pct,
    part_availability.low as availability_pct_low,
    part_availability.high as availability_pct_high,
    nearest_capex.nearness < 4 or nearest_power.nearness < 4 as is_overridden,
    concat_ws(
        ',', nearest_capex.capex_assumption_ids, nearest_power.power_assumption_ids,
        'hardware/' || part_availability.accelerator_id || '/availability_pct'
    ) as assumption_ids
from nearest_capex
inner join nearest_power using (scenario_id, accelerator_id)
inner join scenarios using (scenario_id)
left join part_availability
    on nearest_capex.accelerator_id = part_availability.accelerator_id and not scenarios.is_overridden
