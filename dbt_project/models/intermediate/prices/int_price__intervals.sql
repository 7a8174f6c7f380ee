-- One row per offer and stretch of time in which its price stayed the same. A change that the seller announced for a day
-- holds from that day, though a list with it was seen later: its interval begins then, and the one before it ends. So does an
-- announced price of a list that was still seen on its day. Models behind it hold what they find out under the number of the
-- interval: its texts are written here and in fct_price_interval alone.
with

noted as (
    select
        *,
        try_cast(regexp_extract(purchase_option, '(?:^|, )announced, from ([0-9-]{10})$', 1) as timestamp) at time zone 'UTC'
            as announced_for,
        nullif(regexp_replace(purchase_option, '(^|, )announced, from [0-9-]{10}$', ''), '') as option_itself
    from {{ ref('int_price__dated') }}
),

begun as (
    select
        source, stream, provider_published, instance_type, region, pricing_model, option_itself, operating_system, variant,
        price_unit, currency, last_seen_at, max(announced_for) as begun_at
    from noted
    where announced_for <= last_seen_at
    group by all
),

intervals as (
    select
        noted.* exclude (noted.announced_for, noted.option_itself) replace (
            case when noted.announced_for = begun.begun_at then noted.option_itself else noted.purchase_option end
                as purchase_option,
            case when noted.announced_for = begun.begun_at then greatest(noted.valid_from, begun.begun_at) else noted.valid_from end
                as valid_from,
            case when noted.announced_for is null then least(noted.valid_to, begun.begun_at) else noted.valid_to end as valid_to
        )
    from noted
    left join begun
        on noted.source = begun.source and noted.stream = begun.stream
        and noted.provider_published = begun.provider_published and noted.instance_type = begun.instance_type
        and noted.region is not distinct from begun.region and noted.pricing_model = begun.pricing_model
        and noted.option_itself is not distinct from begun.option_itself
        and noted.operating_system = begun.operating_system and noted.variant is not distinct from begun.variant
        and noted.price_unit = begun.price_unit and noted.currency = begun.currency
        and noted.last_seen_at = begun.last_seen_at
),

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
    intervals.* exclude (
        intervals.valid_from, intervals.valid_to
    ),
    {{ hourly_price('intervals.price', 'intervals.upfront', 'intervals.term_hours') }} as hourly_price,
    coalesce(own.effective_from, intervals.valid_from) as valid_from,
    case
        when intervals.ended_because = 'price changed' then coalesce(followed.effective_from, intervals.valid_to)
        else intervals.valid_to
    end as valid_to,
    intervals.last_poll > intervals.first_poll as is_seen_again,
    row_number() over (order by intervals.source, intervals.stream, intervals.offer_id, intervals.first_poll) as interval_number
from intervals
left join announced as own
    on intervals.source = own.source and intervals.stream = own.stream and intervals.offer_id = own.offer_id
    and intervals.valid_from = own.seen_from
left join announced as followed
    on intervals.source = followed.source and intervals.stream = followed.stream and intervals.offer_id = followed.offer_id
    and intervals.valid_to = followed.seen_from
