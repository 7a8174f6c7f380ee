with published as (
    select
        p.accelerator_id,
        'reserved_' || p.term_years || 'y' as pricing_model,
        p.usd_per_accelerator_hour as usd_published,
        'third party, ' || p.as_of || ', ' || p.source_url as published_source
    from {{ ref('published_rents') }} as p
    where not p.is_placeholder
        and p.as_of <= cast(coalesce(cast(as_of as date), {{ function('newest_price_day') }}()) as varchar)
    qualify row_number() over (partition by p.accelerator_id, p.term_years order by p.as_of desc, p.usd_per_accelerator_hour asc) = 1
),

-- without a level: on demand the median of sellers, under a term the price of the only seller
sold as (
    select
        l.accelerator_id,
        l.pricing_model,
        l.usd_per_accelerator_hour_low as usd_low,
        case
            when l.reason_code is null then l.usd_per_accelerator_hour
            when l.pricing_model = 'on_demand' or l.n_sellers_plain = 1 then l.usd_median_plain
        end as usd,
        l.usd_per_accelerator_hour_high as usd_high,
        case
            when l.discount is not null then format('{}: {}', l.uncertainty_basis, l.sellers)
            when l.reason_code is null then 'price level'
            when l.pricing_model <> 'on_demand' and l.n_sellers_plain = 1 then 'price of its only seller, no price level: ' || l.reason
            when l.pricing_model = 'on_demand' then 'plain median, no price level: ' || l.reason
            else 'no price level: ' || l.reason
        end as basis,
        case when l.reason_code is null then l.n_sellers else l.n_sellers_plain end as n_sellers,
        l.seller_price_low,
        l.seller_price_high,
        l.usd_cheapest,
        l.cheapest_provider,
        l.cheapest_offer_id
    from {{ function('price_level') }}(null, pricing := null, as_of := as_of) as l
    where l.pricing_model <> 'marketplace'
)

select
    r.accelerator_id,
    r.pricing_model,
    {{ term_months('r.pricing_model') }} as term_months,
    r.usd_low,
    coalesce(r.usd, r.usd_published) as usd,
    r.usd_high,
    coalesce(r.basis, r.published_source) as basis,
    r.n_sellers,
    r.seller_price_low,
    r.seller_price_high,
    r.usd_cheapest,
    r.cheapest_provider,
    r.cheapest_offer_id,
    r.usd_published,
    r.published_source
from (select * from sold full join published using (accelerator_id, pricing_model)) as r
where accelerator is null or r.accelerator_id = {{ function('accelerator_named') }}(accelerator)
