-- What an accelerator-hour costs, rented and owned, with low and high. Rent: one vote per seller, its cheapest offer, recent
-- ones only. Ownership: each scenario at its newest price level; low and
-- high rest on the documented ranges of the inputs (int_tco__hour_ranges).
with

offers as (
    select
        accelerator_id,
        pricing_model,
        provider,
        min(usd_per_accelerator_hour_min) as usd,
        max(observed_at)::date as seen_on
    from {{ ref('mart_price_current') }}
    where segment is distinct from 'aggregate' and rank_reason is null
    group by accelerator_id, pricing_model, provider
),

rents as (
    select
        accelerator_id,
        'rent' as price_basis,
        pricing_model as price_terms,
        median(usd) as usd_per_accelerator_hour,
        min(usd) as usd_per_accelerator_hour_low,
        max(usd) as usd_per_accelerator_hour_high,
        count(*) as n_sellers,
        min(seen_on) as oldest_price_on
    from offers
    group by accelerator_id, pricing_model
),

owned as (
    select
        tco.accelerator_id,
        'ownership' as price_basis,
        tco.scenario_id as price_terms,
        tco.usd_per_accelerator_hour,
        tco.usd_per_accelerator_hour_low,
        tco.usd_per_accelerator_hour_high,
        cast(null as bigint) as n_sellers,
        cast(null as date) as oldest_price_on
    from {{ ref('mart_tco') }} as tco
    where tco.is_newest_level
)

select * from rents
union all by name
select * from owned
