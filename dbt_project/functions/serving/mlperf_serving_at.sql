with hours as ({{ serving_hours(ref('int_training__hour_prices')) }})

select
    best.benchmark_id,
    benchmarks.benchmark_family,
    benchmarks.accuracy_target,
    best.scenario,
    best.accelerator_id,
    best.number_format,
    limits.ttft_limit_ms,
    limits.tpot_limit_ms,
    1000 / limits.tpot_limit_ms as guaranteed_tokens_per_s_per_user,
    guaranteed_tokens_per_s_per_user >= speed_per_user as is_guaranteed,
    best.output_tokens_per_s_per_accelerator,
    results.ttft_ms_p99,
    results.tpot_ms_p99,
    hours.rent_usd_per_accelerator_hour,
    {{ usd_per_output_mtok('hours.rent_usd_per_accelerator_hour', 'best.output_tokens_per_s_per_accelerator') }}
        as rent_usd_per_output_mtok,
    hours.rent_usd_per_accelerator_hour_low,
    {{ usd_per_output_mtok('hours.rent_usd_per_accelerator_hour_low', 'best.output_tokens_per_s_per_accelerator') }}
        as rent_usd_per_output_mtok_low,
    hours.rent_usd_per_accelerator_hour_high,
    {{ usd_per_output_mtok('hours.rent_usd_per_accelerator_hour_high', 'best.output_tokens_per_s_per_accelerator') }}
        as rent_usd_per_output_mtok_high,
    {{ serving_reason('best.output_tokens_per_s_per_accelerator', 'null', 'rent') }} as rent_reason,
    hours.owned_usd_per_accelerator_hour,
    {{ usd_per_output_mtok('hours.owned_usd_per_accelerator_hour', 'best.output_tokens_per_s_per_accelerator') }}
        as owned_usd_per_output_mtok,
    hours.owned_usd_per_accelerator_hour_low,
    {{ usd_per_output_mtok('hours.owned_usd_per_accelerator_hour_low', 'best.output_tokens_per_s_per_accelerator') }}
        as owned_usd_per_output_mtok_low,
    hours.owned_usd_per_accelerator_hour_high,
    {{ usd_per_output_mtok('hours.owned_usd_per_accelerator_hour_high', 'best.output_tokens_per_s_per_accelerator') }}
        as owned_usd_per_output_mtok_high,
    {{ serving_reason('best.output_tokens_per_s_per_accelerator', 'null', 'owned') }} as owned_reason,
    hours.n_sellers,
    hours.rent_basis,
    hours.oldest_price_on,
    best.release,
    best.submitter,
    best.system_name,
    best.accelerator_count,
    best.availability,
    best.submission_id,
    best.result_id,
    best.source_url,
    limits.source_url as limits_source_url
from {{ ref('mart_token_throughput') }} as best
inner join {{ ref('dim_benchmark') }} as benchmarks
    on best.benchmark_id = benchmarks.benchmark_id and benchmarks.suite_kind = 'inference'
inner join {{ ref('mlperf_latency_limits') }} as limits
    on benchmarks.benchmark_family = limits.benchmark_family and best.scenario = limits.scenario
left join {{ ref('fct_inference_result') }} as results on best.result_id = results.result_id
left join hours on best.accelerator_id = hours.accelerator_id
where best.is_representative
    and (model is null or best.benchmark_id = {{ function('benchmark_named') }}(model))
    and (accelerator is null or best.accelerator_id = {{ function('accelerator_named') }}(accelerator))
    and (weights is null or best.number_format = weights)
order by is_guaranteed desc, best.benchmark_id, rent_usd_per_output_mtok, best.accelerator_id, limits.tpot_limit_ms
