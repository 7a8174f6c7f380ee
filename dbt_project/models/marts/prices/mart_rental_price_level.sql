-- One row per accelerator, pricing model and day of the level. On demand the level is that of the fit. Under a term it is the level on
-- demand times the discount of the term at the sellers that publish both: a median over whichever sellers publish a term would compare
-- sellers.
with

prices as (select * from {{ ref('int_price__seller_prices') }}),

-- one vote a seller: its cheapest price
votes as (
    select
        as_of,
        pricing_model,
        accelerator_id,
        vote,
        any_value(memory_group) as memory_group,
        min(prices.usd_per_accelerator_hour) as usd_per_accelerator_hour,
        min(usd_lowest) filter (is_in_level) as usd_counted,
        arg_min(lowest_offer_id, (usd_lowest, lowest_offer_id)) filter (is_in_level) as offer_id,
        arg_min(provider, (usd_lowest, lowest_offer_id)) filter (is_in_level) as provider,
        sum(prices.n_offers) as n_offers,
        min(prices.days_before) as days_before,
        bool_or(is_in_level) as is_in_level
    from prices
    group by as_of, pricing_model, accelerator_id, vote
),

plain as (
    select
        as_of,
        pricing_model,
        accelerator_id,
        any_value(memory_group) as memory_group,
        median(usd_per_accelerator_hour) as usd_median_plain,
        count(*) as n_sellers_plain,
        cast(sum(n_offers) as bigint) as n_offers,
        min(usd_counted) as usd_cheapest,
        arg_min(provider, (usd_counted, offer_id)) as cheapest_provider,
        arg_min(offer_id, (usd_counted, offer_id)) as cheapest_offer_id,
        count(*) filter (is_in_level) as n_sellers_in_level,
        cast(max(days_before) filter (is_in_level) as bigint) as oldest_days_before
    from votes
    group by as_of, pricing_model, accelerator_id
),

-- how far the index of the accelerator moved from the month of the oldest price inside to that of the level
moved as (
    select plain.as_of, plain.accelerator_id, 100 * (exp(sum(months.ln_change)) - 1) as moved_pct
    from plain
    inner join {{ ref('int_price__index_months') }} as months using (accelerator_id, pricing_model)
    where plain.pricing_model = 'on_demand'
        and months.base_month is not null
        and months.price_month > date_trunc('month', plain.as_of - cast(plain.oldest_days_before as integer))
        and months.price_month <= date_trunc('month', plain.as_of)
    group by plain.as_of, plain.accelerator_id
),

{% set fitted = [
    'n', 'other_names', 'ln_level', 'ln_margin', 'ln_seller_margin', 'ln_relative', 'ln_relative_margin', 'residual_spread', 'df',
    'n_observations', 'n_sellers', 'far'
] -%}
fits as (
    select as_of, key as accelerator_id, {{ fitted | join(', ') }}
    from {{ ref('int_price__level_fits') }}
    where kind = 'accelerator'
),

on_demand as (
    select
        plain.*,
        {% for column in fitted -%}
        fits.{{ column }},
        {% endfor -%}
        moved.moved_pct,
        case
            when plain.n_sellers_in_level = 0 then 'no_recent_price'
            when plain.n_sellers_in_level = 1 then 'one_seller'
            when plain.as_of not in (select fitted.as_of from fits as fitted) then 'no_fit'
            when coalesce(fits.n, 0) < 2 then 'sellers_not_linked'
            when fits.df < {{ var('price_level_degrees') }} then 'few_degrees'
            when {{ is_range_too_wide('fits.ln_margin') }} then 'too_uncertain'
        end as reason_code
    from plain
    left join fits on plain.as_of = fits.as_of and plain.accelerator_id = fits.accelerator_id
    left join moved on plain.as_of = moved.as_of and plain.accelerator_id = moved.accelerator_id
    where plain.pricing_model = 'on_demand'
),

days as (select distinct as_of as on_demand_on from on_demand),

discounts as (
    select discounts.*, days.on_demand_on
    from {{ ref('int_price__term_discounts') }} as discounts
    asof inner join days on discounts.as_of >= days.on_demand_on
    where discounts.n_sellers > 1
),

-- under a term: what is published, and every accelerator with HBM that has a level on demand
under_terms as (
    select as_of, pricing_model, accelerator_id from plain where pricing_model <> 'on_demand'
    union
    select discounts.as_of, discounts.pricing_model, on_demand.accelerator_id
    from discounts
    inner join on_demand on discounts.on_demand_on = on_demand.as_of
    where on_demand.memory_group = 'hbm' and on_demand.reason_code is null
),

dated as (
    select under_terms.*, days.on_demand_on
    from under_terms
    asof left join days on under_terms.as_of >= days.on_demand_on
),

{% set offered = ['n_offers', 'usd_median_plain', 'n_sellers_plain', 'usd_cheapest', 'cheapest_provider', 'cheapest_offer_id'] -%}
terms as (
    select
        dated.as_of,
        dated.pricing_model,
        dated.accelerator_id,
        {% for column in offered -%}
        plain.{{ column }},
        {% endfor -%}
        {% for column in fitted if column not in ('n', 'other_names', 'ln_level', 'ln_seller_margin') -%}
        on_demand.{{ column }},
        {% endfor -%}
        on_demand.oldest_days_before,
        on_demand.moved_pct,
        on_demand.ln_level + discounts.ln_discount as ln_level,
        {% for bound in ['', '_low', '_high'] -%}
        discounts.ln_discount{{ bound }},
        {% endfor -%}
        discounts.n_neoclouds,
        discounts.n_sellers as n,
        discounts.sellers as other_names,
        case
            when dated.pricing_model = 'marketplace' then 'marketplace'
            when coalesce(on_demand.memory_group, plain.memory_group) <> 'hbm' then 'not_hbm'
            when discounts.ln_discount is null then 'few_sellers_of_term'
            when on_demand.accelerator_id is null then 'no_recent_price'
            else on_demand.reason_code
        end as reason_code
    from dated
    left join plain
        on dated.as_of = plain.as_of and dated.pricing_model = plain.pricing_model and dated.accelerator_id = plain.accelerator_id
    left join discounts on dated.as_of = discounts.as_of and dated.pricing_model = discounts.pricing_model
    left join on_demand on dated.on_demand_on = on_demand.as_of and dated.accelerator_id = on_demand.accelerator_id
),

all_models as (
    select * from on_demand
    union all by name
    select * from terms
),

levels as (
    select
        *,
        reason_code is null as has_level,
        reason_code in ('marketplace', 'not_hbm', 'few_sellers_of_term') as is_about_term,
        reason_code is null and not coalesce({{ is_range_too_wide('ln_relative_margin') }}, false) as is_related
    from all_models
)

select
    accelerator_id,
    pricing_model,
    cast(as_of as date) as as_of,
    case when has_level then exp(ln_level) end as usd_per_accelerator_hour,
    {% for bound, sign in [('_low', '-'), ('_high', '+')] -%}
    case
        when has_level then exp(ln_level {{ sign }} sqrt(pow(ln_margin, 2) + pow(coalesce(ln_discount - ln_discount{{ bound }}, 0), 2)))
    end as usd_per_accelerator_hour{{ bound }},
    {% endfor -%}
    case when has_level then exp(ln_level - ln_seller_margin) end as seller_price_low,
    case when has_level then exp(ln_level + ln_seller_margin) end as seller_price_high,
    {% for bound in ['', '_low', '_high'] -%}
    case when has_level then exp(ln_discount{{ bound }}) end as discount{{ bound }},
    {% endfor -%}
    case when is_related then exp(ln_relative) end as relative_to_h100,
    case when is_related then exp(ln_relative - ln_relative_margin) end as relative_to_h100_low,
    case when is_related then exp(ln_relative + ln_relative_margin) end as relative_to_h100_high,
    case when has_level then n else 0 end as n_sellers,
    case when has_level then other_names end as sellers,
    coalesce(n_offers, 0) as n_offers,
    residual_spread,
    df as degrees_of_freedom,
    n_observations,
    n_sellers as n_sellers_of_fit,
    has_level and n <= {{ var('price_level_few_sellers') }} as rests_on_few_sellers,
    case when has_level then far end as far_sellers,
    case
        when not has_level then null
        when ln_discount is not null then format(
            'level on demand × discount of {}; {}',
            case n - n_neoclouds when 1 then 'one hyperscaler' else (n - n_neoclouds) || ' hyperscalers' end,
            case n_neoclouds when 0 then 'no neocloud publishes it' when 1 then 'one neocloud' else n_neoclouds || ' neoclouds' end
        )
        when ln_margin is null then 'prices in one proportion: no range'
        else 'fit over sellers of several accelerators'
    end as uncertainty_basis,
    case when has_level then oldest_days_before end as oldest_days_before,
    case when has_level then moved_pct end as moved_since_oldest_pct,
    coalesce(has_level and abs(moved_pct) > {{ var('price_level_moved_pct') }}, false) as is_moved_since_oldest,
    case when ln_discount is null or not has_level then usd_median_plain end as usd_median_plain,
    case when ln_discount is null or not has_level then n_sellers_plain end as n_sellers_plain,
    usd_cheapest,
    cheapest_provider,
    cheapest_offer_id,
    reason_code,
    case when pricing_model <> 'on_demand' and not is_about_term then 'no level on demand: ' else '' end
    || {{ price_level_reason('reason_code') }} as reason
from levels
