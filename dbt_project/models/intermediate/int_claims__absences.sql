-- Why a claim has no counterpart, in words: the first thing that is missing.
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

priced as (select distinct claim_id from {{ ref('int_claims__prices') }})

select
    claims.claim_id,
    case
        when claims.method = 'none' then claims.unchecked_reason
        when claims.method in ('peak_ratio', 'system_peak_ratio', 'cost_per_flop_ratio', 'power_per_flop_ratio')
            then 'the specs of a part lack the figure'
        when claims.method = 'price_ratio'
            then 'there is no comparable price of both sides'
        when claims.benchmark_ids is null then 'no MLPerf benchmark is this workload'
        when claims.releases is not null and not rounds.has_round
            then format('round {} of MLPerf {} is not in the warehouse',
                array_to_string(claims.releases, ', '), claims.suite_kind)
        when not coalesce(sides.has_subject, false)
            then format('no closed result of {} in {}{}', claims.subject_accelerator_id,
                array_to_string(claims.benchmark_ids, ', '),
                coalesce(' of ' || array_to_string(claims.releases, ', '), ''))
        when claims.baseline_accelerator_id is not null and not coalesce(sides.has_baseline, false)
            then format('no closed result of {} in {}{}', claims.baseline_accelerator_id,
                array_to_string(claims.benchmark_ids, ', '),
                coalesce(' of ' || array_to_string(claims.baseline_releases, ', '), ''))
        when claims.method in ('inference_per_mw', 'inference_per_mw_ratio', 'training_j_per_token',
            'training_tokens_per_household_year') then 'no power was metered in these results'
        when claims.method = 'perf_per_price_ratio' and priced.claim_id is null
            then 'there is no comparable price of both sides'
        else 'no pair of results of the stated size, scenario and precision'
    end as missing
from claims
left join rounds using (claim_id)
left join sides using (claim_id)
left join priced using (claim_id)
