-- What software gained between the first and the newest round in which one submitter measured the same accelerator,
-- benchmark, scale and number format. The range is over the submitters that measured the same between the same rounds.
with

spans as (
    select
        suite_kind,
        submitter_id,
        benchmark_id,
        benchmark_version,
        scenario,
        accelerator_id,
        accelerator_count,
        number_format,
        availability,
        unit,
        arg_min(previous_release, {{ release_number('previous_release') }}) as first_release,
        arg_max(release, {{ release_number('release') }}) as newest_release,
        arg_min(previous_value, {{ release_number('previous_release') }}) as first_value,
        arg_max(value, {{ release_number('release') }}) as newest_value,
        arg_min(previous_result_id, {{ release_number('previous_release') }}) as first_result_id,
        arg_max(best_result_id, {{ release_number('release') }}) as newest_result_id,
        count(*) + 1 as n_releases
    from {{ ref('mart_software_progress') }}
    group by all
),

gains as (
    select *, {{ gain_ratio('unit', 'newest_value', 'first_value') }} as gain_ratio from spans
),

witnessed as (
    select
        *,
        count(*) over same_span as n_submitters,
        min(gain_ratio) over same_span as lowest,
        max(gain_ratio) over same_span as highest
    from gains
    window same_span as (
        partition by
            suite_kind, benchmark_id, benchmark_version, scenario, accelerator_id, accelerator_count, number_format,
            availability, unit, first_release, newest_release
    )
)

select
    * exclude (benchmark_version, lowest, highest),
    case when n_submitters > 1 then lowest end as gain_ratio_low,
    case when n_submitters > 1 then highest end as gain_ratio_high,
    case when n_submitters > 1 then 'spread of submitters' else 'one submitter' end as uncertainty_basis
from witnessed
