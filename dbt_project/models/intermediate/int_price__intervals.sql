-- One row per offer and stretch of time in which its price stayed the same. An interval ends when another price is
-- seen, or with the first of so many polls in a row in which the offer is missing.
with

runs as (select * from {{ ref('int_price__runs') }}),

polls as (select * from {{ ref('int_price__polls') }}),

last_polls as (select source, stream, max(poll) as stream_last_poll from polls group by source, stream),

runs_folded as (
    {{ folded_price_runs('runs') }}
),

-- a change that the seller announced for a day holds from that day, though a list with it was seen later
folded as (
    select
        runs_folded.* exclude (first_seen_at),
        case
            when runs_folded.first_seen_at between seed.effective_on and seed.effective_on + interval 60 day
                then cast(seed.effective_on as timestamp) at time zone 'UTC'
            else runs_folded.first_seen_at
        end as first_seen_at
    from runs_folded
    left join {{ ref('price_effective_dates') }} as seed
        on runs_folded.provider_published = seed.provider_published
        and runs_folded.instance_type = seed.instance_type
        and runs_folded.region = seed.region
        and runs_folded.pricing_model = seed.pricing_model
        and runs_folded.price = seed.price
),

neighbours as (
    select
        folded.* exclude (last_seen_at),
        {{ hourly_price('folded.price', 'folded.upfront', 'folded.term_hours') }} as hourly_price,
        lead(folded.first_poll) over offer as next_first_poll,
        lead(folded.first_seen_at) over offer as next_first_seen_at,
        lag({{ hourly_price('folded.price', 'folded.upfront', 'folded.term_hours') }}) over offer as hourly_price_before,
        last_polls.stream_last_poll
    from folded
    inner join last_polls using (source, stream)
    window offer as (partition by folded.stream, folded.offer_id order by folded.first_poll)
),

ended as (
    select
        *,
        case
            when polls_to_close > 0
                and coalesce(next_first_poll - 1, stream_last_poll) - last_poll >= polls_to_close then 'withdrawn'
            when next_first_poll is not null then 'price changed'
        end as ended_because
    from neighbours
)

select
    ended.* exclude (month, next_first_poll, next_first_seen_at, stream_last_poll, first_seen_at),
    ended.first_seen_at as valid_from,
    case ended.ended_because
        when 'withdrawn' then missing.polled_at
        when 'price changed' then ended.next_first_seen_at
    end as valid_to,
    seen.polled_at as last_seen_at,
    ended.last_poll > ended.first_poll as is_seen_again
from ended
inner join polls as seen
    on ended.source = seen.source and ended.stream = seen.stream and ended.last_poll = seen.poll
left join polls as missing
    on ended.source = missing.source and ended.stream = missing.stream and ended.last_poll + 1 = missing.poll
