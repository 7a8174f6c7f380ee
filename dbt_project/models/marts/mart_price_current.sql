with

offers as (select * from {{ ref('int_price__current') }})

select
    offers.accelerator_id,
    offers.provider,
    any_value(offers.segment) as segment,
    offers.pricing_model,
    min(offers.usd_per_accelerator_hour) as usd_per_accelerator_hour_min,
    median(offers.usd_per_accelerator_hour) as usd_per_accelerator_hour_median,
    max(offers.usd_per_accelerator_hour) as usd_per_accelerator_hour_max,
    count(*) as n_offers,
    count(distinct offers.region) as n_regions,
    string_agg(distinct offers.country, ',' order by offers.country) as countries,
    max(offers.last_seen_at) as observed_at,
    min(offers.age_days) as age_days,
    case
        when count(distinct offers.observed_precision) = 1 then any_value(offers.observed_precision) else 'mixed'
    end as observed_precision,
    arg_min(offers.offer_id, (offers.usd_per_accelerator_hour, offers.offer_id)) as best_offer_id,
    arg_min(offers.instance_type, (offers.usd_per_accelerator_hour, offers.offer_id)) as best_instance_type,
    arg_min(coalesce(offers.region, ''), (offers.usd_per_accelerator_hour, offers.offer_id)) as best_region,
    any_value(offers.source) as source,
    arg_min(offers.source_url, (offers.usd_per_accelerator_hour, offers.offer_id)) as best_source_url
from offers
group by offers.accelerator_id, offers.provider, offers.pricing_model
