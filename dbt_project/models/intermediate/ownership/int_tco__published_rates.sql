{{ config(materialized = 'ephemeral') }}
-- What others say an owned accelerator costs an hour, against the formula at the default assumptions of their tier and at capex of the
-- same date: a user's overrides play no part here, and of purchases nothing is calibrated.
with

scenarios as ({{ default_scenarios() }}),

capex as (select * from {{ ref('int_tco__capex') }} where capex_basis <> 'observed_purchase'),

power as (select accelerator_id, value from {{ ref('tco_hardware') }} where parameter = 'it_power_w'),

compared as (
    select
        rates.rate_id,
        rates.accelerator_id,
        rates.tier,
        rates.price_level,
        rates.usd_per_accelerator_hour as published_usd_per_accelerator_hour,
        {{ tco_usd_per_accelerator_hour('capex.all_in_capex_usd', 'power.value', 'scenarios') }} as usd_per_accelerator_hour,
        -- equal by construction: the capex is solved from this very rate
        coalesce(rates.tier = 'hyperscaler' and capex.capex_basis = 'implied_by_rate', false) as is_source_of_capex
    from {{ ref('tco_published_rates') }} as rates
    left join scenarios on rates.tier = scenarios.scenario_id
    left join power using (accelerator_id)
    left join capex using (accelerator_id, price_level)
)

select *, usd_per_accelerator_hour / published_usd_per_accelerator_hour as ratio
from compared
