{{ config(materialized = 'ephemeral') }}
-- One row per claim on inference and pair of measured sides of one benchmark, scenario and unit, or side alone.
with

subjects as (select * from {{ ref('int_claims__inference_sides') }} where side = 'subject'),

baselines as (select * from {{ ref('int_claims__inference_sides') }} where side = 'baseline'),

rates as (
    select
        *,
        true as is_baseline_claimed_size,
        'closed' as baseline_division,
        measured_best as best,
        measured_median as median_value,
        measured_mean as mean_value,
        cast([] as varchar[]) as baseline_result_ids,
        false as is_extreme_of_one
    from subjects
    where baseline_accelerator_id is null
),

ratios as (
    select
        subjects.*,
        baselines.release as baseline_release,
        baselines.submitters as baseline_submitters,
        baselines.is_claimed_size as is_baseline_claimed_size,
        baselines.division as baseline_division,
        subjects.measured_best / baselines.measured_best as best,
        subjects.measured_median / baselines.measured_median as median_value,
        subjects.measured_mean / baselines.measured_mean as mean_value,
        baselines.result_ids as baseline_result_ids,
        {{ is_extreme_of_one('subjects', 'baselines.n_submitters') }} as is_extreme_of_one
    from subjects
    inner join baselines
        on subjects.claim_id = baselines.claim_id
        and subjects.benchmark_id = baselines.benchmark_id
        and subjects.scenario = baselines.scenario
        and subjects.result_unit = baselines.result_unit
        and (not subjects.is_same_release or subjects.release = baselines.release)
        -- nothing is compared with itself
        and subjects.result_ids <> baselines.result_ids
)

select
    claim_id,
    choice,
    release,
    baseline_release,
    baseline_submitters,
    benchmark_id,
    scenario,
    concat_ws(' ', release, benchmark_id, scenario) as cell,
    best as measured_best,
    median_value as measured_median,
    mean_value as measured_mean,
    result_ids as subject_ids,
    baseline_result_ids as baseline_ids,
    case
        when division = 'open' or baseline_division = 'open'
            then 'a side has results of the open division only, which may change the model'
        when not (is_claimed_size and is_baseline_claimed_size)
            and method in ('inference_rate', 'inference_system_ratio')
            then 'measured on systems of another size and scaled by accelerators'
        when not (is_claimed_size and is_baseline_claimed_size)
            then 'measured on systems of another size'
        when is_extreme_of_one then 'a best case against one submitter''s results only'
    end as problem
from (select * from rates union all by name select * from ratios) as compared
-- of several divisions and sizes of one case the pair that is most alike
qualify row_number() over (
    partition by claim_id, release, baseline_release, benchmark_id, scenario, baseline_submitters
    order by division = 'open', baseline_division = 'open', not is_claimed_size, not is_baseline_claimed_size,
        result_unit desc
) = 1
