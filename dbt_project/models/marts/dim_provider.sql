with

providers as (select * from {{ ref('cloud_providers') }}),

offers as (select * from {{ ref('fct_price_interval') }})

select
    providers.provider,
    any_value(providers.name) as provider_name,
    any_value(providers.segment) as segment,
    any_value(providers.country) as country,
    any_value(providers.formerly) as formerly,
    any_value(providers.home_url) as home_url,
    count(distinct offers.offer_id) as n_offers,
    count(distinct offers.offer_id) filter (where offers.valid_to is null) as n_offers_in_force,
    max(offers.last_seen_at) as last_seen_at
from providers
left join offers using (provider)
group by providers.provider
