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
        results.invalid_reason,
        coalesce(results.submitter_described, runs.submitter_published) as submitter,
        coalesce(results.system_name, runs.platform) as system_name
    from {{ ref('stg_mlperf_training__runs') }} as runs
    inner join {{ ref('int_training__benchmarks') }} as benchmarks using (release, benchmark_published)
    inner join {{ ref('int_training__results') }} as results on runs.result_id = results.staged_id
),

formats as (select result_id, number_format, number_format_basis from {{ ref('int_training__number_formats') }})

select
    runs.* exclude (
        runs.submitter_published, runs.benchmark_published, runs.location, runs.is_scored, runs.energy_official_j,
        runs.gradient_accumulation_steps, runs.invalid_reason, runs.source
    ) replace (coalesce(runs.is_counted, false) as is_counted),
    concat_ws('/', runs.result_id, runs.run) as run_id,
    (row_number() over (
        partition by runs.result_id order by length(runs.run), runs.run
    ) - 1)::integer as run_index,
    coalesce(runs.is_scored, false) as converged,
    formats.number_format,
    coalesce(formats.number_format_basis, 'unknown') as number_format_basis,
    runs.energy_official_j as energy_j,
    runs.energy_official_j / nullif(runs.samples, 0) as j_per_sample,
    runs.energy_official_j / nullif(runs.tokens, 0) as j_per_trained_token,
    case when runs.invalid_reason is null
        then runs.energy_official_j / nullif(runs.minutes * 60 * runs.accelerator_count, 0) end as watts_per_accelerator,
    'https://github.com/mlcommons/training_results_' || runs.release || '/blob/main/' || runs.location as source_url
from runs
left join formats using (result_id)
