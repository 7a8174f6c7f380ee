-- Two series by month. `matched` follows offers that were seen in both of two months, so that another mix of sellers moves
-- nothing; `level` is what sellers asked, and moves with the mix.
with recursive

offers as (
    select
        price_month, provider, what_is_sold, usd_per_accelerator_hour,
        struct_pack(accelerator_id := accelerator_id, segment := segment, pricing_model := pricing_model) as series
    from {{ ref('int_price__monthly') }}
),

-- one seller, one vote
sellers as (
    select series, price_month, provider, median(usd_per_accelerator_hour) as usd_per_accelerator_hour, count(*) as n_offers
    from offers
    group by series, price_month, provider
),

levels as (
    select
        series,
        price_month,
        median(usd_per_accelerator_hour) as level,
        min(usd_per_accelerator_hour) as level_low,
        max(usd_per_accelerator_hour) as level_high,
        count(*) as n_providers,
        cast(sum(n_offers) as bigint) as n_offers,
        string_agg(provider, ',' order by provider) as providers
    from sellers
    group by series, price_month
),

-- each month against the latest one before it with an offer in common
seen_in_both as (
    select
        now.series,
        now.price_month,
        earlier.price_month as matched_month,
        now.provider,
        now.usd_per_accelerator_hour / earlier.usd_per_accelerator_hour as ratio
    from offers as now
    inner join offers as earlier
        on now.series = earlier.series and now.provider = earlier.provider
        and now.what_is_sold = earlier.what_is_sold and earlier.price_month < now.price_month
    qualify earlier.price_month = max(earlier.price_month) over (partition by now.series, now.price_month)
),

ratios_of_sellers as (
    select series, price_month, matched_month, provider, median(ratio) as ratio, count(*) as n_matched
    from seen_in_both
    group by series, price_month, matched_month, provider
),

ratios as (
    select series, price_month, matched_month, median(ratio) as ratio, cast(sum(n_matched) as bigint) as n_matched
    from ratios_of_sellers
    group by series, price_month, matched_month
),

-- a month that follows none and is followed stands at 100
bases as (
    select distinct ratios.series, ratios.matched_month as price_month
    from ratios
    anti join ratios as earlier on ratios.series = earlier.series and ratios.matched_month = earlier.price_month
),

chain as (
    select series, price_month, price_month as base_month, cast(100 as double) as matched from bases
    union all
    select ratios.series, ratios.price_month, chain.base_month, chain.matched * ratios.ratio as matched
    from chain
    inner join ratios on chain.series = ratios.series and chain.price_month = ratios.matched_month
)

select
    levels.price_month,
    levels.series.accelerator_id,
    levels.series.segment,
    levels.series.pricing_model,
    chain.matched,
    chain.base_month,
    ratios.matched_month,
    coalesce(ratios.n_matched, 0) as n_matched,
    case when chain.matched is null then 'no offer of this month was seen in another month of the series' end as matched_reason,
    levels.level,
    levels.level_low,
    levels.level_high,
    case when levels.n_providers > 1 then 'spread of sellers' else 'one seller' end as uncertainty_basis,
    levels.n_offers,
    levels.n_providers,
    levels.providers,
    coalesce(
        levels.providers = lag(levels.providers) over (partition by levels.series order by levels.price_month), false
    ) as is_same_sellers
from levels
left join chain on levels.series = chain.series and levels.price_month = chain.price_month
left join ratios on levels.series = ratios.series and levels.price_month = ratios.price_month
