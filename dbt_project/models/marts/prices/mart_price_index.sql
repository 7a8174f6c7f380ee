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

ranges as (
    select
        accelerator_id,
        pricing_model,
        price_month,
        count(*) as n_sellers,
        -- Student's t that 97.5 % lie below, by degrees of freedom; null below one. Beyond 20 by its expansion, within
        -- 0.1 %.
        case
            when count(*) - 1 <= 20 then [
                12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086
            ][count(*) - 1]
            else 1.960 + 2.372 / (count(*) - 1) + 2.823 / ((count(*) - 1) * (count(*) - 1))
        end * sqrt((count(*) - 1) * var_pop(ln_index)) as ln_margin
    from {{ ref('int_price__index_replicates') }}
    where is_moved
    group by accelerator_id, pricing_model, price_month
),

reasoned as (
    select
        chained.*,
        ranges.n_sellers as n_sellers_of_range,
        case when ranges.ln_margin > 1e-9 then ranges.ln_margin end as ln_margin,
        case
            when chained.base_month is null
                then format(
                    '{} of the {} months needed have {} matched sellers',
                    chained.n_months, {{ var('price_index_months') }}, {{ var('price_index_sellers') }}
                )
            when {{ is_range_too_wide('ranges.ln_margin') }}
                then 'too uncertain: the high end of the range is more than {{ var("price_range_factor") }} times the low end'
        end as reason
    from chained
    left join ranges using (accelerator_id, pricing_model, price_month)
),

offers as (
    select accelerator_id, pricing_model, price_month, count(*) as n_offers
    from {{ ref('int_price__monthly') }}
    group by accelerator_id, pricing_model, price_month
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
        when reasoned.n_sellers_of_range = 1 then 'one seller'
        when reasoned.ln_margin is not null then 'jackknife over sellers'
        else 'all sellers moved alike'
    end as uncertainty_basis,
    reasoned.base_month,
    reasoned.n_sellers,
    reasoned.n_matched,
    coalesce(offers.n_offers, 0) as n_offers,
    reasoned.n_sellers < {{ var('price_index_sellers') }} as is_marked,
    reasoned.moved_by,
    100 * exp(checks.ln_check) as tpd_check,
    case when reasoned.reason is null then levels.usd_per_accelerator_hour * exp(reasoned.ln_index - anchors.ln_index) end as usd_level,
    reasoned.reason
from reasoned
left join offers using (accelerator_id, pricing_model, price_month)
left join anchors
    on reasoned.accelerator_id = anchors.accelerator_id and reasoned.pricing_model = anchors.pricing_model
    and reasoned.chain_from = anchors.chain_from and reasoned.base_month is not null
left join levels
    on anchors.accelerator_id = levels.accelerator_id and anchors.pricing_model = levels.pricing_model
    and anchors.price_month = date_trunc('month', levels.as_of)
left join {{ ref('int_price__index_check') }} as checks using (accelerator_id, pricing_model, price_month)
