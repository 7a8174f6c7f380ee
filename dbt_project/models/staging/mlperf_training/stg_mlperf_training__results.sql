-- One row per benchmark of a system of a training round.
select
    * exclude (
        submitter_published, host_processors_per_node, software_stack, is_system_described, payload_key, payload_bytes, licence
    ) rename (
        submitter as submitter_published, system as platform, benchmark as benchmark_published, minutes as score_minutes,
        scaling_factor as rcp_scaling_factor, runs as n_runs, runs_failed as n_failed, runs_counted as n_counted,
        runs_required as n_required, total_accelerators as accelerator_count, framework as software
    ),
    submitter_published as submitter_described,
    coalesce(is_system_described, true) as is_system_described,
    {{ training_result_id() }} as result_id,
    {{ training_dialect() }} as dialect
from {{ source('raw', 'mlperf_training_results') }}
