-- One row per benchmark of a system of a training round.
with

source as (select * from {{ source('raw', 'mlperf_training_results') }}),

benchmarks as (select * from {{ ref('stg_mlperf_training__benchmarks') }})

select
    concat_ws('/', 'training', source.release, source.submitter, source.system, source.benchmark) as result_id,
    source.release,
    source.submitter as submitter_published,
    source.submitter_published as submitter_described,
    source.system as platform,
    source.benchmark as benchmark_published,
    benchmarks.benchmark_id,
    location,
    minutes as score_minutes,
    no_score_reason,
    scaling_factor as rcp_scaling_factor,
    runs as n_runs,
    runs_failed as n_failed,
    runs_counted as n_counted,
    runs_required as n_required,
    division,
    availability_published,
    system_name,
    number_of_nodes,
    accelerators_per_node,
    total_accelerators as accelerator_count,
    accelerator_name_published,
    host_processor_name,
    framework as software,
    driver_version,
    operating_system,
    notes,
    global_batch_size,
    sequence_length,
    accelerator_hours,
    samples_per_s,
    trained_tokens_per_s_per_accelerator,
    steady_trained_tokens_per_s_per_accelerator,
    energy_official_j,
    energy_with_switch_readings_j,
    coalesce(is_system_described, true) as is_system_described,
    source.source,
    payload_url,
    payload_sha256,
    fetched_at,
    parser_version
from source
inner join benchmarks on source.release = benchmarks.release and source.benchmark = benchmarks.benchmark_published
