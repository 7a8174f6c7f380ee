with

throughput as (select * from {{ ref('mart_token_throughput') }}),

offers as (select * from {{ ref('int_price__current') }}),

-- of each seller and pricing model the cheapest offer
cheapest as (
    select *
    from offers
    qualify row_number() over (
        partition by accelerator_id, provider, pricing_model order by usd_per_accelerator_hour, offer_id
    ) = 1
),

costs as (
    select
        throughput.benchmark_id,
        throughput.scenario,
        throughput.release,
        throughput.accelerator_id,
        cheapest.provider,
        cheapest.pricing_model,
        throughput.output_tokens_per_s_per_accelerator,
        cheapest.usd_per_accelerator_hour,
        {{ usd_per_output_mtok('cheapest.usd_per_accelerator_hour', 'throughput.output_tokens_per_s_per_accelerator') }}
            as usd_per_output_mtok,
        {{ usd_per_output_mtok('cheapest.usd_per_accelerator_hour', 'throughput.output_tokens_per_s_per_accelerator_median') }}
            as usd_per_output_mtok_at_median_throughput,
        throughput.n_results,
        throughput.is_latest_of_accelerator,
        throughput.result_id,
        throughput.submission_id,
        throughput.submitter,
        throughput.system_name,
        throughput.accelerator_count as result_accelerator_count,
        throughput.availability as system_availability,
        throughput.source_url as result_source_url,
        cheapest.offer_id,
        cheapest.instance_type,
        cheapest.region,
        cheapest.country,
        cheapest.accelerator_count as instance_accelerator_count,
        cheapest.valid_from as price_valid_from,
        cheapest.last_seen_at as price_observed_at,
        cheapest.observed_precision as price_observed_precision,
        cheapest.age_days as price_age_days,
        cheapest.source as price_source,
        cheapest.source_url as price_source_url,
        cheapest.payload_sha256 as price_payload_sha256,
        cheapest.payload_member as price_payload_member,
        cheapest.payload_record as price_payload_record
    from throughput
    inner join cheapest using (accelerator_id)
)

select
    *,
    row_number() over (
        partition by benchmark_id, scenario, release, accelerator_id
        order by usd_per_output_mtok, offer_id
    ) as rank_of_accelerator,
    rank() over (
        partition by benchmark_id, scenario, release, pricing_model order by usd_per_output_mtok
    ) as rank_in_round
from costs
