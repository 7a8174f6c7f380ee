{{ config(materialized = 'ephemeral') }}
-- Ephemeral: int_price__intervals keeps every row.
-- When each interval of a price began and ended, and why; with the offer as its first observation shows it.
with

joined as (select * from {{ ref('int_price__joined') }}),

polls as (select * from {{ ref('stg_prices__polls') }}),

streams as (
    select source, stream, max(poll) as last_poll, any_value(polls_to_close) as polls_to_close
    from polls
    group by source, stream
),

neighbours as (
    select
        joined.*,
        streams.polls_to_close,
        streams.last_poll as last_poll_of_stream,
        lead(joined.first_poll) over offer as next_first_poll
    from joined
    inner join streams using (source, stream)
    window offer as (partition by source, stream, offer_id order by joined.first_poll)
),

ended as (
    select
        *,
        case
            when polls_to_close > 0
                and coalesce(next_first_poll - 1, last_poll_of_stream) - last_poll >= polls_to_close then 'withdrawn'
            when next_first_poll is not null then 'price changed'
        end as ended_because
    from neighbours
),

-- the list in which it began, and the row of that list
evidence as (
    select source, source_rank, stream, offer_id, first_poll, payload_key, payload_sha256, row_in_payload
    from ({{ observed_prices(source('raw', 'price_offers'), source('raw', 'price_observations')) }}) as observed
),

-- whether it could be had in the list that showed it last
availability as (
    select source, stream, offer_id, last_poll, is_available
    from ({{ observed_prices(source('raw', 'price_offers'), source('raw', 'price_observations')) }}) as observed
    where is_available is not null
)

select
    ended.offer_id, ended.source, evidence.source_rank, ended.stream, ended.first_poll, ended.last_poll, ended.polls_to_close,
    began.polled_at as valid_from,
    case ended.ended_because
        when 'withdrawn' then missed.polled_at
        when 'price changed' then followed.polled_at
    end as valid_to,
    seen.polled_at as last_seen_at,
    ended.ended_because,
    ended.price, ended.upfront, ended.term_hours, ended.accelerator_count, availability.is_available,
    offers.* exclude (
        offers.offer_id, offers.source, offers.row_in_payload, offers.observed_at, offers.price, offers.upfront,
        offers.term_hours, offers.accelerator_count
    )
from ended
inner join evidence
    on ended.source = evidence.source and ended.stream = evidence.stream
    and ended.offer_id = evidence.offer_id and ended.first_poll = evidence.first_poll
left join availability
    on ended.source = availability.source and ended.stream = availability.stream
    and ended.offer_id = availability.offer_id and ended.last_poll = availability.last_poll
inner join {{ ref('stg_prices__offers') }} as offers
    on evidence.source = offers.source and evidence.payload_key = offers.payload_key
    and evidence.payload_sha256 = offers.payload_sha256 and evidence.row_in_payload = offers.row_in_payload
inner join polls as began
    on ended.source = began.source and ended.stream = began.stream and ended.first_poll = began.poll
inner join polls as seen on ended.source = seen.source and ended.stream = seen.stream and ended.last_poll = seen.poll
left join polls as missed
    on ended.source = missed.source and ended.stream = missed.stream and ended.last_poll + 1 = missed.poll
left join polls as followed
    on ended.source = followed.source and ended.stream = followed.stream and ended.next_first_poll = followed.poll
