with

runs as (select * from {{ ref('stg_mlperf_training__runs') }})

select
    concat_ws('/', 'training', release, submitter_published, platform, benchmark_id, run) as run_id,
    concat_ws('/', 'training', release, submitter_published, platform, benchmark_id) as result_id,
    release,
    submitter_published as submitter,
    platform as system_name,
    benchmark_id,
    (row_number() over (
        partition by release, submitter_published, platform, benchmark_id order by length(run), run
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
    final_eval_value,
    final_eval_metric,
    samples_per_s,
    steady_samples_per_s,
    train_step_time_s,
    trained_tokens_per_s_per_accelerator,
    steady_trained_tokens_per_s_per_accelerator,
    accelerator_count,
    energy_official_j as energy_j,
    energy_with_switch_readings_j,
    {{ j_per('energy_official_j', 'samples') }} as j_per_sample,
    {{ j_per('energy_official_j', 'tokens') }} as j_per_trained_token,
    {{ mean_w_per_accelerator('energy_official_j', 'minutes', 'accelerator_count') }} as watts_per_accelerator,
    'https://github.com/mlcommons/training_results_' || release || '/blob/main/' || location as source_url,
    payload_url,
    payload_sha256,
    fetched_at,
    parser_version
from runs
