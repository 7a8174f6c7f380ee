with

throughput as (select * from {{ ref('mart_token_throughput') }}),

costs as (select * from {{ ref('mart_cost_per_mtok') }}),

headlines as (
    {{ cost_headlines('throughput', 'costs') }}
)

select * from headlines
