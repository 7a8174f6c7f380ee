with hours as (select * from {{ ref('mart_accelerator_hour') }})

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
    {{ serving_costs('best.output_tokens_per_s_per_accelerator', 'null') }},
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
left join hours as rent on best.accelerator_id = rent.accelerator_id and {{ is_rented('rent') }}
left join hours as owned on best.accelerator_id = owned.accelerator_id and {{ is_owned('owned') }}
where best.is_representative
