{{ config(materialized = 'ephemeral') }}
-- Ephemeral: int_price__offers keeps every row.
-- One row per offer and stretch of time in which its price stayed the same. A change that the seller announced for a day
-- holds from that day, though a list with it was seen later: its interval begins then, and the one before it ends.
with

intervals as (select * from {{ ref('stg_prices__intervals') }}),

announced as (
    select
        intervals.source,
        intervals.stream,
        intervals.offer_id,
        intervals.valid_from as seen_from,
        min(cast(seed.effective_on as timestamp) at time zone 'UTC') as effective_from
    from intervals
    inner join {{ ref('price_effective_dates') }} as seed
        on intervals.provider_published = seed.provider_published
        and intervals.instance_type = seed.instance_type
        and intervals.region = seed.region
        and intervals.pricing_model = seed.pricing_model
        and intervals.price = seed.price
    where intervals.valid_from between seed.effective_on and seed.effective_on + interval 60 day
    group by all
)

select
    intervals.* exclude (valid_from, valid_to, price_before, upfront_before, term_hours_before),
    {{ hourly_price('intervals.price', 'intervals.upfront', 'intervals.term_hours') }} as hourly_price,
    {{ hourly_price('intervals.price_before', 'intervals.upfront_before', 'intervals.term_hours_before') }}
        as hourly_price_before,
    coalesce(own.effective_from, intervals.valid_from) as valid_from,
    case
        when intervals.ended_because = 'price changed' then coalesce(next.effective_from, intervals.valid_to)
        else intervals.valid_to
    end as valid_to,
    intervals.last_poll > intervals.first_poll as is_seen_again
from intervals
left join announced as own
    on intervals.source = own.source and intervals.stream = own.stream and intervals.offer_id = own.offer_id
    and intervals.valid_from = own.seen_from
left join announced as next
    on intervals.source = next.source and intervals.stream = next.stream and intervals.offer_id = next.offer_id
    and intervals.valid_to = next.seen_from
