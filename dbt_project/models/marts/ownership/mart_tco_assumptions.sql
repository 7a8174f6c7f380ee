-- One row per assumption in force.
with

scenarios as (select * from {{ ref('int_tco__assumptions') }}),

hardware as (select * from {{ ref('tco_hardware') }}),

rates as (select * from {{ ref('tco_published_rates') }}),

capex as (select * from {{ ref('int_tco__capex') }}),

purchases as (select * from {{ ref('int_tco__purchases') }}),

forms as (select * from {{ ref('purchase_forms') }}),

overrides as (
    select * from {{ ref('stg_tco__overrides') }}
    where accelerator_id is not null and value is not null
),

stated as (
    select
        'scenario/' || scenario_id || '/' || parameter as assumption_id,
        'scenario' as kind,
        scenario_id,
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
        as_of as stated_on,
        note
    from scenarios

    union all by name

    select
        'hardware/' || accelerator_id || '/' || parameter as assumption_id,
        'hardware' as kind,
        accelerator_id,
        parameter,
        value,
        unit,
        basis,
        source_url,
        as_of as stated_on,
        note
    from hardware

    union all by name

    select
        'purchase/' || accelerator_id || '/' || offer_id as assumption_id,
        'purchase' as kind,
        accelerator_id,
        'purchase_usd' as parameter,
        purchase_usd as value,
        'USD per accelerator' as unit,
        'observed' as basis,
        any_value(source_url) as source_url,
        cast(last_seen_on as varchar) as stated_on,
        'sold as ' || purchase_form || '; all-in ' || string_agg(printf('%.0f', all_in_capex_usd), ' or ' order by all_in_capex_usd)
            || ' USD' || case when is_old then '; older than 18 months' else '' end as note
    from purchases
    group by accelerator_id, offer_id, purchase_usd, last_seen_on, purchase_form, is_old

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
