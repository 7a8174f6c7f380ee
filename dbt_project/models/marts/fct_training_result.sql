with

results as (select * from {{ ref('stg_mlperf_training__results') }}),

energy as (
    select
        result_id,
        {{ mean('j_per_sample') }} as j_per_sample,
        {{ mean('j_per_trained_token') }} as j_per_trained_token,
        {{ mean('watts_per_accelerator') }} as watts_per_accelerator
    from {{ ref('fct_training_run') }}
    where is_counted and energy_j is not null
    group by result_id
),

identified as (
    select
        results.*,
        accelerators.accelerator_id,
        accelerators.is_mixed,
        submitters.submitter_id,
        mfu.flops_per_token,
        mfu.mfu_bf16_pct,
        mfu.mfu_fp8_pct,
        energy.j_per_sample,
        energy.j_per_trained_token,
        energy.watts_per_accelerator,
        concat_ws('/', 'training', results.release, results.submitter_published, results.platform, results.benchmark_id)
            as result_id
    from results
    left join {{ ref('int_mlperf__accelerators') }} as accelerators
        on results.platform = accelerators.platform
        and results.accelerator_name_published is not distinct from accelerators.accelerator_name_published
    left join {{ ref('mlperf_submitters') }} as submitters
        on results.submitter_published = submitters.submitter_published
    left join {{ ref('int_training__mfu') }} as mfu
        on results.release = mfu.release
        and results.submitter_published = mfu.submitter_published
        and results.platform = mfu.platform
        and results.benchmark_id = mfu.benchmark_id
    left join energy
        on energy.result_id = concat_ws(
            '/', 'training', results.release, results.submitter_published, results.platform, results.benchmark_id
        )
)

select
    result_id,
    release,
    submitter_published as submitter,
    submitter_id,
    division,
    availability_published,
    platform as system_name,
    system_name as system_description,
    benchmark_id,
    accelerator_name_published,
    accelerator_id,
    accelerator_count,
    number_of_nodes,
    accelerators_per_node,
    n_runs,
    n_runs - n_failed as n_converged,
    n_counted,
    n_required,
    score_minutes,
    no_score_reason,
    rcp_scaling_factor,
    energy_official_j as energy_j,
    energy_with_switch_readings_j,
    j_per_sample,
    j_per_trained_token,
    watts_per_accelerator,
    samples_per_s,
    trained_tokens_per_s_per_accelerator,
    steady_trained_tokens_per_s_per_accelerator,
    mfu_bf16_pct as mfu_pct,
    case when mfu_bf16_pct is not null then 'bf16' end as mfu_precision,
    mfu_fp8_pct,
    accelerator_hours,
    global_batch_size,
    sequence_length,
    software,
    driver_version,
    operating_system,
    host_processor_name,
    notes,
    'https://github.com/mlcommons/training_results_' || release
        || case when location like '%.json' then '/blob/main/' else '/tree/main/' end || location as source_url,
    payload_url,
    payload_sha256,
    fetched_at,
    parser_version
from identified
