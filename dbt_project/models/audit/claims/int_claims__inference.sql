{{ config(materialized = 'ephemeral') }}
-- One row per claim on inference and case (round, benchmark, scenario, submitters of the baseline): results of the subject against those
-- of the baseline in the same unit, or the subject's alone. A rival's side is summed twice: over all submitters, and over the rival's
-- own submissions.
with

claims as (
    select * from {{ ref('int_claims__stated') }}
    where starts_with(method, 'inference_') or (method = 'perf_per_price_ratio' and suite_kind = 'inference')
),

results as (
    select *
    from {{ ref('fct_inference_result') }}
    where {{ stands_for_accelerator() }}
        and suite = 'datacenter'
        and division in ('closed', 'open')
),

sides as (
    select
        * exclude (rival, baseline_releases, baseline_precision, subject_variant),
        cast(null as varchar) as rival, 'subject' as side, subject_accelerator_id as accelerator_id,
        subject_count as claimed_count, subject_variant as variant
    from claims
    union all by name
    select
        * exclude (baseline_releases, baseline_precision, subject_variant)
            replace (baseline_releases as releases, baseline_precision as precision),
        'baseline' as side, baseline_accelerator_id as accelerator_id, baseline_count as claimed_count, 'standard' as variant
    from claims
    where baseline_accelerator_id is not null
),

matched as (
    select
        sides.claim_id,
        sides.side,
        sides.rival,
        results.release,
        results.benchmark_id,
        results.scenario,
        results.result_unit,
        results.division,
        results.result_id,
        results.submitter,
        sides.claimed_count is null or results.accelerator_count = sides.claimed_count as is_claimed_size,
        case
            when sides.method in ('inference_per_mw', 'inference_per_mw_ratio')
                then 1e6 / {{ with_pue('results.j_per_output_token', 'sides.pue') }}
            -- a system of another size stands for the claimed one by its share; the pair is then not comparable
            when sides.method in ('inference_rate', 'inference_system_ratio')
                then results.throughput_per_accelerator
                    * coalesce(sides.claimed_count, results.accelerator_count)
            else results.throughput_per_accelerator
        end as measured
    from sides
    inner join results
        on sides.accelerator_id = results.accelerator_id
        and list_contains(sides.benchmark_ids, results.benchmark_id)
        and (sides.scenarios is null or list_contains(sides.scenarios, results.scenario))
        and (sides.releases is null or list_contains(sides.releases, results.release))
        and sides.variant = results.variant
        and (sides.precision is null or contains(results.weight_number_formats, sides.precision))
    where sides.method not in ('inference_rate', 'inference_rate_per_accelerator') or results.result_unit = 'tokens/s'
),

summed as (
    select
        claim_id, side, release, benchmark_id, scenario, result_unit, division, is_claimed_size, submitters,
        count(distinct submitter) as n_submitters,
        max(measured) as best, median(measured) as median_value, {{ mean('measured') }} as mean_value,
        list(result_id order by measured desc, result_id asc) as result_ids
    from ({{ by_submitters('matched') }}) as grouped
    where measured is not null
    group by all
)

select
    claims.claim_id,
    claims.choice,
    subjects.release,
    baselines.release as baseline_release,
    baselines.submitters as baseline_submitters,
    subjects.benchmark_id,
    subjects.scenario,
    concat_ws(' ', subjects.release, subjects.benchmark_id, subjects.scenario) as cell,
    subjects.best / coalesce(baselines.best, 1) as measured_best,
    subjects.median_value / coalesce(baselines.median_value, 1) as measured_median,
    subjects.mean_value / coalesce(baselines.mean_value, 1) as measured_mean,
    subjects.result_ids as subject_ids,
    coalesce(baselines.result_ids, []) as baseline_ids,
    case
        when subjects.division = 'open' or baselines.division = 'open'
            then 'a side has results of the open division only, which may change the model'
        when not (subjects.is_claimed_size and coalesce(baselines.is_claimed_size, true))
            then 'measured on systems of another size'
                || case when claims.method in ('inference_rate', 'inference_system_ratio') then ' and scaled by accelerators' else '' end
        when {{ is_extreme_of_one('claims', 'baselines.n_submitters') }} then 'a best case against one submitter''s results only'
    end as problem
from claims
inner join summed as subjects on claims.claim_id = subjects.claim_id and subjects.side = 'subject'
left join summed as baselines
    on claims.claim_id = baselines.claim_id and baselines.side = 'baseline'
    and subjects.benchmark_id = baselines.benchmark_id
    and subjects.scenario = baselines.scenario
    and subjects.result_unit = baselines.result_unit
    and (not claims.is_same_release or subjects.release = baselines.release)
    -- nothing is compared with itself
    and subjects.result_ids <> baselines.result_ids
where claims.baseline_accelerator_id is null or baselines.claim_id is not null
-- of several divisions and sizes of one case the pair that is most alike
qualify row_number() over (
    partition by claims.claim_id, subjects.release, baselines.release, subjects.benchmark_id, subjects.scenario, baselines.submitters
    order by subjects.division = 'open', baselines.division = 'open', not subjects.is_claimed_size, not baselines.is_claimed_size,
        subjects.result_unit desc
) = 1
