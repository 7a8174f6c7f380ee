-- Public claims against what was measured. A claim of several cases (scenarios, sizes) is judged by the strictest
-- reading of its words: "up to" by the best case, "at least" by the worst, "less than" by the highest, else the middle.
with

claims as (select * from {{ ref('int_claims__stated') }}),

absences as (select * from {{ ref('int_claims__absences') }}),

incomplete as (
    select release from {{ ref('dim_release') }} where suite_kind = 'inference' and is_incomplete
),

other_matches as (select * from {{ ref('int_claims__other_matches') }}),

cells as (
    select
        counterparts.*,
        claims.bound,
        claims.claim_grows,
        claims.suite_kind,
        case claims.basis
            when 'median' then counterparts.measured_median
            when 'mean' then counterparts.measured_mean
            else counterparts.measured_best
        end as measured
    from {{ ref('int_claims__counterparts') }} as counterparts
    inner join claims using (claim_id)
    where counterparts.is_used
),

summed as (
    select
        claim_id,
        count(*) as n_cases,
        {{ case_in_point('bound', 'claim_grows', 'measured') }} as measured_value,
        min(measured) as measured_lowest,
        max(measured) as measured_highest,
        -- on every basis: a direction is wrong only where none of them has it right
        min(least(measured_best, measured_median, measured_mean)) as lowest_of_all,
        max(greatest(measured_best, measured_median, measured_mean)) as highest_of_all,
        {{ case_in_point('bound', 'claim_grows', 'measured_best') }} as by_best,
        {{ case_in_point('bound', 'claim_grows', 'measured_median') }} as by_median,
        {{ case_in_point('bound', 'claim_grows', 'measured_mean') }} as by_mean,
        string_agg(distinct cell, '; ' order by cell) as cases,
        string_agg(distinct release, ', ' order by release) as release,
        string_agg(distinct baseline_release, ', ' order by baseline_release) as baseline_release,
        string_agg(distinct benchmark_id, ', ' order by benchmark_id) as benchmark_ids,
        list_sort(list_distinct(flatten(list(subject_ids)))) as subject_ids,
        list_sort(list_distinct(flatten(list(baseline_ids)))) as baseline_ids,
        min(problem) as problem,
        string_agg(distinct remark, '; ' order by remark) as remark,
        bool_or(suite_kind = 'inference' and (
            release in (select release from incomplete) or baseline_release in (select release from incomplete)
        )) as is_round_incomplete,
        bool_or(is_release_chosen) as is_release_chosen,
        bool_and(is_known_by_then) as is_known_by_then
    from cells
    group by claim_id
),

judged as (
    select
        claims.*,
        summed.* exclude (claim_id, benchmark_ids),
        summed.benchmark_ids as benchmark_ids_used,
        absences.missing_kind,
        absences.missing,
        other_matches.words as other_match,
        other_matches.result_id as other_match_result_id,
        concat_ws('; ', claims.unmet_condition, summed.problem) as obstacles,
        {{ claim_verdict('summed.measured_value', 'claims.claimed_low', 'claims.claimed_high', 'claims.tolerance_pct',
            'claims.bound', 'claims.claim_grows') }} as bare_verdict,
        claims.has_direction and {{ is_direction_wrong('claims.claimed_low', 'claims.claimed_high', 'claims.bound',
            'claims.tolerance_pct', 'summed.lowest_of_all', 'summed.highest_of_all') }} as is_direction_wrong
    from claims
    inner join absences using (claim_id)
    left join summed using (claim_id)
    left join other_matches using (claim_id)
),

verdicts as (
    select
        *,
        case
            when method = 'none' then coalesce(unchecked_verdict, 'no data')
            when measured_value is null then 'no data'
            when obstacles <> '' then 'not comparable'
            -- a missing result may make the difference
            when is_round_incomplete and (is_direction_wrong or bare_verdict <> 'holds') then 'not comparable'
            when is_direction_wrong then 'refuted'
            else bare_verdict
        end as verdict
    from judged
)

select
    claim_id,
    claimed_by,
    claim_date,
    statement_short,
    metric,
    subject_accelerator_id,
    baseline_accelerator_id,
    workload,
    scale,
    claimed_value,
    claimed_low,
    claimed_high,
    unit,
    bound,
    measured_value,
    measured_value / claimed_value as ratio,
    tolerance_pct,
    verdict,
    concat_ws('. ',
        case
            when verdict = 'no data' then 'missing ' || missing_kind || ': ' || missing
            when measured_value is null then missing
            when obstacles <> '' then obstacles
        end,
        case when measured_value is not null
            then format('measured {:.5g}, {:.3g} x the claim{}', measured_value, measured_value / claimed_value,
                case when n_cases = 1 then ' (' || cases || ')' else '' end) end,
        case when verdict = 'refuted' then format('the opposite is true: claimed {} 1, measured {} 1',
            case when claimed_value > 1 then 'above' else 'below' end,
            case when measured_value > 1 then 'above' else 'below' end) end,
        'under the assumption of its source: ' || assumption,
        case when measured_value is null and unmet_condition is not null
            then 'nor would it compare: ' || unmet_condition end,
        case when n_cases > 1 then format('{} cases from {:.4g} to {:.4g}, {}', n_cases, measured_lowest,
            measured_highest,
            case bound when 'up_to' then 'of which the best counts' when 'at_least' then 'each must keep the bound'
                when 'at_most' then 'each must keep the bound' else 'of which the middle counts' end) end,
        case when measured_value is not null and suite_kind is not null
            then format('by {} results; best {:.4g}, median {:.4g}, mean {:.4g}', basis, by_best, by_median, by_mean) end,
        remark,
        case when is_round_incomplete then 'the round is held in part: results may be missing' end,
        case when is_release_chosen and not is_known_by_then
            then 'no round by the day of the claim has it: the first after it' end,
        -- the usual way to a factor of two
        case when method in ('peak_ratio', 'system_peak_ratio')
                and abs(claimed_value / measured_value / 2 - 1) <= tolerance_pct / 100
            then 'the claim is twice the dense ratio: one side counts 2:4 sparsity' end,
        case when verdict in ('overstated', 'understated', 'refuted', 'not comparable') and other_match is not null
            then other_match || ' (' || other_match_result_id || ')' end
    ) as reason,
    case when verdict = 'no data' then missing_kind end as missing_kind,
    case when verdict = 'no data' then missing end as missing,
    assumption,
    basis,
    by_best as measured_best,
    by_median as measured_median,
    by_mean as measured_mean,
    measured_lowest,
    measured_highest,
    coalesce(n_cases, 0) as n_cases,
    cases,
    release,
    coalesce(baseline_release, case when len(baseline_ids) > 0 then release end) as baseline_release,
    benchmark_ids_used as benchmark_ids,
    subject_ids,
    baseline_ids,
    other_match_result_id,
    source_url
from verdicts
