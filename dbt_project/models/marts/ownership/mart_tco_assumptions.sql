-- One row per assumption in force.
with

scenarios as (select * from {{ ref('int_tco__assumptions') }}),

hardware as (select * from {{ ref('tco_hardware') }}),

rates as (select * from {{ ref('tco_published_rates') }}),

capex as (select * from {{ ref('int_tco__capex') }}),

purchases as (select * from {{ ref('int_tco__purchases') }}),

forms as (select * from {{ ref('purchase_forms') }}),

factor as (select * from {{ ref('int_tco__capital_factor') }}),

ranges as (select * from {{ ref('tco_input_ranges') }}),

overrides as (
    select * from {{ ref('stg_tco__overrides') }}
    where accelerator_id is not null and value is not null
),

stated as (
    select
        'scenario/' || scenarios.scenario_id || '/' || scenarios.parameter as assumption_id,
        'scenario' as kind,
        scenarios.scenario_id,
        scenarios.parameter,
        scenarios.value,
        coalesce(scenarios.low, ranges.low) as low,
        coalesce(scenarios.high, ranges.high) as high,
        ranges.as_of as range_stated_on,
        ranges.source_url as range_source_url,
        scenarios.unit,
        case
            when scenarios.is_overridden then 'set by the user'
            when scenarios.is_calibrated then 'calibrated'
            else regexp_extract(scenarios.note, '^(primary|secondary|our assumption): ', 1)
        end as basis,
        scenarios.is_calibrated,
        scenarios.is_overridden,
        coalesce(scenarios.source_url, scenarios.file) as source_url,
        scenarios.as_of as stated_on,
        scenarios.note
    from scenarios
    left join ranges
        on scenarios.based_on = ranges.scenario_id and scenarios.parameter = ranges.parameter and not scenarios.is_overridden

    union all by name

    select
        'hardware/' || hardware.accelerator_id || '/' || hardware.parameter as assumption_id,
        'hardware' as kind,
        hardware.accelerator_id,
        hardware.parameter,
        hardware.value,
        ranges.low,
        ranges.high,
        ranges.as_of as range_stated_on,
        ranges.source_url as range_source_url,
        hardware.unit,
        hardware.basis,
        hardware.source_url,
        hardware.as_of as stated_on,
        hardware.note
    from hardware
    left join ranges
        on hardware.accelerator_id = ranges.accelerator_id and hardware.parameter = ranges.parameter
        and hardware.price_level is not distinct from ranges.price_level

    union all by name

    select
        'purchase/' || accelerator_id || '/' || offer_id as assumption_id,
        'purchase' as kind,
        accelerator_id,
        'purchase_usd' as parameter,
        purchase_usd as value,
        'USD per accelerator' as unit,
        purchase_basis as basis,
        any_value(source_url) as source_url,
        cast(last_seen_on as varchar) as stated_on,
        'sold as ' || purchase_form || '; all-in ' || string_agg(printf('%.0f', all_in_capex_usd), ' or ' order by all_in_capex_usd)
            || ' USD' || case when is_old then '; older than 18 months' else '' end as note
    from purchases
    group by accelerator_id, offer_id, purchase_usd, last_seen_on, purchase_form, purchase_basis, is_old

    union all by name

    select
        'factor/capital' as assumption_id,
        'factor' as kind,
        'capital_factor' as parameter,
        capital_factor as value,
        capital_factor_low as low,
        capital_factor_high as high,
        'ratio' as unit,
        'derived' as basis,
        source_url,
        cast(newest_purchase_on as varchar) as stated_on,
        'what a buyer of servers pays ÷ the capital that the newest rate of a large cloud implies: geometric mean ' || capital_factor_note
            || ': ' || purchases as note
    from factor

    union all by name

    select
        'purchase_form/' || purchase_form as assumption_id,
        'purchase_form' as kind,
        'all_in_per_purchase_usd' as parameter,
        {{ all_in_capex_usd('1', 'forms') }} as value,
        'ratio' as unit,
        'published' as basis,
        source_url,
        as_of as stated_on,
        note
    from forms

    union all by name

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
        rates.source_url,
        rates.as_of as stated_on,
        'implies an all-in capex of ' || printf('%.0f', capex.all_in_capex_usd) || ' USD; ' || rates.note as note
    from rates
    inner join capex on 'rate/' || rates.rate_id = capex.assumption_ids

    union all by name

    select
        'override/' || scenario_id || '/' || accelerator_id || '/' || parameter as assumption_id,
        'hardware' as kind,
        scenario_id,
        accelerator_id,
        parameter,
        value,
        unit,
        'set by the user' as basis,
        is_calibrated,
        true as is_overridden,
        coalesce(source_url, file) as source_url,
        as_of as stated_on,
        coalesce(note, 'set by the user') as note
    from overrides
)

select * replace (coalesce(is_calibrated, false) as is_calibrated, coalesce(is_overridden, false) as is_overridden)
from stated
