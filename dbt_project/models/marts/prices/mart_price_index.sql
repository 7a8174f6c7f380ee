-- Chained matched prices, with their range, the time-product dummy beside them and the sellers that moved the month.
with

months as (select * from {{ ref('int_price__index_months') }}),

-- sums from the base on, and before it backwards
chained as (
    select
        *,
        sum(ln_change) over to_month - coalesce(sum(ln_change) filter (price_month <= base_month) over of_chain, 0) as ln_index
    from months
    window
        to_month as (partition by accelerator_id, pricing_model, chain_from order by price_month),
        of_chain as (partition by accelerator_id, pricing_model, chain_from)
),

replicates as (select * from {{ ref('int_price__index_replicates') }}),

ranges as (
    select accelerator_id, pricing_model, price_month, count(*) as n_sellers, {{ jackknife_margin('ln_index') }} as ln_margin
    from replicates
    where abs(ln_index - ln_index_of_all) > 1e-9
    group by accelerator_id, pricing_model, price_month
),

-- ranges of changes over some months
spans as (select unnest([1, 3, 12]) as months),

span_ranges as (
    select
        newer.accelerator_id,
        newer.pricing_model,
        newer.price_month,
        spans.months,
        count(*) as n_sellers,
        {{ jackknife_margin('(newer.ln_index - older.ln_index)') }} as ln_margin
    from replicates as newer
    cross join spans
    inner join replicates as older
        on newer.accelerator_id = older.accelerator_id and newer.pricing_model = older.pricing_model and newer.seller = older.seller
        and older.price_month = newer.price_month - to_months(spans.months)
        and abs(newer.ln_index - older.ln_index - newer.ln_index_of_all + older.ln_index_of_all) > 1e-9
    group by newer.accelerator_id, newer.pricing_model, newer.price_month, spans.months
),

offers as (
    select accelerator_id, pricing_model, price_month, count(*) as n_offers
    from {{ ref('int_price__monthly') }}
    group by accelerator_id, pricing_model, price_month
),

reasoned as (
    select
        chained.*,
        coalesce(offers.n_offers, 0) as n_offers,
        ranges.n_sellers as n_sellers_of_range,
        case when ranges.ln_margin > 1e-9 then ranges.ln_margin end as ln_margin,
        case
            when chained.base_month is null
                then format(
                    '{} of the {} months needed have {} matched sellers',
                    chained.n_months, {{ var('price_index_months') }}, {{ var('price_index_sellers') }}
                )
            when offers.n_offers is null then 'no offer was seen in this month'
            when {{ is_range_too_wide('ranges.ln_margin') }}
                then 'too uncertain: the high end of the range is more than {{ var("price_range_factor") }} times the low end'
        end as reason
    from chained
    left join ranges using (accelerator_id, pricing_model, price_month)
    left join offers using (accelerator_id, pricing_model, price_month)
),

-- changes from so many months before, both ends in one chain
changes as (
    select
        newer.accelerator_id,
        newer.pricing_model,
        newer.price_month,
        spans.months,
        newer.ln_index - older.ln_index as ln_change,
        span_ranges.ln_margin,
        span_ranges.n_sellers
    from reasoned as newer
    cross join spans
    inner join reasoned as older
        on newer.accelerator_id = older.accelerator_id and newer.pricing_model = older.pricing_model
        and newer.chain_from = older.chain_from and older.price_month = newer.price_month - to_months(spans.months)
    left join span_ranges
        on newer.accelerator_id = span_ranges.accelerator_id and newer.pricing_model = span_ranges.pricing_model
        and newer.price_month = span_ranges.price_month and spans.months = span_ranges.months
    where newer.reason is null and older.reason is null
),

-- the newest price level, carried back along the chain of the newest month
levels as (
    select * from {{ ref('mart_rental_price_level') }}
    qualify as_of = max(as_of) over (partition by pricing_model)
),

anchors as (
    select
        accelerator_id, pricing_model, max(chain_from) as chain_from, arg_max(ln_index, price_month) as ln_index,
        max(price_month) as price_month
    from chained
    where base_month is not null
    group by accelerator_id, pricing_model
)

select
    reasoned.accelerator_id,
    reasoned.pricing_model,
    reasoned.price_month as month,
    case when reasoned.reason is null then 100 * exp(reasoned.ln_index) end as index,
    case when reasoned.reason is null then 100 * exp(reasoned.ln_index - reasoned.ln_margin) end as low,
    case when reasoned.reason is null then 100 * exp(reasoned.ln_index + reasoned.ln_margin) end as high,
    case
        when reasoned.reason is not null then null
        when reasoned.price_month = reasoned.base_month then 'base month'
        when reasoned.ln_margin is not null then 'jackknife over sellers'
        when reasoned.n_sellers_of_range < {{ var('price_range_sellers') }}
            then 'fewer than {{ var("price_range_sellers") }} sellers moved it: no range'
        else 'all sellers moved alike'
    end as uncertainty_basis,
    reasoned.base_month,
    100 * (exp(monthly.ln_change) - 1) as change_1m_pct,
    100 * (exp(monthly.ln_change - monthly.ln_margin) - 1) as change_1m_pct_low,
    100 * (exp(monthly.ln_change + monthly.ln_margin) - 1) as change_1m_pct_high,
    100 * (exp(quarterly.ln_change) - 1) as change_3m_pct,
    100 * (exp(quarterly.ln_change - quarterly.ln_margin) - 1) as change_3m_pct_low,
    100 * (exp(quarterly.ln_change + quarterly.ln_margin) - 1) as change_3m_pct_high,
    100 * (exp(yearly.ln_change) - 1) as change_12m_pct,
    100 * (exp(yearly.ln_change - yearly.ln_margin) - 1) as change_12m_pct_low,
    100 * (exp(yearly.ln_change + yearly.ln_margin) - 1) as change_12m_pct_high,
    yearly.n_sellers as change_12m_n_sellers,
    reasoned.n_sellers,
    reasoned.n_matched,
    reasoned.n_offers,
    reasoned.n_sellers < {{ var('price_index_sellers') }} as is_marked,
    reasoned.moved_by,
    100 * exp(checks.ln_check) as tpd_check,
    case when reasoned.reason is null then levels.usd_per_accelerator_hour * exp(reasoned.ln_index - anchors.ln_index) end as usd_level,
    reasoned.reason
from reasoned
left join changes as monthly
    on reasoned.accelerator_id = monthly.accelerator_id and reasoned.pricing_model = monthly.pricing_model
    and reasoned.price_month = monthly.price_month and monthly.months = 1
left join changes as quarterly
    on reasoned.accelerator_id = quarterly.accelerator_id and reasoned.pricing_model = quarterly.pricing_model
    and reasoned.price_month = quarterly.price_month and quarterly.months = 3
left join changes as yearly
    on reasoned.accelerator_id = yearly.accelerator_id and reasoned.pricing_model = yearly.pricing_model
    and reasoned.price_month = yearly.price_month and yearly.months = 12
left join anchors
    on reasoned.accelerator_id = anchors.accelerator_id and reasoned.pricing_model = anchors.pricing_model
    and reasoned.chain_from = anchors.chain_from and reasoned.base_month is not null
left join levels
    on anchors.accelerator_id = levels.accelerator_id and anchors.pricing_model = levels.pricing_model
    and anchors.price_month = date_trunc('month', levels.as_of)
left join {{ ref('int_price__index_check') }} as checks
    on reasoned.accelerator_id = checks.accelerator_id and reasoned.pricing_model = checks.pricing_model
    and reasoned.price_month = checks.price_month
