{{ config(materialized = 'ephemeral') }}
-- One row per side of a claim, round, benchmark, scenario, unit and division: what MLPerf Inference has measured. A rival's
-- side is summed twice: over all submitters, and over the rival's own submissions.
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
        sides.choice,
        sides.method,
        sides.bound,
        sides.is_same_release,
        sides.subject_count,
        sides.baseline_count,
        sides.baseline_accelerator_id,
        sides.side,
        results.release,
        results.benchmark_id,
        results.scenario,
        results.result_unit,
        results.division,
        results.result_id,
        results.submitter,
        sides.rival,
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

grouped as ({{ by_submitters('matched') }})

select
    claim_id,
    choice,
    method,
    bound,
    is_same_release,
    subject_count,
    baseline_count,
    baseline_accelerator_id,
    side,
    release,
    benchmark_id,
    scenario,
    result_unit,
    division,
    is_claimed_size,
    submitters,
    count(*) as n_results,
    count(distinct submitter) as n_submitters,
    max(measured) as measured_best,
    median(measured) as measured_median,
    {{ mean('measured') }} as measured_mean,
    arg_max(result_id, (measured, result_id)) as best_result_id,
    list(result_id order by measured desc, result_id asc) as result_ids
from grouped
where measured is not null
group by all
