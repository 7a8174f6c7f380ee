-- One row per public claim, against what was measured. A claim of several cases (scenarios, sizes) is judged by the strictest
-- reading of its words: "up to" by the best case, "at least" by the worst, "less than" by the highest, else the middle.
with

claims as (select * from {{ ref('int_claims__absences') }}),

other_matches as (select * from {{ ref('int_claims__other_matches') }}),

cases as (select * from {{ ref('int_claims__cases') }}),

-- few cases are named one by one, many by round and benchmark
named_cases as (
    select
        *,
        case when count(*) over (partition by claim_id) <= 4 then case_name
            else coalesce(release || ' ' || benchmark_id, case_name) end as words
    from cases
    where is_decisive
),

by_verdict as (
    select
        claim_id,
        verdict,
        count(*) as n_cases,
        format('{} in {} ({}): {}', verdict, count(*), case when min(measured_value) = max(measured_value) then '' else
            {{ readable('min(measured_value)') }} || ' to ' end || {{ readable('max(measured_value)') }},
            string_agg(distinct words, ', ' order by words)) as words
    from named_cases
    group by claim_id, verdict
),

case_verdicts as (
    select
        claim_id,
        string_agg(words, '; ' order by n_cases desc, verdict asc) as case_verdicts,
        cast(coalesce(sum(n_cases) filter (verdict = 'holds'), 0) as bigint) as n_cases_hold
    from by_verdict
    group by claim_id
),

shown_beside as (
    select
        claim_id,
        string_agg(format('{:.3g} ({}, {})', measured_value, concat_ws(' ', benchmark_id, scenario), verdict), ', '
            order by case_name) as words
    from cases
    where not is_decisive
    group by claim_id
),

summed as (
    select
        cases.claim_id,
        count(*) as n_cases,
        {{ case_in_point('bound', 'claim_grows', 'measured_value') }} as measured_value,
        min(measured_value) as measured_lowest,
        max(measured_value) as measured_highest,
        -- on every basis: a direction is wrong only where none of them has it right
        min(least(cases.measured_best, cases.measured_median, cases.measured_mean)) as lowest_of_all,
        max(greatest(cases.measured_best, cases.measured_median, cases.measured_mean)) as highest_of_all,
        {{ case_in_point('bound', 'claim_grows', 'measured_best') }} as by_best,
        {{ case_in_point('bound', 'claim_grows', 'measured_median') }} as by_median,
        {{ case_in_point('bound', 'claim_grows', 'measured_mean') }} as by_mean,
        string_agg(distinct cases.case_name, '; ' order by cases.case_name) as cases,
        string_agg(distinct cases.compared_with, ', ' order by cases.compared_with) as compared_with,
        string_agg(distinct cases.release, ', ' order by cases.release) as release,
        string_agg(distinct cases.baseline_release, ', ' order by cases.baseline_release) as baseline_release,
        string_agg(distinct cases.benchmark_id, ', ' order by cases.benchmark_id) as benchmark_ids,
        list_sort(list_distinct(flatten(list(cases.subject_ids)))) as subject_ids,
        list_sort(list_distinct(flatten(list(cases.baseline_ids)))) as baseline_ids,
        min(cases.obstacles) as obstacles,
        string_agg(distinct cases.note, '; ' order by cases.note) as note,
        array_to_string(list_sort(list(distinct format('{} against {}', coalesce(upper(cases.subject_number_format), 'unknown'),
            coalesce(upper(cases.baseline_number_format), 'unknown'))) filter (
            cases.baseline_number_format is distinct from cases.subject_number_format and len(cases.baseline_ids) > 0
            and cases.release is not null)), ', ') as unlike_formats,
        string_agg(distinct cases.measured_quantity, '; ' order by cases.measured_quantity) as measured_quantity,
        bool_or(cases.has_incomplete_round) as has_incomplete_round,
        bool_or(cases.is_release_chosen) as is_release_chosen,
        bool_and(cases.is_known_by_then) as is_known_by_then
    from cases
    inner join (select claim_id, bound, claim_grows from claims) as claims using (claim_id)
    where cases.is_decisive
    group by cases.claim_id
),

judged as (
    select
        claims.*,
        summed.* exclude (summed.claim_id, summed.benchmark_ids, summed.obstacles),
        summed.benchmark_ids as benchmark_ids_used,
        case_verdicts.case_verdicts,
        case_verdicts.n_cases_hold,
        shown_beside.words as shown_beside,
        other_matches.words as other_match,
        other_matches.result_id as other_match_result_id,
        coalesce(summed.obstacles, claims.unmet_condition, '') as obstacles,
        {{ claim_verdict('summed.measured_value', 'claims.claimed_low', 'claims.claimed_high', 'claims.tolerance_pct',
            'claims.bound', 'claims.claim_grows') }} as bare_verdict,
        claims.has_direction and {{ is_direction_wrong('claims.claimed_low', 'claims.claimed_high', 'claims.bound',
            'claims.tolerance_pct', 'summed.lowest_of_all', 'summed.highest_of_all') }} as is_direction_wrong
    from claims
    left join summed using (claim_id)
    left join case_verdicts using (claim_id)
    left join shown_beside using (claim_id)
    left join other_matches using (claim_id)
),

verdicts as (
    select
        *,
        case
            when method = 'none' then coalesce(unchecked_verdict, 'no data')
            when measured_value is null then 'no data'
            else {{ verdict_of_comparison() }}
        end as verdict
    from judged
),

measured as (select * from verdicts where measured_value is not null),

-- the sentences of a reason, in their order
sentences as (
    select claim_id, 1 as place, 'No data. Missing ' || missing_kind || ': ' || missing as sentence
    from verdicts where verdict = 'no data'
    union all
    select claim_id, 1, 'Not comparable: ' || case
        when measured_value is null then missing
        when obstacles <> '' then obstacles
        else 'the round is held in part, and a missing result may decide'
    end
    from verdicts where verdict = 'not comparable'
    union all
    select claim_id, 2, format('Measured {} where {} is claimed, a ratio of {:.2f}{}', {{ readable('measured_value') }},
        {{ readable('claimed_value') }}, measured_value / claimed_value, case when n_cases = 1 then ' (' || cases || ')' else '' end)
    from measured
    union all
    select claim_id, 3, format('The opposite is true: claimed {} 1, measured {} 1', case when claimed_value > 1 then 'above' else 'below' end,
        case when measured_value > 1 then 'above' else 'below' end)
    from measured where verdict = 'refuted'
    union all
    select claim_id, 4, 'Judged under the assumption of its source: ' || assumption from verdicts
    union all
    select claim_id, 5, 'With data it would still not be comparable: ' || unmet_condition from verdicts where measured_value is null
    union all
    select claim_id, 6, format('The claim covers {} cases and is judged by the {}. By case: {}', n_cases, case bound
        when 'up_to' then 'best ("up to")'
        when 'at_least' then 'least favourable ("at least")'
        when 'at_most' then 'highest ("at most")'
        else 'middle one'
    end, case_verdicts)
    from measured where n_cases > 1
    union all
    select claim_id, 7, case
        when compared_with = 'all submitters'
            then format('{} itself submitted no such result: compared with those of all submitters', rival)
        when contains(compared_with, 'all submitters')
            then format('Compared with {}''s own submissions where it made any, else with those of all submitters', rival)
        else format('Compared with {}''s own submissions', rival)
    end
    from measured where rival is not null and compared_with is not null
    union all
    select claim_id, 8, 'Against all submitters: ' || shown_beside from verdicts
    union all
    select claim_id, 9, format('Judged by the {} results: by the best it is {}, by the median {}, by the mean {}', basis,
        {{ readable('by_best') }}, {{ readable('by_median') }}, {{ readable('by_mean') }})
    from measured where suite_kind is not null and (by_best <> by_median or by_best <> by_mean)
    union all
    select claim_id, 10, upper(note[1]) || note[2:] from verdicts
    union all
    select claim_id, 11, 'Number formats of the best results differ: ' || unlike_formats from verdicts
    union all
    select claim_id, 12, 'The round is held in part: results may be missing' from verdicts where has_incomplete_round
    union all
    select claim_id, 13, 'No round published by the day of the claim has it: the first after it is used'
    from verdicts where is_release_chosen and not is_known_by_then
    union all
    -- the usual way to a factor of two
    select claim_id, 14, 'The claim is twice the dense ratio: one side counts 2:4 sparsity'
    from measured
    where method in ('peak_ratio', 'system_peak_ratio') and abs(claimed_value / measured_value / 2 - 1) <= tolerance_pct / 100
    union all
    select claim_id, 15, 'The claimed figure fits another comparison: ' || other_match || ' (' || other_match_result_id || ')'
    from verdicts where verdict in ('overstated', 'understated', 'refuted', 'not comparable')
),

reasons as (select claim_id, string_agg(sentence, '. ' order by place) || '.' as reason from sentences group by claim_id),

reasoned as (select verdicts.*, reasons.reason from verdicts inner join reasons using (claim_id))

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
    case when claimed_low < claimed_high then claimed_low end as claimed_low,
    case when claimed_low < claimed_high then claimed_high end as claimed_high,
    unit,
    bound,
    measured_value,
    measured_quantity,
    measured_value / claimed_value as ratio,
    tolerance_pct,
    verdict,
    reason,
    case when verdict = 'not comparable'
        then coalesce(nullif(concat_ws('; ', case when measured_value is null then missing end, nullif(obstacles, '')), ''),
            'the round is held in part') end as not_comparable_reason,
    case when verdict = 'no data' then missing_kind end as missing_kind,
    case when verdict = 'no data' then missing end as missing,
    assumption,
    basis,
    by_best as measured_best,
    by_median as measured_median,
    by_mean as measured_mean,
    case when n_cases > 1 then measured_lowest end as measured_lowest,
    case when n_cases > 1 then measured_highest end as measured_highest,
    case when n_cases > 1 then 'spread of cases' when n_cases = 1 then 'one case' end as uncertainty_basis,
    coalesce(n_cases, 0) as n_cases,
    coalesce(n_cases_hold, 0) as n_cases_hold,
    cases,
    compared_with,
    release,
    coalesce(baseline_release, case when len(baseline_ids) > 0 then release end) as baseline_release,
    benchmark_ids_used as benchmark_ids,
    subject_ids,
    baseline_ids,
    other_match_result_id,
    coalesce(len(subject_ids), 0) > 0 as in_file,
    other_match_result_id is not null and verdict in ('overstated', 'understated', 'refuted') as label_mismatch,
    source_url
from reasoned
