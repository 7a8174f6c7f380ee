with

throughput as (select * from {{ ref('mart_token_throughput') }}),

costs as (select * from {{ ref('mart_cost_per_mtok') }}),

levels as (
    {{ levels_on(ref('mart_rental_price_level'), "'infinity'::date") }}
),

headlines as (
    {{ cost_headlines('throughput', 'costs', 'levels') }}
)

select * from headlines
