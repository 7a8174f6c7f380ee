-- What an accelerator costs all-in, by the basis of the figure and the month of its prices:
-- observed_purchase: the newest dated purchase price, at its own month (int_tco__purchases). The value is the median, of
-- whole machines before bare modules; null where the form is not known.
-- published_estimate: stated by somebody (seed tco_hardware).
-- implied_by_rate: the default formula solved for capex at a published rate of a hyperscaler, where nobody states it. No
-- observation: it repeats what the rate says.
with

hardware as (select * from {{ ref('tco_hardware') }}),

rates as (
    select * from {{ ref('tco_published_rates') }}
    where tier = 'hyperscaler'
),

hyperscaler as (select * from ({{ default_scenarios() }}) as scenarios where scenario_id = 'hyperscaler'),

ranges as (
    select * from {{ ref('tco_input_ranges') }}
    where parameter = 'all_in_capex_usd'
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
        {{ parameter_columns(capex_parts()) }},
        'published_estimate' as capex_basis,
        max(as_of) filter (where parameter = 'all_in_capex_usd') as capex_as_of,
        max(source_url) filter (where parameter = 'all_in_capex_usd') as capex_source_url,
        max(note) filter (where parameter = 'all_in_capex_usd') as capex_note,
        string_agg('hardware/' || accelerator_id || '/' || parameter, ',' order by parameter) as assumption_ids
    from hardware
    where contains(parameter, 'capex')
    group by accelerator_id, price_level
),

stated_with_range as (
    select
        stated.*,
        ranges.low as all_in_capex_usd_low,
        ranges.high as all_in_capex_usd_high
    from stated
    left join ranges using (accelerator_id, price_level)
),

implied as (
    select
        rates.accelerator_id,
        rates.price_level,
        {{ implied_capex_usd('rates.usd_per_accelerator_hour', 'power.it_power_w', 'hyperscaler') }} as all_in_capex_usd,
        'implied_by_rate' as capex_basis,
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

purchases as (select * from {{ ref('int_tco__purchases') }} where purchase_id = 'purchase/' || accelerator_id),

observed as (
    select
        accelerator_id,
        strftime(max(last_seen_on), '%Y-%m') as price_level,
        median(all_in_capex_usd) filter (where is_value) as all_in_capex_usd,
        min(all_in_capex_usd) as all_in_capex_usd_low,
        max(all_in_capex_usd) as all_in_capex_usd_high,
        median(server_capex_usd) filter (where is_value) as server_capex_usd,
        'observed_purchase' as capex_basis,
        coalesce(min(assumed_form) filter (where is_value), 'unknown') as purchase_form,
        bool_or(is_old) as is_purchase_old,
        cast(max(last_seen_on) as varchar) as capex_as_of,
        coalesce(min(source_url) filter (where is_value), min(source_url)) as capex_source_url,
        'newest dated purchase: ' || array_to_string(
            list_sort(list(distinct printf('%.0f USD as ', purchase_usd) || purchase_form)), ', '
        ) as capex_note,
        array_to_string(list_sort(list(distinct 'purchase/' || accelerator_id || '/' || offer_id)), ',') || ','
            || array_to_string(list_sort(list(distinct 'purchase_form/' || assumed_form)), ',') as assumption_ids
    from purchases
    group by accelerator_id
)

select * from stated_with_range
union all by name
select * from implied
union all by name
select * from observed
