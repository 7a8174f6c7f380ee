{{ config(materialized = 'ephemeral') }}
-- Ephemeral: it is as large as the lists themselves.
-- Each price of an offer in the polls in which one list showed it. An offer has one price in a poll: of a list that dates its rows, an
-- undated row replaces a dated one, and a later list replaces an earlier one.
{% set terms = offer_terms() %}
with

offers as (select * from {{ ref('stg_prices__offers') }}),

observations as (select * from {{ ref('stg_prices__observations') }}),

paired as (
    select
        observations.source, observations.stream, offers.offer_id, {{ terms }},
        observations.first_poll, observations.last_poll, observations.observation, observations.has_dated_rows,
        offers.observed_at as row_dated_to, offers.row_in_payload
    from offers
    inner join observations using (source, payload_key, payload_sha256)
    where case
        when observations.is_dated then offers.observed_at = observations.observed_at
        when observations.has_dated_rows then offers.observed_at is null or offers.observed_at <= observations.observed_at
        else true
    end
)

select source, stream, offer_id, {{ terms }}, first_poll, last_poll, observation, row_in_payload
from paired
where not has_dated_rows

union all

select source, stream, offer_id, {{ terms }}, first_poll, last_poll, observation, row_in_payload
from paired
where has_dated_rows
qualify row_number() over (
    partition by source, stream, offer_id, first_poll
    order by observation desc, row_dated_to desc nulls first, row_in_payload
) = 1
