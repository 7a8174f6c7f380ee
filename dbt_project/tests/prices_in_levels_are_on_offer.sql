{{ config(meta = {'dagster': {'ref': {'name': 'int_price__seller_prices'}}}) }}
-- depends_on: {{ ref('int_price__seller_prices') }}
with used as (
    select offers.*
    from {{ ref('int_price__seller_prices') }} as prices
    inner join {{ ref('fct_price_interval') }} as offers
        on prices.offer_id = offers.offer_id and cast(offers.valid_from as date) <= prices.as_of
        and prices.usd_per_accelerator_hour = offers.usd_per_accelerator_hour
    where prices.is_in_level
)

select distinct used.provider, used.accelerator_id, used.offer_id, used.is_available, used.source, spot.source as source_of_spot
from used
left join {{ ref('fct_price_interval') }} as spot
    on used.provider = spot.provider and used.accelerator_id = spot.accelerator_id and used.pricing_model = 'on_demand'
    and spot.pricing_model = 'spot' and spot.is_comparable and used.source <> spot.source
    and used.source_rank >= spot.source_rank
    and round(used.usd_per_accelerator_hour, 4) = round(spot.usd_per_accelerator_hour, 4)
    and spot.last_seen_at >= used.valid_from - interval {{ var('price_level_days') }} day
    and spot.valid_from <= used.last_seen_at + interval {{ var('price_level_days') }} day
where not coalesce(used.is_available, true) or spot.source is not null
