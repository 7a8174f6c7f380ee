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
    carbon.benchmark_id,
    carbon.benchmark_version,
    carbon.scenario,
    carbon.release,
    carbon.accelerator_id,
    carbon.availability,
    carbon.is_representative,
    carbon.apart_reason,
    carbon.provider,
    carbon.pricing_model,
    carbon.number_format,
    carbon.output_tokens_per_s_per_accelerator,
    carbon.usd_per_accelerator_hour,
    carbon.usd_per_output_mtok,
    carbon.usd_per_output_mtok_at_median_throughput,
    carbon.usd_per_output_mtok_low,
    carbon.usd_per_output_mtok_high,
    carbon.uncertainty_basis,
    carbon.is_round_incomplete,
    carbon.n_results,
    carbon.n_submitters,
    carbon.result_id,
    carbon.submission_id,
    carbon.submitter,
    carbon.system_name,
    carbon.result_accelerator_count,
    carbon.result_source_url,
    carbon.offer_id,
    carbon.instance_type,
    carbon.region,
    carbon.country,
    carbon.instance_accelerator_count,
    carbon.price_valid_from,
    carbon.price_observed_at,
    carbon.price_observed_precision,
    carbon.price_age_days,
    carbon.price_as_of,
    carbon.price_days_before,
    carbon.price_standing,
    carbon.fit,
    carbon.is_smaller_than_measured,
    carbon.size_basis,
    carbon.size_note,
    carbon.is_unusual,
    carbon.vote,
    carbon.rank_reason,
    carbon.price_source,
    carbon.price_source_url,
    carbon.price_payload_sha256,
    carbon.price_payload_member,
    carbon.price_payload_record,
    carbon.kg_co2e_per_output_mtok,
    carbon.kg_co2e_per_output_mtok_low,
    carbon.kg_co2e_per_output_mtok_high,
    carbon.carbon_uncertainty_basis,
    carbon.grid_id,
    carbon.grid_level,
    carbon.grid_place,
    carbon.grid_year,
    carbon.grid_basis,
    carbon.grid_kg_co2e_per_kwh,
    carbon.carbon_reason,
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
