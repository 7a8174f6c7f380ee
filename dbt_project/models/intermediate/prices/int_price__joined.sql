{{ config(materialized = 'ephemeral') }}
-- Ephemeral: int_price__intervals keeps every row.
-- The rule that makes intervals: equal consecutive prices of an offer are one; another price, term or count begins the next, and so
-- does an offer that was missing in more than so many polls (0: absence means nothing).
-- A window over all observations would sort them all. So observations are first grouped to pieces: equal prices of an offer in a
-- stretch of 64 polls. An offer has one price in a poll: a piece that misses no poll between its first and its last holds nothing else
-- and is as good as its observations. Of an offer with another piece in a stretch, the observations themselves are taken.
-- Where a Spark server has joined them (warehouse/inputs/price_spark.py), its rows are used: a build states that by a var.
{% set terms = offer_terms() %}
{% set stretch = 'floor(first_poll / 64)' %}
{% set observed = observed_prices(source('raw', 'price_offers'), source('raw', 'price_observations')) %}
{% if var('are_prices_joined') %}
select source, stream, offer_id, {{ terms }}, first_poll, last_poll
from read_parquet('price_joined/*.parquet')
{% else %}
with

streams as (
    select source, stream, any_value(polls_to_close) as polls_to_close
    from {{ ref('stg_prices__polls') }}
    group by source, stream
),

pieces as (
    select
        source, stream, offer_id, {{ terms }}, {{ stretch }} as stretch,
        min(first_poll) as first_poll,
        max(last_poll) as last_poll,
        max(last_poll) - min(first_poll) + 1 - sum(last_poll - first_poll + 1) as polls_missed
    from ({{ observed }}) as observed
    group by source, stream, offer_id, {{ terms }}, {{ stretch }}
),

interrupted as (select distinct source, stream, offer_id, stretch from pieces where polls_missed > 0),

prices as (
    select source, stream, offer_id, {{ terms }}, pieces.first_poll, pieces.last_poll
    from pieces
    anti join interrupted using (source, stream, offer_id, stretch)

    union all

    select source, stream, offer_id, {{ terms }}, observed.first_poll, observed.last_poll
    from (select *, {{ stretch }} as stretch from ({{ observed }}) as observed) as observed
    semi join interrupted using (source, stream, offer_id, stretch)
),

marked as (
    select
        prices.*,
        streams.polls_to_close,
        {%- for term in terms.split(', ') %}
        ({{ term }} is distinct from lag({{ term }}) over offer) or
        {%- endfor %}
        (streams.polls_to_close > 0 and prices.first_poll - lag(prices.last_poll) over offer > streams.polls_to_close) as is_beginning
    from prices
    -- not `using`: Spark takes its columns out of `prices.*`
    inner join streams on prices.source = streams.source and prices.stream = streams.stream
    window offer as (partition by prices.source, prices.stream, prices.offer_id order by prices.first_poll)
),

numbered as (
    select
        *,
        count(case when is_beginning then 1 end) over (partition by source, stream, offer_id order by first_poll) as interval_number
    from marked
)

select source, stream, offer_id, {{ terms }}, min(first_poll) as first_poll, max(last_poll) as last_poll
from numbered
group by source, stream, offer_id, {{ terms }}, interval_number
{% endif %}
