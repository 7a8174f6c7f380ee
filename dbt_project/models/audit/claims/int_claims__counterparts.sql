-- Every measured counterpart of a claim: one row per claim and case it can be measured in.
with

releases as (select * from {{ ref('mlperf_releases') }}),

prices as (select * from {{ ref('int_claims__prices') }}),

mlperf as (
    select * from {{ ref('int_claims__inference') }}
    union all by name
    select * from {{ ref('int_claims__training') }}
    union all by name
    select * from {{ ref('int_claims__scaling') }}
),

measured as (
    select * from mlperf where choice.method <> 'perf_per_price_ratio'
    union all by name
    select * from prices where choice.method = 'price_ratio'
    union all by name
    select * from {{ ref('int_claims__specs') }}
    union all by name
    select * from {{ ref('int_claims__capital') }}
    union all by name
    -- performance per dollar: speed of both sides ÷ their prices
    select
        mlperf.claim_id,
        mlperf.choice,
        mlperf.release,
        mlperf.baseline_release,
        mlperf.baseline_submitters,
        mlperf.benchmark_id,
        mlperf.scenario,
        mlperf.cell,
        mlperf.measured_best / prices.measured_best as measured_best,
        mlperf.measured_median / prices.measured_median as measured_median,
        mlperf.measured_mean / prices.measured_mean as measured_mean,
        list_concat(mlperf.subject_ids, prices.subject_ids) as subject_ids,
        list_concat(mlperf.baseline_ids, prices.baseline_ids) as baseline_ids,
        mlperf.problem,
        prices.note
    from mlperf
    inner join prices using (claim_id)
    where mlperf.choice.method = 'perf_per_price_ratio'
),

dated as (
    select
        measured.*,
        measured.choice.is_release_open as is_release_chosen,
        -- specifications and prices have no round; a round of unknown day counts as later than any claim
        coalesce(cast(releases.published_on as date) <= measured.choice.day, measured.release is null) as is_known_by_then
    from measured
    left join releases on measured.release = releases.release and measured.choice.suite_kind = releases.suite_kind
),

-- A claim without a round is compared with the newest one published by its day, else the first after it. Results
-- that compare like with like go before those that do not.
chosen as (
    select
        *,
        dense_rank() over (
            partition by claim_id
            order by
                problem is not null,
                is_release_chosen and not is_known_by_then,
                case when not is_release_chosen then 0
                    when is_known_by_then then -{{ release_number('release') }}
                    else {{ release_number('release') }}
                end
        ) as preference
    from dated
),

-- a rival is judged by its own submissions, where it has any; those of all submitters are shown beside them
against_own as (
    select
        *,
        preference = 1 as is_shown,
        coalesce(baseline_submitters <> 'all submitters', false) as is_against_own,
        coalesce(bool_or(baseline_submitters <> 'all submitters' and preference = 1)
            over (partition by claim_id, cell, baseline_release), false) as has_own
    from chosen
)

select
    * exclude (choice, preference, is_against_own, has_own),
    is_shown and is_against_own = has_own as is_used
from against_own
