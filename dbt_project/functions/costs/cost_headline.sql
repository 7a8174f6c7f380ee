with offers as (
    select o.* from {{ function('price_on') }}(coalesce(cast(as_of as date), {{ function('newest_price_day') }}())) as o
),

throughput as (
    from {{ function('token_throughput') }}(release := release, as_of := as_of)
),

costs as ({{ token_costs('throughput', 'offers', ref('dim_accelerator')) }}),

levels as (
    from {{ function('price_level') }}(null, pricing := null, as_of := as_of)
),

headlines as ({{ cost_headlines('throughput', 'costs', 'levels') }})

select * from headlines
