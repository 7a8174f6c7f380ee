{{ config(meta = {'dagster': {'ref': {'name': 'mart_price_current'}}}) }}
-- depends_on: {{ ref('mart_price_current') }}
select
    prices.accelerator_id,
    prices.provider,
    prices.pricing_model,
    prices.rank_reason,
    prices.best_days_before,
    prices.price_standing
from {{ ref('mart_price_current') }} as prices
inner join {{ ref('dim_provider') }} as sellers using (provider)
inner join {{ ref('int_price__current') }} as offers on prices.best_offer_id = offers.offer_id
where not coalesce(
    case
        when prices.rank_reason is null
            then prices.best_days_before <= {{ var('price_level_days') }}
                and prices.price_standing in ('current', 'recent')
                and sellers.resells is null
                and (sellers.segment in ('hyperscaler', 'neocloud') or prices.pricing_model = 'marketplace')
        when contains(prices.rank_reason, 'day of the price') then prices.price_standing = 'undated'
        when contains(prices.rank_reason, 'more than {{ var('price_recent_days') }} days') then prices.price_standing = 'old'
        when contains(prices.rank_reason, 'more than {{ var('price_level_days') }} days')
            then prices.best_days_before > {{ var('price_level_days') }} and prices.price_standing = 'recent'
        when starts_with(prices.rank_reason, 'sells machines of') then sellers.resells is not null
        when starts_with(prices.rank_reason, 'a marketplace') then sellers.segment = 'marketplace' and prices.pricing_model <> 'marketplace'
        when starts_with(prices.rank_reason, 'machines of private hosts') then offers.variant ilike 'community%'
    end, false
)
