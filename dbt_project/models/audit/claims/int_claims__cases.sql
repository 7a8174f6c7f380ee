-- One row per case of a claim (round, benchmark, scenario, size, number format, group of submitters), with a verdict of its own.
with

claims as (select * from {{ ref('int_claims__stated') }}),

formats as (
    select result_id, number_format from {{ ref('fct_inference_result') }}
    union all
    select result_id, number_format from {{ ref('fct_training_result') }}
),

incomplete as (
    select suite_kind || ' ' || release as round from {{ ref('dim_release') }} where is_incomplete
),

measured as (
    select
        counterparts.* exclude (counterparts.is_shown, counterparts.is_used, counterparts.baseline_submitters),
        counterparts.baseline_submitters as compared_with,
        counterparts.is_used as is_decisive,
        concat_ws(' ', counterparts.cell,
            case when counterparts.baseline_release <> counterparts.release
                then 'against ' || counterparts.baseline_release end,
            case when counterparts.baseline_submitters <> 'all submitters'
                then 'against ' || counterparts.baseline_submitters || '''s own' end) as case_name,
        claims.claimed_value,
        claims.claimed_low,
        claims.claimed_high,
        claims.tolerance_pct,
        claims.bound,
        claims.claim_grows,
        claims.has_direction,
        case claims.basis
            when 'median' then counterparts.measured_median
            when 'mean' then counterparts.measured_mean
            else counterparts.measured_best
        end as measured_value,
        -- an MFU is of the format that ran; of a run in another one the same figure is an equivalent
        case
            when claims.method <> 'training_mfu' then replace(claims.metric, '_', ' ')
            when subjects.number_format = claims.precision then 'MFU in ' || upper(claims.precision)
            else upper(claims.precision) || '-equivalent of a run in ' || coalesce(upper(subjects.number_format), 'an unknown format')
        end as measured_quantity,
        -- of the best result of each side
        subjects.number_format as subject_number_format,
        baselines.number_format as baseline_number_format,
        concat_ws('; ', claims.unmet_condition, counterparts.problem) as obstacles,
        coalesce(
            claims.suite_kind || ' ' || counterparts.release in (select incomplete.round from incomplete)
            or claims.suite_kind || ' ' || counterparts.baseline_release in (select incomplete.round from incomplete), false
        ) as has_incomplete_round
    from {{ ref('int_claims__counterparts') }} as counterparts
    inner join claims using (claim_id)
    left join formats as subjects on counterparts.subject_ids[1] = subjects.result_id
    left join formats as baselines on counterparts.baseline_ids[1] = baselines.result_id
    where counterparts.is_shown
),

judged as (
    select
        *,
        {{ claim_verdict('measured_value', 'claimed_low', 'claimed_high', 'tolerance_pct', 'bound', 'claim_grows') }}
            as bare_verdict,
        has_direction and {{ is_direction_wrong('claimed_low', 'claimed_high', 'bound', 'tolerance_pct',
            'least(measured_best, measured_median, measured_mean)',
            'greatest(measured_best, measured_median, measured_mean)') }} as is_direction_wrong
    from measured
)

select
    claim_id,
    case_name,
    is_decisive,
    compared_with,
    release,
    baseline_release,
    benchmark_id,
    scenario,
    subject_number_format,
    baseline_number_format,
    measured_quantity,
    claimed_value,
    measured_value,
    measured_value / claimed_value as ratio,
    {{ verdict_of_comparison() }} as verdict,
    nullif(obstacles, '') as obstacles,
    note,
    measured_best,
    measured_median,
    measured_mean,
    subject_ids,
    baseline_ids,
    has_incomplete_round,
    is_release_chosen,
    is_known_by_then
from judged
