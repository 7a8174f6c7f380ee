with

throughput as (select * from {{ ref('mart_token_throughput') }}),

offers as (select * from {{ ref('int_price__current') }}),

specs as (select * from {{ ref('stg_reference__accelerator_specs') }}),

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
        when rank_reason is null then row_number() over (
            partition by benchmark_id, scenario, release, accelerator_id, rank_reason is null
            order by usd_per_output_mtok, offer_id
        )
    end as rank_of_accelerator,
    case
        when rank_reason is null then rank() over (
            partition by benchmark_id, scenario, release, pricing_model, rank_reason is null order by usd_per_output_mtok
        )
    end as rank_in_round
from carbon
left join {{ ref('dim_benchmark') }} using (benchmark_id)
