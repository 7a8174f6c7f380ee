-- One row per accelerator, seller and pricing model with a current comparable price.
with

-- a seller's offers that can be ranked stand for it, else its recent ones; where all are old or undated, those do
offers as (
    select
        prices.*,
        {{ unranked_reason('prices') }} as rank_reason,
        case when rank_reason is null then 1 when {{ old_price_reason('prices.price_standing') }} is null then 2 else 3 end as preference
    from {{ ref('int_price__current') }} as prices
    qualify preference = min(preference) over (partition by accelerator_id, provider, pricing_model)
),

sellers as (
    select
        offers.accelerator_id,
        offers.provider,
        any_value(offers.segment) as segment,
        offers.pricing_model,
        min(offers.usd_per_accelerator_hour) as usd_per_accelerator_hour_min,
        median(offers.usd_per_accelerator_hour) as usd_per_accelerator_hour_median,
        max(offers.usd_per_accelerator_hour) as usd_per_accelerator_hour_max,
        count(*) as n_offers,
        string_agg(distinct offers.country, ',' order by offers.country) as countries,
        max(offers.last_seen_at) as observed_at,
        min(offers.age_days) as age_days,
        case
            when count(distinct offers.observed_precision) = 1 then any_value(offers.observed_precision) else 'mixed'
        end as observed_precision,
        arg_min(offers.offer_id, (offers.usd_per_accelerator_hour, offers.offer_id)) as best_offer_id,
        arg_min(offers.instance_type, (offers.usd_per_accelerator_hour, offers.offer_id)) as best_instance_type,
        arg_min_null(offers.region, (offers.usd_per_accelerator_hour, offers.offer_id)) as best_region,
        arg_min(offers.source, (offers.usd_per_accelerator_hour, offers.offer_id)) as source,
        arg_min(offers.source_url, (offers.usd_per_accelerator_hour, offers.offer_id)) as best_source_url,
        any_value(offers.price_as_of) as price_as_of,
        arg_min(offers.days_before, (offers.usd_per_accelerator_hour, offers.offer_id)) as best_days_before,
        arg_min(offers.price_standing, (offers.usd_per_accelerator_hour, offers.offer_id)) as price_standing,
        arg_min_null(offers.rank_reason, (offers.usd_per_accelerator_hour, offers.offer_id)) as rank_reason,
        arg_min(offers.is_unusual, (offers.usd_per_accelerator_hour, offers.offer_id)) as is_unusual
    from offers
    group by offers.accelerator_id, offers.provider, offers.pricing_model
)

select
    *,
    case
        when rank_reason is null then row_number() over (
            partition by accelerator_id, pricing_model, rank_reason is null
            order by usd_per_accelerator_hour_min, best_offer_id
        )
    end as rank_of_accelerator
from sellers
