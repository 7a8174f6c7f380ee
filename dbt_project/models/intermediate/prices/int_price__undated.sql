-- One row per accelerator and pricing model with list prices whose day is not known: the price of the middle region, and the lowest and
-- highest of all regions and versions of the list.
select
    accelerator_id,
    pricing_model,
    quantile_disc(usd_per_accelerator_hour, 0.5) as usd_per_accelerator_hour,
    min(usd_lowest) as usd_lowest,
    max(usd_highest) as usd_highest,
    count(distinct provider) as n_sellers,
    format('list price of {} (the middle one of {} regions), day not known: after {}, before {}', string_agg(distinct provider, ', '),
        count(distinct region), max(not_before), max(not_after)) as rent_basis
from {{ ref('undated_prices') }}
group by accelerator_id, pricing_model
