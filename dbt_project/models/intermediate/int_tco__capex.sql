-- What an accelerator costs all-in, at each level of prices it is known at: published or estimated (seed tco_hardware),
-- or else implied by a published hyperscaler rate, by the default formula solved for capex. An implied capex is no
-- observation: it repeats what the rate says. The newest level of each accelerator is its default.
with

hardware as (select * from {{ ref('tco_hardware') }}),

rates as (
    select * from {{ ref('tco_published_rates') }}
    where tier = 'hyperscaler'
),

hyperscaler as (
    select * from {{ ref('int_tco__default_scenarios') }}
    where scenario_id = 'hyperscaler'
),

power as (
    select accelerator_id, value as it_power_w
    from hardware
    where parameter = 'it_power_w'
),

stated as (
    select
        accelerator_id,
        price_level,
        max(value) filter (where parameter = 'all_in_capex_usd') as all_in_capex_usd,
        max(value) filter (where parameter = 'server_capex_usd') as server_capex_usd,
        max(value) filter (where parameter = 'network_capex_usd') as network_capex_usd,
        max(value) filter (where parameter = 'storage_capex_usd') as storage_capex_usd,
        max(value) filter (where parameter = 'other_capex_usd') as other_capex_usd,
        max(basis) filter (where parameter = 'all_in_capex_usd') as capex_basis,
        max(as_of) filter (where parameter = 'all_in_capex_usd') as capex_as_of,
        max(source_url) filter (where parameter = 'all_in_capex_usd') as capex_source_url,
        max(note) filter (where parameter = 'all_in_capex_usd') as capex_note,
        string_agg('hardware/' || accelerator_id || '/' || parameter, ',' order by parameter) as assumption_ids
    from hardware
    where parameter <> 'it_power_w'
    group by accelerator_id, price_level
),

implied as (
    select
        rates.accelerator_id,
        rates.price_level,
        {{ implied_capex_usd('rates.usd_per_accelerator_hour', 'power.it_power_w', 'hyperscaler') }} as all_in_capex_usd,
        null::double as server_capex_usd,
        null::double as network_capex_usd,
        null::double as storage_capex_usd,
        null::double as other_capex_usd,
        'implied by published rate' as capex_basis,
        rates.as_of as capex_as_of,
        rates.source_url as capex_source_url,
        'capex at which the default hyperscaler pays the published ' || rates.usd_per_accelerator_hour || ' USD/h'
            || case when rates.is_placeholder then ', which the source marks as a placeholder' else '' end as capex_note,
        'rate/' || rates.rate_id as assumption_ids
    from rates
    inner join power using (accelerator_id)
    cross join hyperscaler
    anti join stated on rates.accelerator_id = stated.accelerator_id and rates.price_level = stated.price_level
),

levels as (
    select * from stated
    union all by name
    select * from implied
)

select
    *,
    row_number() over (
        partition by accelerator_id order by price_level desc
    ) = 1 as is_default
from levels
