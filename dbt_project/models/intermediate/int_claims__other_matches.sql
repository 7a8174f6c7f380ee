-- Results of another part or size that are exactly what a claim says of minutes: a figure credited to the wrong system.
with

claims as (select * from {{ ref('int_claims__stated') }} where method = 'training_minutes'),

results as (
    select * from {{ ref('fct_training_result') }} where division = 'closed' and score_minutes is not null
)

select
    claims.claim_id,
    arg_min(
        format('{} minutes is what {} {} took', claims.claimed_value, cast(results.accelerator_count as bigint),
            results.accelerator_id),
        (abs(results.score_minutes - claims.claimed_value), results.result_id)
    ) as words,
    arg_min(results.result_id, (abs(results.score_minutes - claims.claimed_value), results.result_id)) as result_id
from claims
inner join results
    on list_contains(claims.benchmark_ids, results.benchmark_id)
    and (claims.releases is null or list_contains(claims.releases, results.release))
    and results.accelerator_id is not null
    and (results.accelerator_id <> claims.subject_accelerator_id
        or results.accelerator_count <> claims.subject_count)
    and abs(results.score_minutes / claims.claimed_value - 1) <= claims.tolerance_pct / 100
group by claims.claim_id
