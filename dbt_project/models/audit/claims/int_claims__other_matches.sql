{{ config(materialized = 'ephemeral') }}
-- One row per claim whose figure another comparison gives: minutes of another part or size (credited to the wrong system), or, of a
-- ratio, the result of one single submitter as the baseline where the best of all gives another.
with

claims as (select * from {{ ref('int_claims__stated') }}),

training as (
    select * from {{ ref('fct_training_result') }} where division = 'closed' and score_minutes is not null
),

minutes as (
    select
        claims.claim_id,
        format('{} minutes is what {} {} took', claims.claimed_value, cast(results.accelerator_count as bigint),
            results.accelerator_id) as words,
        results.result_id,
        abs(results.score_minutes - claims.claimed_value) as apart
    from claims
    inner join training as results
        on list_contains(claims.benchmark_ids, results.benchmark_id)
        and (claims.releases is null or list_contains(claims.releases, results.release))
        and {{ is_mapped('results.accelerator_id') }}
        and (claims.subject_accelerator_id <> results.accelerator_id
            or claims.subject_count <> results.accelerator_count)
        and abs(results.score_minutes / claims.claimed_value - 1) <= claims.tolerance_pct / 100
    where claims.method = 'training_minutes'
),

-- the best result of the subject against each result of the baseline
pairs as (
    select
        claims.claim_id,
        claims.method,
        claims.claimed_value,
        claims.tolerance_pct,
        counterparts.subject_ids[1] as subject_id,
        unnest(counterparts.baseline_ids) as baseline_id
    from claims
    inner join {{ ref('int_claims__counterparts') }} as counterparts using (claim_id)
    where counterparts.is_used and claims.method in ('inference_ratio', 'training_ratio')
        and claims.bound = 'about' and claims.basis = 'best'
),

paces as (
    select result_id, submitter, throughput_per_accelerator as pace, 'inference_ratio' as method
    from {{ ref('fct_inference_result') }}
    union all
    select result_id, submitter, 1 / accelerator_hours as pace, 'training_ratio' as method
    from training
),

ratios as (
    select
        pairs.claim_id,
        format('{:.3g} is the ratio to the system of {} alone', subject.pace / baseline.pace, baseline.submitter) as words,
        pairs.baseline_id as result_id,
        abs(subject.pace / baseline.pace - pairs.claimed_value) as apart
    from pairs
    inner join paces as subject on pairs.subject_id = subject.result_id and pairs.method = subject.method
    inner join paces as baseline on pairs.baseline_id = baseline.result_id and pairs.method = baseline.method
    where abs(subject.pace / baseline.pace / pairs.claimed_value - 1) <= pairs.tolerance_pct / 100
)

select
    claim_id,
    arg_min(words, (apart, result_id)) as words,
    arg_min(result_id, (apart, result_id)) as result_id
from (select * from minutes union all by name select * from ratios) as compared
group by claim_id
