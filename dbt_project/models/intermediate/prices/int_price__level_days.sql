{{ config(materialized = 'ephemeral') }}
-- Days for which price levels are stored: the first of every month, every day on which a price was first or last seen, and the
-- day of the newest price.
with

prices as (
    select pricing_model, cast(valid_from as date) as first_on, cast(last_seen_at as date) as last_on
    from {{ ref('fct_price_interval') }}
    where is_comparable and observed_precision <> 'year' and pricing_model <> 'purchase'
),

spans as (select pricing_model, min(first_on) as first_on, max(last_on) as last_on from prices group by pricing_model)

select pricing_model, first_on as as_of from prices
union
select pricing_model, last_on from prices
union
select pricing_model, cast(unnest(generate_series(date_trunc('month', first_on + 31), last_on, interval 1 month)) as date) from spans
union
select spans.pricing_model, (select max(prices.last_on) from prices) from spans
