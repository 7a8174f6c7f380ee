with asked as (
    select {{ function('accelerator_named') }}(accelerator) as accelerator_id, cast({{ argument('quoted') }} as double) as usd
),

offers as (
    select o.provider, o.usd_per_accelerator_hour as usd
    from {{ function('seller_offers') }}(accelerator, pricing := pricing, region := region, as_of := as_of) as o
    where o.is_counted
),

counted as (
    select
        count(f.usd) as n_sellers,
        count(*) filter (f.usd < a.usd) as n_below,
        count(*) filter (f.usd > a.usd) as n_above,
        max(f.usd) filter (f.usd < a.usd) as usd_below,
        arg_max(f.provider, (f.usd, f.provider)) filter (f.usd < a.usd) as provider_below,
        min(f.usd) filter (f.usd > a.usd) as usd_above,
        arg_min(f.provider, (f.usd, f.provider)) filter (f.usd > a.usd) as provider_above
    from asked as a
    left join offers as f on true
),

placed as (
    select
        a.accelerator_id,
        a.usd,
        c.*,
        {{ function('quote_percentile') }}(c.n_below, c.n_above, c.n_sellers) as percentile,
        l.usd_per_accelerator_hour,
        l.usd_per_accelerator_hour_low,
        l.usd_per_accelerator_hour_high,
        l.seller_price_low,
        l.seller_price_high,
        coalesce(l.seller_price_low, l.usd_per_accelerator_hour_low) as low_end,
        coalesce(l.seller_price_high, l.usd_per_accelerator_hour_high) as high_end
    from asked as a
    cross join counted as c
    left join {{ function('price_level') }}(null, pricing := pricing, as_of := as_of) as l on a.accelerator_id = l.accelerator_id
),

rated as (
    select p.*, {{ function('quote_standing') }}(p.usd, p.percentile, p.low_end, p.high_end) as standing
    from placed as p
)

select
    j.accelerator_id,
    pricing as pricing_model,
    cast(region as varchar) as region,
    j.usd as quoted,
    j.standing,
    j.percentile,
    j.n_sellers,
    j.n_below,
    j.n_above,
    j.provider_below,
    j.usd_below,
    j.provider_above,
    j.usd_above,
    j.usd_per_accelerator_hour,
    j.usd_per_accelerator_hour_low,
    j.usd_per_accelerator_hour_high,
    j.seller_price_low,
    j.seller_price_high,
    concat_ws(
        ' ',
        format('{:.2f} US$ an hour is {}.', j.usd, {{ function('quote_words') }}(j.standing)),
        case
            when j.n_sellers > 0 then format(
                'Lower: {} of {}{}; higher: {}.', j.n_below, {{ counted('j.n_sellers', 'seller') }}, coalesce(' in ' || region, ''), j.n_above
            )
            else 'No seller has a price that counts' || coalesce(' in ' || region, '') || '.'
        end,
        format('Percentile {:.0f}.', j.percentile),
        case when j.seller_price_low is null then 'Typical prices: ' else 'A neocloud that is not in the data would charge ' end
        || format('{:.2f} to {:.2f}.', j.low_end, j.high_end),
        format('Next below: {:.2f} at {}.', j.usd_below, j.provider_below),
        format('Next above: {:.2f} at {}.', j.usd_above, j.provider_above)
    ) as sentence
from rated as j
