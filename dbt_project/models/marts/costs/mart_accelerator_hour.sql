-- What an accelerator-hour costs, rented and owned, with low and high. Rent: the price level of the accelerator on the newest day;
-- where it has none, the median over sellers, one vote each, recent prices only; without a recent price,
-- a list price whose day is not known, of the middle region, with the lowest and highest of all regions and versions.
-- Ownership: each scenario on its default basis of capital; low and high rest on the documented ranges of the inputs
-- (int_tco__hour_ranges).
with

levels as (
    select * from {{ ref('mart_rental_price_level') }}
    qualify as_of = max(as_of) over (partition by pricing_model)
),

rents as (
    select
        accelerator_id,
        'rent' as price_basis,
        pricing_model as price_terms,
        coalesce(usd_per_accelerator_hour, usd_median_plain) as usd_per_accelerator_hour,
        usd_per_accelerator_hour_low,
        usd_per_accelerator_hour_high,
        case when reason is null then n_sellers else n_sellers_plain end as n_sellers,
        as_of - oldest_days_before::integer as oldest_price_on,
        case
            when reason is null then 'price level: ' || uncertainty_basis
            else 'median of ' || n_sellers_plain || ' sellers, no level: ' || reason
        end as rent_basis
    from levels
),

undated as (
    select
        prices.accelerator_id,
        'rent' as price_basis,
        prices.pricing_model as price_terms,
        prices.usd_per_accelerator_hour,
        prices.usd_lowest as usd_per_accelerator_hour_low,
        prices.usd_highest as usd_per_accelerator_hour_high,
        prices.n_sellers,
        prices.rent_basis
    from {{ ref('int_price__undated') }} as prices
    left join rents on prices.accelerator_id = rents.accelerator_id and prices.pricing_model = rents.price_terms
    where rents.accelerator_id is null
),

owned as (
    select
        tco.accelerator_id,
        'ownership' as price_basis,
        tco.scenario_id as price_terms,
        tco.capex_basis,
        tco.usd_per_accelerator_hour,
        tco.usd_per_accelerator_hour_low,
        tco.usd_per_accelerator_hour_high
    from {{ ref('mart_tco') }} as tco
    where tco.is_default
)

select * from rents
union all by name
select * from undated
union all by name
select * from owned
