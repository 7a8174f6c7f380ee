-- One row per run of an MLPerf Training round, read from its log.
with

-- of a result without a figure per accelerator no run has one
runs as (
    select
        runs.* replace (
            results.result_id as result_id,
            {{ possible_count('runs.accelerator_count') }} as accelerator_count,
            case when results.invalid_reason is null then runs.trained_tokens_per_s_per_accelerator end
                as trained_tokens_per_s_per_accelerator,
            case when results.invalid_reason is null then runs.steady_trained_tokens_per_s_per_accelerator end
                as steady_trained_tokens_per_s_per_accelerator
        ),
        benchmarks.benchmark_id,
        formats.number_format,
        coalesce(formats.number_format_basis, 'unknown') as number_format_basis,
        results.invalid_reason,
        coalesce(results.submitter_described, runs.submitter_published) as submitter,
        coalesce(results.system_name, runs.platform) as system_name
    from {{ ref('stg_mlperf_training__runs') }} as runs
    inner join {{ ref('int_training__benchmarks') }} as benchmarks using (release, benchmark_published)
    inner join {{ ref('int_training__results') }} as results on runs.result_id = results.staged_id and runs.source is not distinct from results.source
    left join {{ ref('int_training__number_formats') }} as formats on results.result_id = formats.result_id
)

select
    * exclude (
        submitter_published, benchmark_published, location, is_scored, energy_official_j,
        gradient_accumulation_steps, invalid_reason, source
    ) replace (coalesce(is_counted, false) as is_counted),
    concat_ws('/', result_id, run) as run_id,
    (row_number() over (
        partition by result_id order by length(run), run
    ) - 1)::integer as run_index,
    coalesce(is_scored, false) as converged,
    energy_official_j as energy_j,
    energy_official_j / nullif(samples, 0) as j_per_sample,
    energy_official_j / nullif(tokens, 0) as j_per_trained_token,
    case when invalid_reason is null
        then energy_official_j / nullif(minutes * 60 * accelerator_count, 0) end as watts_per_accelerator,
    'https://github.com/mlcommons/training_results_' || release || '/blob/main/' || location as source_url
from runs
