-- The best available result of a round as a forecast of the next, of the same accelerators, their count and the task. The range is that
-- of all other benchmarks.
with

held_out as (
    select
        'best result of a round' as estimator,
        'best of the next round, ' || best.suite_kind as case_kind,
        'each benchmark' as held_out,
        releases.published_on as case_on,
        best.benchmark_id as vote,
        ln(best.gain_ratio) as error
    from {{ ref('mart_best_of_round') }} as best
    inner join {{ ref('dim_release') }} as releases using (suite_kind, release)
    where best.gain_ratio > 0
        and best.availability = 'available'
        and not best.is_round_incomplete
        and not best.is_previous_round_incomplete
),

ranges as (
    select
        mine.case_kind,
        mine.vote,
        quantile_cont(rest.error, (1 - {{ calibration_nominal() }}) / 2) as low,
        quantile_cont(rest.error, (1 + {{ calibration_nominal() }}) / 2) as high
    from (select distinct case_kind, vote from held_out) as mine
    inner join held_out as rest on mine.case_kind = rest.case_kind and mine.vote <> rest.vote
    group by mine.case_kind, mine.vote
),

cases as (
    select
        held_out.*,
        held_out.error between ranges.low and ranges.high as is_inside,
        ranges.high - ranges.low as ln_width
    from held_out
    left join ranges using (case_kind, vote)
)

{{ calibration_of('cases') }}
