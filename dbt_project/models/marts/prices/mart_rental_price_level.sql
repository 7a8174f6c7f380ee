-- One row per accelerator, pricing model and day of the level.
with

prices as (select * from {{ ref('int_price__seller_prices') }}),

reasoned as (
    select
        *,
        {{ no_estimate_reason('ln_margin', 'df') }} as reason,
        coalesce(reason, {{ no_estimate_reason('ln_relative_margin') }}) as relative_reason
    from {{ ref('int_price__level_fits') }}
    where kind = 'accelerator'
),

fits as (
    select * replace (
        {% for column in ['ln_level', 'ln_margin', 'n', 'others', 'far'] -%}
        case when reason is null then {{ column }} end as {{ column }},
        {% endfor -%}
        case when relative_reason is null then ln_relative end as ln_relative,
        case when relative_reason is null then ln_relative_margin end as ln_relative_margin
    )
    from reasoned
),

-- one vote a seller: its cheapest price
votes as (
    select
        as_of,
        pricing_model,
        accelerator_id,
        vote,
        min(prices.usd_per_accelerator_hour) as usd_per_accelerator_hour,
        arg_min(offer_id, (prices.usd_per_accelerator_hour, prices.offer_id)) as offer_id,
        arg_min(provider, (prices.usd_per_accelerator_hour, prices.offer_id)) as provider,
        sum(prices.n_offers) as n_offers,
        min(prices.days_before) as days_before,
        bool_or(is_in_level) as is_in_level
    from prices
    group by all
),

plain as (
    select
        as_of,
        pricing_model,
        accelerator_id,
        median(usd_per_accelerator_hour) as usd_median_plain,
        count(*) as n_sellers_plain,
        cast(sum(n_offers) as bigint) as n_offers,
        min(usd_per_accelerator_hour) as usd_cheapest,
        arg_min(provider, (usd_per_accelerator_hour, offer_id)) as cheapest_provider,
        arg_min(offer_id, (usd_per_accelerator_hour, offer_id)) as cheapest_offer_id,
        count(*) filter (is_in_level) as n_sellers_in_level,
        cast(max(days_before) filter (is_in_level) as bigint) as oldest_days_before
    from votes
    group by as_of, pricing_model, accelerator_id
),

-- how far the index of the accelerator moved from the month of the oldest price inside to that of the level
moved as (
    select
        plain.as_of,
        plain.pricing_model,
        plain.accelerator_id,
        100 * (exp(sum(months.ln_change)) - 1) as moved_pct
    from plain
    inner join {{ ref('int_price__index_months') }} as months using (accelerator_id, pricing_model)
    where months.base_month is not null
        and months.price_month > date_trunc('month', plain.as_of - cast(plain.oldest_days_before as integer))
        and months.price_month <= date_trunc('month', plain.as_of)
    group by plain.as_of, plain.pricing_model, plain.accelerator_id
)

select
    plain.accelerator_id,
    plain.pricing_model,
    cast(plain.as_of as date) as as_of,
    exp(fits.ln_level) as usd_per_accelerator_hour,
    exp(fits.ln_level - fits.ln_margin) as usd_per_accelerator_hour_low,
    exp(fits.ln_level + fits.ln_margin) as usd_per_accelerator_hour_high,
    exp(fits.ln_relative) as relative_to_h100,
    exp(fits.ln_relative - fits.ln_relative_margin) as relative_to_h100_low,
    exp(fits.ln_relative + fits.ln_relative_margin) as relative_to_h100_high,
    coalesce(fits.n, 0) as n_sellers,
    fits.others as sellers,
    plain.n_offers,
    fits.residual_spread,
    fits.df as degrees_of_freedom,
    fits.n_observations,
    fits.n_sellers as n_sellers_of_fit,
    coalesce(fits.n = 1, false) as rests_on_one_seller,
    fits.far as far_sellers,
    case
        when fits.ln_level is null then null
        when fits.ln_margin is null then 'prices in one proportion: no range'
        when fits.n = 1 then 'fit over sellers of several accelerators; one seller of this one'
        else 'fit over sellers of several accelerators'
    end as uncertainty_basis,
    case when fits.ln_level is not null then plain.oldest_days_before end as oldest_days_before,
    case when fits.ln_level is not null then moved.moved_pct end as moved_since_oldest_pct,
    coalesce(fits.ln_level is not null and abs(moved.moved_pct) > {{ var('price_level_moved_pct') }}, false) as is_moved_since_oldest,
    plain.usd_median_plain,
    plain.n_sellers_plain,
    plain.usd_cheapest,
    plain.cheapest_provider,
    plain.cheapest_offer_id,
    case
        when fits.key is not null then fits.reason
        when plain.pricing_model = 'marketplace' then 'a marketplace has no level: its median stands beside'
        when plain.n_sellers_in_level = 0
            then 'no seller with prices of its own was seen with it in the {{ var('price_level_days') }} days before'
        else 'no seller of it lists a second accelerator that links it to the others'
    end as reason
from plain
left join fits
    on plain.as_of = fits.as_of and plain.pricing_model = fits.pricing_model and plain.accelerator_id = fits.key
left join moved
    on plain.as_of = moved.as_of and plain.pricing_model = moved.pricing_model and plain.accelerator_id = moved.accelerator_id
