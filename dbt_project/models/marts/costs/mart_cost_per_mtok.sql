-- One row per benchmark, scenario, round, accelerator, availability, seller and pricing model: the seller's cheapest recent offer
-- that holds the model.
with

throughput as (select * from {{ ref('mart_token_throughput') }}),

offers as (select * from {{ ref('int_price__current') }}),

specs as (select * from {{ ref('dim_accelerator') }}),

costs as (
    {{ token_costs('throughput', 'offers', 'specs') }}
),

carbon as (
    {{ with_carbon('costs', ref('dim_region_grid'), ref('dim_grid'), ref('mart_energy')) }}
)

select
    carbon.*,
    {{ usd_per_total_mtok('usd_per_output_mtok', 'mean_input_length', 'mean_output_length') }} as usd_per_total_mtok,
    case
        when carbon.rank_reason is null then row_number() over (
            partition by benchmark_id, carbon.scenario, carbon.release, carbon.accelerator_id, carbon.rank_reason is null
            order by carbon.usd_per_output_mtok, carbon.offer_id
        )
    end as rank_of_accelerator,
    case
        when carbon.rank_reason is null then rank() over (
            partition by benchmark_id, carbon.scenario, carbon.release, carbon.pricing_model, carbon.rank_reason is null
            order by carbon.usd_per_output_mtok
        )
    end as rank_in_round
from carbon
left join {{ ref('dim_benchmark') }} using (benchmark_id)
