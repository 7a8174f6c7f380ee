-- How far estimates of training were off: each measured result estimated from what was known by its round, once from earlier rounds
-- and once from other submitters. A group (benchmark, part, round, submitter) has one vote. Figures that others published stay out:
-- they came out after the rounds for which they could have stood.
with

known as (select * from {{ ref('int_training__known_speeds') }} where result_id is not null),

compared as (
    select
        known.*,
        mine.result_id as case_id,
        mine.submitter as case_submitter,
        mine.release as case_release,
        mine.tokens_per_s as case_tokens_per_s,
        mine.run_flops as case_flops,
        mine.does_maker_have_mfu as does_case_maker_have_mfu,
        concat_ws(' ', mine.benchmark_id, mine.accelerator_id, mine.release, mine.submitter) as vote,
        held_out.what as held_out,
        {{ nearness_of_speed('known', 'mine') }}
    from known as mine
    cross join (values ('later round'), ('submitter')) as held_out (what)
    inner join known
        on case held_out.what
            when 'later round' then known.release_order < mine.release_order
            else known.release_order <= mine.release_order and known.submitter <> mine.submitter
        end
),

references_in_order as (
    select
        1 as tier,
        c.*,
        row_number() over (partition by c.case_id, c.held_out order by {{ nearest_measured_speed('c') }}) as place
    from compared as c
    where {{ is_measured_speed('c') }}
    union all
    select
        2 as tier,
        c.*,
        row_number() over (partition by c.case_id, c.held_out order by {{ nearest_mfu('c') }}) as place
    from compared as c
    where {{ is_mfu_to_carry('c') }}
),

estimated as (
    select
        *,
        case when tier = 1 then tokens_per_s else {{ trained_tokens_per_s('mfu_pct', 'case_flops', 'peak_tflops') }} end as estimate,
        ln(case_tokens_per_s / estimate) as error,
        {{ training_class('is_of_part', 'is_of_model', 'true', 'does_case_maker_have_mfu') }} as kind_of_case
    from references_in_order
    qualify row_number() over (partition by case_id, held_out order by tier, place) = 1
),

-- a result once for each different estimate, in its class and the wider ones of what is carried over
cases as (
    select *, 1.0 / count(*) over (partition by case_kind, vote) as weight
    from (
        select
            * exclude (kind_of_case),
            unnest(case kind_of_case
                when 'measured' then ['measured'] when 'carried' then ['carried', 'carried to any maker'] else ['carried to any maker']
            end) as case_kind
        from estimated
        qualify row_number() over (partition by case_id, kind_of_case, estimate order by held_out) = 1
    ) as in_classes
),

-- all cases, and all without one group
pools as (
    select case_kind, vote as held_out from cases group by case_kind, vote
    union all
    select distinct case_kind, null from cases
),

placed as (
    select
        pools.case_kind,
        pools.held_out,
        cases.error,
        (sum(cases.weight) over up_to - cases.weight / 2)
        / sum(cases.weight) over (partition by pools.case_kind, pools.held_out) as place_of_weight
    from pools
    inner join cases on pools.case_kind = cases.case_kind and cases.vote is distinct from pools.held_out
    window up_to as (
        partition by pools.case_kind, pools.held_out order by cases.error, cases.case_id, cases.estimate
        rows between unbounded preceding and current row
    )
),

quantiles as (
    select
        case_kind,
        held_out,
        {{ quantile_at('error', 'place_of_weight', '(1 - ' ~ calibration_nominal() ~ ') / 2') }} as low,
        {{ quantile_at('error', 'place_of_weight', '(1 + ' ~ calibration_nominal() ~ ') / 2') }} as high
    from placed
    group by case_kind, held_out
),

judged as (
    select
        cases.case_kind,
        'later round, submitter' as held_out,
        min(releases.published_on) as computed_from,
        max(releases.published_on) as computed_to,
        count(*) as n_cases,
        count(distinct cases.vote) as n_groups,
        count(distinct cases.case_submitter) as n_submitters,
        100 * median(abs(exp(cases.error) - 1)) as median_error_pct,
        100 * quantile_cont(abs(exp(cases.error) - 1), 0.9) as p90_error_pct,
        100 * (exp(median(cases.error)) - 1) as bias_pct,
        100 * {{ mean('cast(cases.error between remaining.low and remaining.high as integer)') }} as inside_pct
    from cases
    left join quantiles as remaining on cases.case_kind = remaining.case_kind and cases.vote = remaining.held_out
    left join {{ ref('mlperf_releases') }} as releases on releases.suite_kind = 'training' and cases.case_release = releases.release
    group by cases.case_kind
)

select
    'training' as estimator,
    judged.* exclude (judged.n_submitters, judged.inside_pct),
    100.0 * {{ calibration_nominal() }} as nominal_pct,
    judged.inside_pct,
    exp(quantiles.high - quantiles.low) as median_high_over_low,
    exp(quantiles.low) as quantile_low,
    exp(quantiles.high) as quantile_high,
    {{ is_calibration_sufficient('judged') }} as is_sufficient,
    case when not {{ is_calibration_sufficient('judged') }} then {{ few_cases_words('judged') }} end as reason,
    format(
        'In {} past cases by {} submitters half were within {:.0f} %; the range held {:.0f} % of them. Those cases are few and related.',
        judged.n_cases, judged.n_submitters, judged.median_error_pct, judged.inside_pct
    ) as sentence
from judged
inner join quantiles on judged.case_kind = quantiles.case_kind and quantiles.held_out is null
