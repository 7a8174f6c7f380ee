{{ config(materialized = 'ephemeral') }}
-- Ephemeral: int_price__intervals keeps every row.
-- The rule that makes intervals: equal consecutive prices of an offer are one; another price, term or count begins the next, and so
-- does an offer that was missing in more than so many polls (0: absence means nothing). Most offers have each price once and
-- are never long away: grouping by price finds their intervals, at a fraction of what windows over all observations cost. The others
-- are walked through in order of time.
-- Where a Spark server has joined them (warehouse/price_spark.py), its rows are used.
{% set terms = offer_terms() %}
{% set observed = observed_prices(source('raw', 'price_offers'), source('raw', 'price_observations')) %}
{% if execute and run_query("select 1 from glob('price_joined/*.parquet')") | length > 0 %}
select source, stream, offer_id, {{ terms }}, first_poll, last_poll
from read_parquet('price_joined/*.parquet')
{% else %}
with

streams as (
    select source, stream, any_value(polls_to_close) as polls_to_close
    from {{ ref('stg_prices__polls') }}
    group by source, stream
),

prices as (
    select
        source, stream, offer_id, {{ terms }},
        min(first_poll) as first_poll,
        max(last_poll) as last_poll,
        max(last_poll) - min(first_poll) + 1 - sum(last_poll - first_poll + 1) as polls_missed
    from ({{ observed }}) as observed
    group by source, stream, offer_id, {{ terms }}
),

-- a price that comes back after another one, or an offer that may have been withdrawn between
offers_to_walk as (
    select distinct source, stream, offer_id
    from (
        select
            *,
            lead(first_poll) over (partition by source, stream, offer_id order by first_poll) as next_first_poll
        from prices
        inner join streams using (source, stream)
    ) as ordered
    where next_first_poll <= last_poll or (polls_to_close > 0 and polls_missed >= polls_to_close)
),

walked as (
    select
        *,
        {%- for term in terms.split(', ') %}
        {{ term }} is distinct from lag({{ term }}) over offer or
        {%- endfor %}
        (polls_to_close > 0 and first_poll - lag(last_poll) over offer > polls_to_close) as is_beginning
    from ({{ observed }}) as observed
    inner join streams using (source, stream)
    semi join offers_to_walk using (source, stream, offer_id)
    window offer as (partition by source, stream, offer_id order by first_poll)
),

numbered as (
    select
        *,
        count(case when is_beginning then 1 end) over (partition by source, stream, offer_id order by first_poll) as interval_number
    from walked
)

select source, stream, offer_id, {{ terms }}, first_poll, last_poll
from prices
anti join offers_to_walk using (source, stream, offer_id)

union all

select source, stream, offer_id, {{ terms }}, min(first_poll) as first_poll, max(last_poll) as last_poll
from numbered
group by source, stream, offer_id, {{ terms }}, interval_number
{% endif %}
