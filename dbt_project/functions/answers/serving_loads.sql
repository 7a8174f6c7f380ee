-- each question of models, loads and limits on the time to first token; one of each is one question
with limits as (select unnest(cast(ttft_limits as double[])) as max_ttft_ms),

-- tokens of a sample, where a benchmark's later logs state both: its earlier results are in samples alone
sample_tokens as (
    select f.benchmark_id, median(f.log_tokens_per_s / f.log_samples_per_s) as tokens_per_sample
    from {{ ref('fct_inference_result') }} as f
    where list_contains(benchmark_ids, f.benchmark_id) and f.log_samples_per_s > 0
    group by f.benchmark_id
),

measured as (
    select
        l.max_ttft_ms,
        f.benchmark_id,
        f.benchmark_version,
        f.scenario,
        f.release,
        f.accelerator_id,
        f.accelerator_count,
        f.accelerators_per_node,
        f.number_format,
        coalesce(f.output_tokens_per_s_per_accelerator, f.throughput_per_accelerator * b.tokens_per_sample)
            as output_tokens_per_s_per_accelerator,
        case when f.output_tokens_per_s_per_accelerator is null then b.tokens_per_sample end as assumed_tokens_per_sample,
        f.ttft_ms_p99,
        f.tpot_ms_p99,
        f.availability,
        f.apart_reason,
        f.software_class,
        f.is_round_incomplete,
        f.result_id,
        f.submission_id,
        f.submitter,
        f.system_name,
        f.source_url
    from {{ ref('fct_inference_result') }} as f
    cross join limits as l
    left join sample_tokens as b on f.benchmark_id = b.benchmark_id
    left join {{ ref('dim_release') }} as r on r.suite_kind = 'inference' and f.release = r.release
    where list_contains(benchmark_ids, f.benchmark_id)
        and f.division = 'closed'
        and f.suite = 'datacenter'
        and f.variant = 'standard'
        and {{ stands_for_accelerator('f') }}
        and (
            f.output_tokens_per_s_per_accelerator > 0
            or (f.result_unit in ('samples/s', 'queries/s') and f.throughput_per_accelerator * b.tokens_per_sample > 0)
        )
        and (
            lower(f.scenario) = lower(scenario)
            or (l.max_ttft_ms is not null and lower(scenario) = 'server' and f.scenario = 'Interactive')
        )
        and {{ is_round_published('r', 'as_of') }}
),

-- the result that stands for each accelerator, one in tokens before one in samples. With a limit on the time to first token, results of
-- Server and Interactive with a measured one come first, and among those the ones within it
chosen as (
    select
        c.*,
        count(*) over (
            partition by c.benchmark_id, c.max_ttft_ms, c.accelerator_id, c.release, c.scenario, c.availability, c.software_class
        ) as n_results,
        min(c.ttft_ms_p99) over (partition by c.benchmark_id, c.max_ttft_ms, c.accelerator_id) as ttft_ms_p99_lowest
    from measured as c
    qualify {{ is_best_of_accelerator('c', 'output_tokens_per_s_per_accelerator', [], [
        'c.assumed_tokens_per_sample is not null',
        'c.max_ttft_ms is not null and c.ttft_ms_p99 is null',
        'c.max_ttft_ms is not null and coalesce(c.ttft_ms_p99 > c.max_ttft_ms, true)',
    ], ['max_ttft_ms']) }}
),

sizes as (
    select t.benchmark_id, any_value(t.model_parameters) as model_parameters
    from {{ ref('mart_token_throughput') }} as t
    group by t.benchmark_id
)

select
    c.*,
    q.tokens_per_day,
    t.model_parameters,
    d.memory_gb,
    {{ bytes_to_hold('t.model_parameters', 'c.number_format') }} / 1e9 as needed_memory_gb,
    {{ function('accelerators_for_load') }}(
        q.tokens_per_day, c.output_tokens_per_s_per_accelerator, cast(utilisation as double)
    ) as accelerators_busy,
    -- one buys a whole scale-up domain or a whole measured node
    {{ machine_size('d.scale_up_domain_size', 'c.accelerators_per_node') }} as bought_together
from chosen as c
cross join (select unnest(cast(daily_loads as double[])) as tokens_per_day) as q
left join sizes as t on c.benchmark_id = t.benchmark_id
left join {{ ref('dim_accelerator') }} as d on c.accelerator_id = d.accelerator_id
