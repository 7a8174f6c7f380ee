-- What enters the fit of a day: one price a seller and accelerator, seen lately. Sellers that sell on another's machines
-- repeat that one's prices, and marketplaces are another trade. Accelerators with HBM have a fit of their own.
with

prices as (select * from {{ ref('int_price__seller_prices') }}),

sellers as (select * from {{ ref('stg_reference__cloud_providers') }}),

specs as (select * from {{ ref('stg_reference__accelerator_specs') }})

select
    prices.pricing_model,
    case when specs.memory_type like 'HBM%' then 'hbm' else 'other' end as memory_group,
    prices.as_of,
    prices.accelerator_id,
    prices.provider,
    sellers.segment,
    prices.usd_per_accelerator_hour,
    prices.offer_id
from prices
inner join sellers using (provider)
left join specs using (accelerator_id)
where prices.days_before <= {{ var('price_level_days') }}
    and sellers.segment in ('hyperscaler', 'neocloud')
    and sellers.resells is null
order by all
