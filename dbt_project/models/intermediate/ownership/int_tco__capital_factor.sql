-- How much more a buyer of servers pays than a large cloud: one row, the geometric mean over purchases of (all-in price ÷ newest capital
-- implied by a hyperscaler's rate), with the lowest and the highest. Purchases of the last 18 months where there are three; otherwise
-- the newest of every accelerator, however old. An order of several accelerators is one purchase: all that was paid ÷ all that is implied.
with

implied as (
    select accelerator_id, all_in_capex_usd, price_level
    from {{ ref('int_tco__capex') }}
    where capex_basis = 'implied_by_rate'
    qualify row_number() over (partition by accelerator_id order by price_level desc) = 1
),

paid as (
    select
        purchase_id,
        accelerator_id,
        median(all_in_capex_usd) as all_in_capex_usd,
        max(accelerators) as accelerators,
        max(last_seen_on) as last_seen_on,
        bool_or(is_old) as is_old,
        min(source_url) as source_url
    from {{ ref('int_tco__purchases') }}
    where is_value
    group by purchase_id, accelerator_id
),

ratios as (
    select
        paid.purchase_id,
        sum(paid.accelerators * paid.all_in_capex_usd) / sum(paid.accelerators * implied.all_in_capex_usd) as ratio,
        max(implied.price_level) as price_level,
        max(paid.last_seen_on) as last_seen_on,
        bool_or(paid.is_old) as is_old,
        min(paid.source_url) as source_url,
        string_agg(paid.accelerator_id, ' with ' order by paid.accelerator_id) as accelerators
    from paid
    left join implied using (accelerator_id)
    group by paid.purchase_id
    having bool_and(implied.all_in_capex_usd > 0)
),

used as (
    select
        *,
        count(*) filter (not is_old) over () < {{ var('capital_factor_purchases_min') }} as is_of_old_purchases
    from ratios
    qualify not is_old or is_of_old_purchases
),

factors as (
    select
        exp(avg(ln(ratio))) as capital_factor,
        min(ratio) as capital_factor_low,
        max(ratio) as capital_factor_high,
        count(*) as capital_factor_purchases,
        min(last_seen_on) as oldest_purchase_on,
        max(last_seen_on) as newest_purchase_on,
        bool_or(is_of_old_purchases) as is_of_old_purchases,
        max_by(source_url, (last_seen_on, purchase_id)) as source_url,
        string_agg(printf('%s %.2f (%s)', accelerators, ratio, strftime(last_seen_on, '%Y-%m')), ', ' order by last_seen_on desc, purchase_id asc)
            as purchases,
        list({'purchase_id': purchase_id, 'ratio': ratio, 'last_seen_on': last_seen_on} order by purchase_id) as purchase_ratios
    from used
    having count(*) > 0
)

select
    *,
    printf(
        '%.2g (%.2g to %.2g; %d purchases of %s to %s%s%s)', capital_factor, capital_factor_low, capital_factor_high,
        capital_factor_purchases, strftime(oldest_purchase_on, '%Y-%m'), strftime(newest_purchase_on, '%Y-%m'),
        case when capital_factor_purchases < 10 then ', weak' else '' end,
        case when is_of_old_purchases then ', some older than 18 months: fewer than three are newer' else '' end
    ) as capital_factor_note
from factors
