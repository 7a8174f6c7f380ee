-- One row per log of a training run.
select
    * exclude (
        node_energy_j, node_energy_in_interval_j, start_ms, stop_ms, run_starts, records, benchmark_published, division_published,
        platform_published, train_samples_published, final_eval_position, payload_key, payload_bytes, licence
    ) rename (
        submitter as submitter_published, system as platform, benchmark as benchmark_published, total_accelerators as accelerator_count
    ),
    {{ training_result_id() }} as result_id,
    make_timestamp(cast(start_ms * 1000 as bigint)) at time zone 'UTC' as started_at,
    make_timestamp(cast(stop_ms * 1000 as bigint)) at time zone 'UTC' as stopped_at
from {{ source('raw', 'mlperf_training_runs') }}
