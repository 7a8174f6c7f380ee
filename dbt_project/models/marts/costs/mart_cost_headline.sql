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
    headlines.benchmark_id,
    headlines.benchmark_version,
    headlines.scenario,
    headlines.release,
    headlines.accelerator_id,
    headlines.availability,
    headlines.is_representative,
    headlines.is_best_of_accelerator,
    headlines.apart_reason,
    headlines.pricing_model,
    headlines.is_round_incomplete,
    headlines.number_format,
    headlines.output_tokens_per_s_per_accelerator,
    headlines.submitter,
    headlines.n_results,
    headlines.n_submitters,
    headlines.result_id,
    headlines.newest_release,
    headlines.newest_release_median,
    headlines.newest_release_n_results,
    headlines.usd_per_output_mtok_at_level,
    headlines.usd_per_output_mtok_at_level_low,
    headlines.usd_per_output_mtok_at_level_high,
    headlines.usd_per_accelerator_hour_at_level,
    headlines.usd_per_accelerator_hour_at_level_low,
    headlines.usd_per_accelerator_hour_at_level_high,
    headlines.n_sellers_of_level,
    headlines.rests_on_one_seller,
    headlines.level_uncertainty_basis,
    headlines.level_moved_since_oldest_pct,
    headlines.level_reason,
    headlines.n_sellers,
    headlines.n_sellers_of_assumed_size,
    headlines.usd_per_output_mtok_low,
    headlines.usd_per_output_mtok_median,
    headlines.usd_per_output_mtok_high,
    headlines.uncertainty_basis,
    headlines.usd_per_accelerator_hour_median,
    headlines.usd_per_output_mtok_cheapest,
    headlines.cheapest_offer_id,
    headlines.cheapest_provider,
    headlines.oldest_price_on,
    headlines.oldest_price_days_before,
    headlines.newest_price_on,
    headlines.price_as_of,
    headlines.result_accelerator_count,
    headlines.is_smaller_than_measured,
    headlines.n_sellers_smaller,
    headlines.size_note,
    headlines.reason,
    {{ usd_per_total_mtok('usd_per_output_mtok_at_level', 'mean_input_length', 'mean_output_length') }}
        as usd_per_total_mtok_at_level
from headlines
left join {{ ref('dim_benchmark') }} using (benchmark_id)
