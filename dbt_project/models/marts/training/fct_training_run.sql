-- One row per run of an MLPerf Training round, read from its log.
with

-- of a result without a figure per accelerator no run has one
runs as (
    select
        runs.* replace (
            {{ possible_count('runs.accelerator_count') }} as accelerator_count,
            case when accelerators.invalid_reason is null then runs.trained_tokens_per_s_per_accelerator end
                as trained_tokens_per_s_per_accelerator,
            case when accelerators.invalid_reason is null then runs.steady_trained_tokens_per_s_per_accelerator end
                as steady_trained_tokens_per_s_per_accelerator
        ),
        benchmarks.benchmark_id,
        accelerators.invalid_reason
    from {{ ref('stg_mlperf_training__runs') }} as runs
    inner join {{ ref('int_training__benchmarks') }} as benchmarks using (release, benchmark_published)
    left join {{ ref('int_training__accelerators') }} as accelerators using (result_id)
),

described as (select result_id, submitter_described, system_name from {{ ref('stg_mlperf_training__results') }}),

formats as (select result_id, number_format, number_format_basis from {{ ref('int_training__number_formats') }})

select
    concat_ws('/', runs.result_id, run) as run_id,
    runs.result_id,
    release,
    coalesce(submitter_described, submitter_published) as submitter,
    coalesce(system_name, platform) as system_name,
    platform,
    benchmark_id,
    (row_number() over (
        partition by runs.result_id order by length(run), run
    ) - 1)::integer as run_index,
    run,
    coalesce(is_scored, false) as converged,
    coalesce(is_counted, false) as is_counted,
    status,
    compliance_problem,
    started_at,
    stopped_at,
    minutes,
    samples,
    tokens,
    global_batch_size,
    sequence_length,
    number_format,
    coalesce(number_format_basis, 'unknown') as number_format_basis,
    final_eval_value,
    final_eval_metric,
    samples_per_s,
    steady_samples_per_s,
    train_step_time_s,
    throughput_published,
    trained_tokens_per_s_per_accelerator,
    steady_trained_tokens_per_s_per_accelerator,
    accelerator_count,
    energy_official_j as energy_j,
    energy_with_switch_readings_j,
    power_nodes,
    power_switches,
    power_conversion_efficiency,
    power_measurement_type,
    log_sha256,
    energy_official_j / nullif(samples, 0) as j_per_sample,
    energy_official_j / nullif(tokens, 0) as j_per_trained_token,
    case when invalid_reason is null
        then energy_official_j / nullif(minutes * 60 * accelerator_count, 0) end as watts_per_accelerator,
    'https://github.com/mlcommons/training_results_' || release || '/blob/main/' || location as source_url,
    payload_url,
    payload_sha256,
    fetched_at,
    parser_version
from runs
left join described using (result_id)
left join formats using (result_id)
