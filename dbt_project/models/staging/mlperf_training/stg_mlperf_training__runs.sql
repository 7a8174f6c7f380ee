with

source as (select * from {{ source('raw', 'mlperf_training_runs') }}),

benchmarks as (select * from {{ ref('stg_mlperf_training__benchmarks') }})

select
    concat_ws('/', 'training', source.release, source.submitter, source.system, source.benchmark) as result_id,
    source.release,
    source.submitter as submitter_published,
    source.system as platform,
    benchmarks.benchmark_id,
    run,
    location,
    status,
    is_scored,
    is_counted,
    compliance_problem,
    make_timestamp(cast(start_ms * 1000 as bigint)) at time zone 'UTC' as started_at,
    make_timestamp(cast(stop_ms * 1000 as bigint)) at time zone 'UTC' as stopped_at,
    minutes,
    global_batch_size,
    gradient_accumulation_steps,
    sequence_length,
    final_eval_value,
    final_eval_metric,
    samples,
    tokens,
    samples_per_s,
    steady_samples_per_s,
    train_step_time_s,
    throughput_published,
    total_accelerators as accelerator_count,
    trained_tokens_per_s_per_accelerator,
    steady_trained_tokens_per_s_per_accelerator,
    energy_official_j,
    energy_with_switch_readings_j,
    power_nodes,
    power_switches,
    power_conversion_efficiency,
    power_measurement_type,
    log_sha256,
    source.source,
    payload_url,
    payload_sha256,
    fetched_at,
    parser_version
from source
inner join benchmarks on source.release = benchmarks.release and source.benchmark = benchmarks.benchmark_published
