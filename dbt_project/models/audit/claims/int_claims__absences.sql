{{ config(materialized = 'ephemeral') }}
-- One row per claim, with what it lacks if it has no counterpart: the first of round, benchmark, results, price and field that is missing.
with

claims as (select * from {{ ref('int_claims__stated') }}),

results as (
    select 'inference' as suite_kind, release, benchmark_id, accelerator_id
    from {{ ref('fct_inference_result') }}
    where division = 'closed' and suite = 'datacenter'
    union
    select 'training' as suite_kind, release, benchmark_id, accelerator_id
    from {{ ref('fct_training_result') }}
    where division = 'closed'
),

rounds as (
    select claims.claim_id, count(results.release) > 0 as has_round
    from claims
    left join results
        on claims.suite_kind = results.suite_kind and list_contains(claims.releases, results.release)
    group by claims.claim_id
),

sides as (
    select
        claims.claim_id,
        count(*) filter (
            results.accelerator_id = claims.subject_accelerator_id
            and (claims.releases is null or list_contains(claims.releases, results.release))
        ) > 0 as has_subject,
        count(*) filter (
            results.accelerator_id = claims.baseline_accelerator_id
            and (claims.baseline_releases is null or list_contains(claims.baseline_releases, results.release))
        ) > 0 as has_baseline
    from claims
    inner join results
        on claims.suite_kind = results.suite_kind
        and (list_contains(claims.benchmark_ids, results.benchmark_id) or claims.benchmark_ids = ['*'])
    group by claims.claim_id
),

priced as (select distinct claim_id from {{ ref('int_claims__prices') }}),

named as (
    select
        claims.*,
        array_to_string(benchmark_ids, ', ') as benchmarks,
        coalesce(' of ' || array_to_string(releases, ', '), '') as of_releases,
        coalesce(' of ' || array_to_string(baseline_releases, ', '), '') as of_baseline_releases,
        coalesce(cast(cast(subject_count as bigint) as varchar) || ' ', '') || subject_accelerator_id
            || coalesce(' in ' || upper(precision), '') as subject_words,
        coalesce(' and ' || coalesce(cast(cast(baseline_count as bigint) as varchar) || ' ', '')
            || baseline_accelerator_id || coalesce(' in ' || upper(baseline_precision), ''), '') as baseline_words
    from claims
),

found as (
    select
        claims.*,
        case
            when claims.method = 'none' then {'kind': 'field', 'what': claims.unchecked_reason}
            when claims.method in ('peak_ratio', 'system_peak_ratio', 'cost_per_flop_ratio', 'power_per_flop_ratio',
                'scale_up_ratio', 'capital_share')
                then {'kind': 'field', 'what': 'a specification or cost of ' || concat_ws(' or ',
                    claims.subject_accelerator_id, claims.baseline_accelerator_id)}
            when claims.method = 'price_ratio'
                then {'kind': 'price', 'what': 'comparable prices of ' || claims.subject_words || claims.baseline_words}
            when claims.benchmark_ids is null
                then {'kind': 'benchmark', 'what': format('an MLPerf {} benchmark of this workload ({})',
                    claims.suite_kind, claims.workload)}
            when claims.releases is not null and not rounds.has_round
                then {'kind': 'round', 'what': format('MLPerf {} {}, which the warehouse does not hold',
                    claims.suite_kind, array_to_string(claims.releases, ', '))}
            when not coalesce(sides.has_subject, false)
                then {'kind': 'results', 'what': format('closed results of {} in {}{}, of which the rounds held have none',
                    claims.subject_accelerator_id, claims.benchmarks, claims.of_releases)}
            when claims.baseline_accelerator_id is not null and not coalesce(sides.has_baseline, false)
                then {'kind': 'results', 'what': format('closed results of {} in {}{}, of which the rounds held have none',
                    claims.baseline_accelerator_id, claims.benchmarks, claims.of_baseline_releases)}
            when claims.method in ('inference_per_mw', 'inference_per_mw_ratio', 'training_j_per_token',
                'training_tokens_per_household_year')
                then {'kind': 'field', 'what': format('metered power of {} in {}: these results have none',
                    claims.subject_accelerator_id, claims.benchmarks)}
            when claims.method = 'perf_per_price_ratio' and priced.claim_id is null
                then {'kind': 'price', 'what': 'comparable prices of ' || claims.subject_accelerator_id || ' and '
                    || claims.baseline_accelerator_id}
            else {'kind': 'results', 'what': format('a pair of results of {}{} in {}{}',
                claims.subject_words, claims.baseline_words, claims.benchmarks, claims.of_releases)}
        end as missing
    from named as claims
    left join rounds using (claim_id)
    left join sides using (claim_id)
    left join priced using (claim_id)
)

select
    * exclude (benchmarks, of_releases, of_baseline_releases, subject_words, baseline_words, missing),
    missing.kind as missing_kind,
    missing.what as missing
from found
