-- Public claims case by case: what was measured in each round, benchmark, scenario, size and format, and what it says.
select
    claim_id,
    case_name,
    is_decisive,
    compared_with,
    release,
    baseline_release,
    benchmark_id,
    scenario,
    claimed_value,
    measured_value,
    ratio,
    verdict,
    concat_ws('; ', obstacles, remark,
        case when is_round_incomplete then 'the round is held in part: results may be missing' end,
        case when not is_decisive then 'shown beside the rival''s own submissions, which decide' end) as note,
    measured_best,
    measured_median,
    measured_mean,
    subject_ids,
    baseline_ids
from {{ ref('int_claims__cases') }}
