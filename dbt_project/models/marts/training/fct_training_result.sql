-- One row per benchmark of a system of an MLPerf Training round.
with

results as (
    select
        published.* replace (
            {%- for column in [
                'score_minutes', 'accelerator_hours', 'samples_per_s', 'trained_tokens_per_s_per_accelerator',
                'steady_trained_tokens_per_s_per_accelerator'
            ] %}
            case when limits.limit_reason is null then published.{{ column }} end as {{ column }},
            {%- endfor %}
            coalesce(limits.limit_reason, published.no_score_reason) as no_score_reason
        ),
        limits.limit_reason
    from {{ ref('int_training__results') }} as published
    left join {{ ref('int_training__physical_limits') }} as limits using (result_id)
),

energy as (
    select
        result_id,
        {{ mean('j_per_sample') }} as j_per_sample,
        {{ mean('j_per_trained_token') }} as j_per_trained_token,
        {{ mean('watts_per_accelerator') }} as watts_per_accelerator,
        string_agg(distinct power_measurement_type, ' and ' order by power_measurement_type) as power_measurement_type
    from {{ ref('fct_training_run') }}
    where is_counted and energy_j is not null
    group by result_id
),

identified as (
    select
        results.* exclude (accelerator_count),
        accelerators.accelerator_id,
        accelerators.accelerator_count,
        accelerators.invalid_reason,
        {{ key_or_unmapped(
            'submitters.submitter_id', 'coalesce(results.submitter_described, results.submitter_published)'
        ) }} as submitter_id,
        accelerators.is_override as is_accelerator_override,
        coalesce(submitters.is_override, false) as is_submitter_override,
        mfu.flops_per_token,
        mfu.mfu_pct,
        coalesce(results.limit_reason, mfu.mfu_reason) as mfu_reason,
        mfu.bf16_equivalent_pct,
        mfu.fp8_equivalent_pct,
        mfu.fp4_equivalent_pct,
        mfu.mfu_candidates,
        formats.number_format,
        formats.number_format_basis,
        formats.number_format_witness,
        energy.j_per_sample,
        energy.j_per_trained_token,
        energy.watts_per_accelerator,
        -- where the logs do not state it, the system's own name may (SMC-H100-DC-Power)
        coalesce(
            energy.power_measurement_type,
            case when results.energy_official_j is not null
                then nullif(upper(regexp_extract(results.system_name, '\b(AC|DC)[-_ ]Power', 1, 'i')), '') end
        ) as power_measurement_type,
        coalesce(results.submitter_described, results.submitter_published) as submitter,
        groups.run_group_id,
        coalesce(versions.benchmark_version, 1) as benchmark_version,
        versions.quality_target
    from results
    inner join {{ ref('int_training__accelerators') }} as accelerators on results.result_id = accelerators.result_id
    left join {{ ref('stg_reference__mlperf_submitters') }} as submitters
        on coalesce(results.submitter_described, results.submitter_published) = submitters.submitter_published
    left join {{ ref('int_training__mfu') }} as mfu on results.result_id = mfu.result_id and results.limit_reason is null
    left join {{ ref('int_training__number_formats') }} as formats on results.result_id = formats.result_id
    left join energy on results.result_id = energy.result_id and results.limit_reason is null
    left join {{ ref('int_training__run_groups') }} as groups on results.result_id = groups.result_id
    left join {{ ref('mlperf_benchmark_versions') }} as versions
        on versions.suite_kind = 'training'
        and results.benchmark_id = versions.benchmark_id
        and {{ is_in_releases('results.release', 'versions') }}
),

-- Strong scaling costs accelerator-hours, so a run is compared with other submitters' runs of a similar size.
peer_medians as (
    select runs.result_id, median(peers.accelerator_hours) as peer_median
    from identified as runs
    inner join identified as peers
        on runs.release = peers.release
        and runs.division = peers.division
        and runs.benchmark_id = peers.benchmark_id
        and runs.accelerator_id = peers.accelerator_id
        and runs.submitter <> peers.submitter
        and {{ size_factor('runs.accelerator_count', 'peers.accelerator_count') }} <= {{ var('peers_size_factor') }}
    where {{ is_mapped('runs.accelerator_id') }} and runs.accelerator_hours > 0 and peers.accelerator_hours > 0
    group by runs.result_id
    -- duplicate submissions of one run count once
    having count(distinct peers.run_group_id) >= {{ var('peers_min') }}
)

select
    result_id,
    release,
    submitter,
    submitter_id,
    division,
    {{ availability_of('availability_published') }} as availability,
    availability_published,
    coalesce(system_name, platform) as system_name,
    platform,
    benchmark_id,
    benchmark_version,
    benchmark_published,
    quality_target,
    run_group_id,
    accelerator_name_published,
    accelerator_id,
    accelerator_count,
    number_of_nodes,
    accelerators_per_node,
    invalid_reason is null as is_per_accelerator_valid,
    invalid_reason,
    n_runs,
    n_runs - n_failed as n_converged,
    n_counted,
    n_required,
    score_minutes,
    no_score_reason,
    not {{ is_near_peers('accelerator_hours', 'peer_median', var('peers_factor')) }} as is_peer_outlier,
    rcp_scaling_factor,
    energy_official_j as energy_j,
    energy_with_switch_readings_j,
    power_measurement_type,
    j_per_sample,
    j_per_trained_token,
    watts_per_accelerator,
    samples_per_s,
    case when invalid_reason is null then trained_tokens_per_s_per_accelerator end as trained_tokens_per_s_per_accelerator,
    case when invalid_reason is null then steady_trained_tokens_per_s_per_accelerator end as steady_trained_tokens_per_s_per_accelerator,
    number_format,
    number_format_basis,
    number_format_witness,
    mfu_pct,
    mfu_reason,
    mfu_candidates,
    bf16_equivalent_pct,
    fp8_equivalent_pct,
    fp4_equivalent_pct,
    case when invalid_reason is null then accelerator_hours end as accelerator_hours,
    global_batch_size,
    sequence_length,
    software,
    driver_version,
    operating_system,
    host_processor_name,
    notes,
    nullif(concat_ws(', ',
        case when is_accelerator_override then 'accelerator_aliases' end,
        case when is_submitter_override then 'mlperf_submitters' end
    ), '') as overridden_by,
    'https://github.com/mlcommons/training_results_' || release
        || case when location like '%.json' then '/blob/main/' else '/tree/main/' end || location as source_url,
    payload_url,
    payload_sha256,
    fetched_at,
    parser_version
from identified
left join peer_medians using (result_id)
