{{ config(materialized = 'ephemeral') }}
-- One row per case of a claim on training (rounds, benchmark, size, submitters of the baseline), from closed results of each side: of
-- a claim on one accelerator its own figure, of one on two their ratio of speeds. Speed is accelerator-hours to the target, so that
-- pairs of one size compare minutes; sizes are never mixed in a pair unless the claim names two sizes: then it is about whole
-- runs, and their minutes are compared.
with

claims as (
    select *, method in ('training_ratio', 'perf_per_price_ratio') as is_ratio
    from {{ ref('int_claims__stated') }}
    where starts_with(method, 'training_') or (method = 'perf_per_price_ratio' and suite_kind = 'training')
),

results as (
    select results.*, specs.bf16_dense_tflops, specs.fp8_dense_tflops
    from {{ ref('fct_training_result') }} as results
    left join {{ ref('dim_accelerator') }} as specs using (accelerator_id)
    where results.division = 'closed' and results.score_minutes is not null and results.accelerator_count > 0
        and results.is_peer_outlier is not true
    -- twins of one run count once
    qualify row_number() over (
        partition by results.release, coalesce(results.run_group_id, results.result_id)
        order by results.energy_j is null, results.power_measurement_type, results.result_id
    ) = 1
),

-- results of both sides of a claim
{% for side, releases, rival in [('subject', 'releases', 'null::varchar'), ('baseline', 'baseline_releases', 'claims.rival')] -%}
{{ side }}s as (
    select claims.claim_id, {{ rival }} as rival, {{ training_pace('claims', 'results') }} as pace, results.*
    from claims
    inner join results
        on claims.{{ side }}_accelerator_id = results.accelerator_id
        and (list_contains(claims.benchmark_ids, results.benchmark_id) or claims.benchmark_ids = ['*'])
        and (claims.{{ releases }} is null or list_contains(claims.{{ releases }}, results.release))
),

{{ side }}_sizes as (
    select
        claim_id, release, benchmark_id, accelerator_count, submitters,
        min(pace) as best, median(pace) as median_value, {{ mean('pace') }} as mean_value,
        list(result_id order by pace, result_id) as result_ids,
        count(distinct submitter) as n_submitters
    from ({{ by_submitters(side ~ 's') }}) as grouped
    group by all
),

{% endfor -%}
ratios as (
    select
        claims.claim_id,
        claims.choice,
        subjects.release,
        baselines.release as baseline_release,
        baselines.submitters as baseline_submitters,
        subjects.benchmark_id,
        subjects.accelerator_count,
        baselines.best / subjects.best as measured_best,
        baselines.median_value / subjects.median_value as measured_median,
        baselines.mean_value / subjects.mean_value as measured_mean,
        subjects.result_ids as subject_ids,
        baselines.result_ids as baseline_ids,
        case when {{ is_extreme_of_one('claims', 'baselines.n_submitters') }}
            then 'a best case against one submitter''s results only' end as problem
    from claims
    inner join subject_sizes as subjects
        on claims.claim_id = subjects.claim_id and coalesce(claims.subject_count = subjects.accelerator_count, true)
    inner join baseline_sizes as baselines
        on claims.claim_id = baselines.claim_id
        and coalesce(claims.baseline_count = baselines.accelerator_count, subjects.accelerator_count = baselines.accelerator_count)
        and subjects.benchmark_id = baselines.benchmark_id
        and (not claims.is_same_release or subjects.release = baselines.release)
        -- nothing is compared with itself
        and subjects.result_ids <> baselines.result_ids
    where claims.is_ratio
),

-- the same arithmetic for each figure, one result at a time
measured as (
    select
        subjects.*,
        claims.choice,
        claims.method,
        claims.precision,
        claims.pue,
        claims.claim_grows,
        coalesce({{ size_factor('subjects.accelerator_count', 'claims.subject_count') }}, 1) as size_factor,
        case claims.method
            when 'training_minutes' then subjects.score_minutes
            when 'training_mfu' then case claims.precision
                when 'bf16' then subjects.bf16_equivalent_pct
                when 'fp8' then subjects.fp8_equivalent_pct
            end
            when 'training_tflops' then subjects.bf16_equivalent_pct / 100 * subjects.bf16_dense_tflops
            when 'training_usd_per_mtok'
                then {{ usd_per_trained_mtok('claims.usd_per_accelerator_hour', 'subjects.trained_tokens_per_s_per_accelerator') }}
            when 'training_cost' then {{ run_cost_usd(
                usd_per_trained_mtok('claims.usd_per_accelerator_hour', 'subjects.trained_tokens_per_s_per_accelerator'),
                'claims.trained_tokens') }}
            when 'training_j_per_token' then {{ with_pue('subjects.j_per_trained_token', 'claims.pue') }}
            when 'training_tokens_per_household_year' then {{ tokens_per_household_year(
                with_pue('subjects.j_per_trained_token', 'claims.pue'), latest_constant(ref('energy_constants'), 'us_household_kwh')) }}
        end as measured
    from claims
    inner join subjects using (claim_id)
    where not claims.is_ratio
    -- the size of the claim, or the nearest there is
    qualify claims.subject_count is null or size_factor = min(size_factor) over (partition by claim_id, subjects.release, subjects.benchmark_id)
),

figures as (
    select
        claim_id,
        choice,
        release,
        benchmark_id,
        accelerator_count,
        case when any_value(claim_grows) = 'lower' then min(measured) else max(measured) end as measured_best,
        median(measured) as measured_median,
        {{ mean('measured') }} as measured_mean,
        list(result_id order by score_minutes, result_id) as subject_ids,
        cast([] as varchar[]) as baseline_ids,
        concat_ws('; ',
            case
                when any_value(method) = 'training_minutes' or any_value(precision) is null or max(fp8_dense_tflops) is null then null
                when count(*) filter (number_format is null) > 0
                    then format('the claim is of {}; the number format of the measured run is not known', upper(any_value(precision)))
                when count(*) filter (number_format <> precision) > 0
                    then format('the claim is of {}; the measured run computed in {}', upper(any_value(precision)),
                        upper(string_agg(distinct number_format, ', ' order by number_format)))
            end,
            -- a rate of a system half or twice the size still says something, minutes do not
            case when max(size_factor) > case any_value(method) when 'training_minutes' then 1 else {{ var('claim_size_factor') }} end
                then 'measured on systems of another size' end
        ) as problem,
        case when any_value(pue) <> 1 then format('{:.4g} J per token at the servers, times a PUE of {} (average of the industry)',
            median(j_per_trained_token), any_value(pue)) end as note
    from measured
    where measured is not null
    group by claim_id, choice, release, benchmark_id, accelerator_count
)

select
    * exclude (accelerator_count)
        replace (nullif(problem, '') as problem),
    format('{} {} on {}', release, benchmark_id, cast(accelerator_count as bigint)) as cell
from (
    select * from figures
    union all by name
    select * from ratios
) as compared
