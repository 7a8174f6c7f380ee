with votes as (
    select
        o.accelerator_id,
        o.pricing_model,
        o.vote,
        min(o.usd_per_accelerator_hour) as usd,
        arg_min(o.offer_id, (o.usd_per_accelerator_hour, o.offer_id)) as offer_id
    from {{ function('price_on') }}(coalesce(cast(as_of as date), {{ function('newest_price_day') }}())) as o
    where o.price_standing in ('current', 'recent') and {{ term_months('o.pricing_model') }} is not null
    group by o.accelerator_id, o.pricing_model, o.vote
),

published as (
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

sold as (
    select
        l.accelerator_id,
        l.pricing_model,
        l.usd_per_accelerator_hour_low as usd_low,
        coalesce(l.usd_per_accelerator_hour, l.usd_median_plain) as usd,
        l.usd_per_accelerator_hour_high as usd_high,
        coalesce('plain median, no price level: ' || l.reason, 'price level') as basis,
        case when l.reason is null then l.n_sellers else l.n_sellers_plain end as n_sellers,
        l.usd_cheapest,
        l.cheapest_provider,
        l.cheapest_offer_id
    from {{ function('price_level') }}(null, as_of := as_of) as l

    union all

    select
        v.accelerator_id,
        v.pricing_model,
        case when count(*) > 1 then min(v.usd) end,
        median(v.usd),
        case when count(*) > 1 then max(v.usd) end,
        'median of sellers, range theirs: ' || string_agg(v.vote, ', ' order by v.usd, v.vote),
        count(*),
        min(v.usd),
        arg_min(v.vote, (v.usd, v.vote)),
        arg_min(v.offer_id, (v.usd, v.vote))
    from votes as v
    group by v.accelerator_id, v.pricing_model
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
    r.usd_cheapest,
    r.cheapest_provider,
    r.cheapest_offer_id,
    r.usd_published,
    r.published_source
from (select * from sold full join published using (accelerator_id, pricing_model)) as r
where accelerator is null or r.accelerator_id = {{ function('accelerator_named') }}(accelerator)
