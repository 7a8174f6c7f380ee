-- One row per benchmark of a system of an MLPerf Training round.
with

results as (
    select
        published.* replace (
            -- a published score stays what it is: what only looks wrong is flagged
            case when {{ is_positive('published.score_minutes') }} then published.score_minutes end as score_minutes,
            case when {{ is_positive('published.accelerator_hours') }} then published.accelerator_hours end as accelerator_hours,
            {%- for column in ['samples_per_s', 'trained_tokens_per_s_per_accelerator', 'steady_trained_tokens_per_s_per_accelerator'] %}
            case when not starts_with(coalesce(limits.limit_reason, ''), 'impossible') then published.{{ column }} end as {{ column }},
            {%- endfor %}
            case when published.score_minutes is null or {{ is_positive('published.score_minutes') }} then published.no_score_reason
                else limits.limit_reason end as no_score_reason
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
        results.*,
        {{ key_or_unmapped(
            'submitters.submitter_id', 'coalesce(results.submitter_described, results.submitter_published)'
        ) }} as submitter_id,
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
        formats.number_format_evidence,
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
        coalesce(versions.benchmark_version, 1) as benchmark_version,
        versions.quality_target
    from results
    left join {{ ref('stg_reference__mlperf_submitters') }} as submitters
        on coalesce(results.submitter_described, results.submitter_published) = submitters.submitter_published
    left join {{ ref('int_training__mfu') }} as mfu on results.result_id = mfu.result_id and results.limit_reason is null
    left join {{ ref('int_training__number_formats') }} as formats on results.result_id = formats.result_id
    left join energy on results.result_id = energy.result_id and results.limit_reason is null
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
        and peers.limit_reason is null
        and {{ size_factor('runs.accelerator_count', 'peers.accelerator_count') }} <= {{ var('peers_size_factor') }}
    where {{ is_mapped('runs.accelerator_id') }} and runs.accelerator_hours > 0 and peers.accelerator_hours > 0
    group by runs.result_id
    -- duplicate submissions of one run count once
    having count(distinct peers.run_group_id) >= {{ var('peers_min') }}
),

compared as (
    select identified.*, peer_medians.peer_median
    from identified
    left join peer_medians using (result_id)
)

select
    * exclude (
        submitter_published, submitter_described, dialect, staged_id, location, n_failed, energy_official_j, is_system_described,
        limit_reason, flops_per_token, is_accelerator_override, is_submitter_override, source, peer_median
    ) replace (
        coalesce(system_name, platform) as system_name,
        case when invalid_reason is null then trained_tokens_per_s_per_accelerator end as trained_tokens_per_s_per_accelerator,
        case when invalid_reason is null then steady_trained_tokens_per_s_per_accelerator end
            as steady_trained_tokens_per_s_per_accelerator,
        case when invalid_reason is null then accelerator_hours end as accelerator_hours
    ),
    {{ availability_of('availability_published') }} as availability,
    invalid_reason is null as is_per_accelerator_valid,
    n_runs - n_failed as n_converged,
    case
        when limit_reason is not null then true
        else {{ is_near_peers('accelerator_hours', 'peer_median', var('peers_factor')) }} = false
    end as is_peer_outlier,
    energy_official_j as energy_j,
    nullif(concat_ws(', ',
        case when is_accelerator_override then 'accelerator_aliases' end,
        case when is_submitter_override then 'mlperf_submitters' end
    ), '') as overridden_by,
    ends_with(publication_basis, 'read_singly') as is_round_incomplete,
    case
        when location like 'https://%' then location
        else 'https://github.com/mlcommons/training_results_' || release
            || case when location like '%.json' then '/blob/main/' else '/tree/main/' end || location
    end as source_url
from compared
