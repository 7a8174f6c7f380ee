-- One row per benchmark, scenario, round, accelerator, availability and pricing model: cost at the price level of the accelerator,
-- beside the median over sellers.
with

throughput as (select * from {{ ref('mart_token_throughput') }}),

costs as (select * from {{ ref('mart_cost_per_mtok') }}),

levels as (
    select * from {{ ref('mart_rental_price_level') }}
    qualify as_of = max(as_of) over (partition by pricing_model)
),

headlines as (
    {{ cost_headlines('throughput', 'costs', 'levels') }}
)

select
    headlines.*,
    {{ usd_per_total_mtok('usd_per_output_mtok_at_level', 'mean_input_length', 'mean_output_length') }}
        as usd_per_total_mtok_at_level
from headlines
left join {{ ref('dim_benchmark') }} using (benchmark_id)
