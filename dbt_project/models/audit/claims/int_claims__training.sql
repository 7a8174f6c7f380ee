-- One row per case of a claim on training (rounds, benchmark, size, submitters of the baseline), from closed results of each side.
-- Speed is accelerator-hours to the target, so that pairs of one size compare minutes; sizes are never mixed in a pair unless the
-- claim names two sizes: then it is about whole runs, and their minutes are compared.
with

claims as (
    select * from {{ ref('int_claims__stated') }}
    where starts_with(method, 'training_')
        or (method in ('perf_per_price_ratio', 'scaling') and suite_kind = 'training')
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

scaling as (select * from {{ ref('mart_training_scaling') }} where division = 'closed'),

subjects as (
    select
        claims.*,
        results.release,
        results.benchmark_id,
        results.accelerator_count,
        results.result_id,
        results.score_minutes,
        {{ training_pace('claims', 'results') }} as pace,
        results.number_format,
        results.bf16_equivalent_pct,
        results.fp8_equivalent_pct,
        results.bf16_dense_tflops,
        results.fp8_dense_tflops,
        results.trained_tokens_per_s_per_accelerator,
        results.j_per_trained_token,
        coalesce({{ size_factor('results.accelerator_count', 'claims.subject_count') }}, 1) as size_factor
    from claims
    inner join results
        on claims.subject_accelerator_id = results.accelerator_id
        and (list_contains(claims.benchmark_ids, results.benchmark_id) or claims.benchmark_ids = ['*'])
        and (claims.releases is null or list_contains(claims.releases, results.release))
),

-- the size of the claim, or the nearest there is
sized as (
    select *
    from subjects
    where method not in ('training_ratio', 'perf_per_price_ratio')
    qualify subject_count is null
        or size_factor = min(size_factor) over (partition by claim_id, release, benchmark_id)
),

-- the same arithmetic for each quantity, one result at a time
quantities as (
    select
        *,
        case method
            when 'training_minutes' then score_minutes
            when 'training_mfu' then
                case precision when 'bf16' then bf16_equivalent_pct when 'fp8' then fp8_equivalent_pct end
            when 'training_tflops' then bf16_equivalent_pct / 100 * bf16_dense_tflops
            when 'training_usd_per_mtok'
                then {{ usd_per_trained_mtok('usd_per_accelerator_hour', 'trained_tokens_per_s_per_accelerator') }}
            when 'training_cost' then {{ run_cost_usd(
                usd_per_trained_mtok('usd_per_accelerator_hour', 'trained_tokens_per_s_per_accelerator'),
                'trained_tokens') }}
            when 'training_j_per_token' then {{ with_pue('j_per_trained_token', 'pue') }}
            when 'training_tokens_per_household_year' then {{ tokens_per_household_year(
                with_pue('j_per_trained_token', 'pue'), latest_constant(ref('energy_constants'), 'us_household_kwh')) }}
        end as measured
    from sized
    where method <> 'scaling'
),

alone as (
    select
        claim_id,
        release,
        benchmark_id,
        accelerator_count,
        case when any_value(claim_grows) = 'lower' then min(measured) else max(measured) end as measured_best,
        median(measured) as measured_median,
        {{ mean('measured') }} as measured_mean,
        list(result_id order by score_minutes, result_id) as subject_ids,
        cast([] as varchar[]) as baseline_ids,
        case
            when any_value(method) = 'training_minutes' then null
            when any_value(precision) is null or max(fp8_dense_tflops) is null then null
            when count(*) filter (number_format is null) > 0
                then format('the claim is of {}; the number format of the measured run is not known', upper(any_value(precision)))
            when count(*) filter (number_format <> precision) > 0
                then format('the claim is of {}; the measured run computed in {}', upper(any_value(precision)),
                    upper(string_agg(distinct number_format, ', ' order by number_format)))
        end as format_problem,
        case
            -- a rate of a system half or twice the size still says something, minutes do not
            when any_value(method) = 'training_minutes' and max(size_factor) > 1
                then 'measured on systems of another size'
            when max(size_factor) > {{ var('claim_size_factor') }} then 'measured on systems of another size'
        end as size_problem,
        nullif(concat_ws('; ', format_problem, size_problem), '') as problem,
        case when any_value(pue) <> 1 then format('{:.4g} J per token at the servers, times a PUE of {} (average of the industry)',
            median(j_per_trained_token), any_value(pue)) end as remark
    from quantities
    where measured is not null
    group by claim_id, release, benchmark_id, accelerator_count
),

baselines as (
    select
        claims.claim_id,
        claims.rival,
        {{ training_pace('claims', 'results') }} as pace,
        results.*
    from claims
    inner join results
        on claims.baseline_accelerator_id = results.accelerator_id
        and (list_contains(claims.benchmark_ids, results.benchmark_id) or claims.benchmark_ids = ['*'])
        and (claims.baseline_releases is null or list_contains(claims.baseline_releases, results.release))
        and (claims.baseline_count is null or claims.baseline_count = results.accelerator_count)
    where claims.method in ('training_ratio', 'perf_per_price_ratio')
),

baseline_sizes as (
    select
        claim_id, release, benchmark_id, accelerator_count, submitters,
        min(pace) as best, median(pace) as median_value, {{ mean('pace') }} as mean_value,
        list(result_id order by pace, result_id) as result_ids,
        count(distinct submitter) as n_submitters
    from ({{ by_submitters('baselines') }})
    group by all
),

subject_sizes as (
    select
        claim_id, release, benchmark_id, accelerator_count,
        min(pace) as best, median(pace) as median_value, {{ mean('pace') }} as mean_value,
        list(result_id order by pace, result_id) as result_ids
    from subjects
    where method in ('training_ratio', 'perf_per_price_ratio')
        and (subject_count is null or subject_count = accelerator_count)
    group by claim_id, release, benchmark_id, accelerator_count
),

ratios as (
    select
        subject_sizes.claim_id,
        subject_sizes.release,
        baseline_sizes.release as baseline_release,
        baseline_sizes.submitters as baseline_submitters,
        subject_sizes.benchmark_id,
        subject_sizes.accelerator_count,
        baseline_sizes.best / subject_sizes.best as measured_best,
        baseline_sizes.median_value / subject_sizes.median_value as measured_median,
        baseline_sizes.mean_value / subject_sizes.mean_value as measured_mean,
        subject_sizes.result_ids as subject_ids,
        baseline_sizes.result_ids as baseline_ids,
        case when {{ is_extreme_of_one('claims', 'baseline_sizes.n_submitters') }}
            then 'a best case against one submitter''s results only' end as problem
    from subject_sizes
    inner join claims using (claim_id)
    inner join baseline_sizes
        on subject_sizes.claim_id = baseline_sizes.claim_id
        and subject_sizes.benchmark_id = baseline_sizes.benchmark_id
        and (not claims.is_same_release or subject_sizes.release = baseline_sizes.release)
        and subject_sizes.result_ids <> baseline_sizes.result_ids
        and (subject_sizes.accelerator_count = baseline_sizes.accelerator_count
            or claims.baseline_count is not null)
),

-- efficiency of throughput: what claims of scaling are about; that of reaching the target is the remark
scaled as (
    select
        claims.claim_id,
        scaling.release,
        scaling.benchmark_id,
        scaling.accelerator_count,
        scaling.throughput_scaling_efficiency as measured_best,
        scaling.throughput_scaling_efficiency as measured_median,
        scaling.throughput_scaling_efficiency as measured_mean,
        [scaling.result_id] as subject_ids,
        [scaling.base_result_id] as baseline_ids,
        case when claims.baseline_count <> scaling.base_accelerator_count
            then 'measured against another base size' end as problem,
        format('throughput against {} accelerators; to the target it is {:.3f}',
            cast(scaling.base_accelerator_count as bigint), scaling.scaling_efficiency) as remark
    from claims
    inner join scaling
        on claims.method = 'scaling'
        and claims.subject_accelerator_id = scaling.accelerator_id
        and list_contains(claims.benchmark_ids, scaling.benchmark_id)
        and (claims.releases is null or list_contains(claims.releases, scaling.release))
        and (claims.subject_count is null or claims.subject_count = scaling.accelerator_count)
    where scaling.throughput_scaling_efficiency is not null
)

select
    claim_id,
    release,
    baseline_release,
    baseline_submitters,
    benchmark_id,
    format('{} {} on {}', release, benchmark_id, cast(accelerator_count as bigint)) as cell,
    measured_best,
    measured_median,
    measured_mean,
    subject_ids,
    baseline_ids,
    problem,
    remark
from (
    select * exclude (format_problem, size_problem) from alone
    union all by name
    select * from ratios
    union all by name
    select * from scaled
) as compared
