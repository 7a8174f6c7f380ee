-- A 99 and a 99.9 entry of one system with the same figure are one run published twice.
with

results as (
    select
        results.result_number, results.release, results.division, results.suite_published,
        results.submitter_published, results.platform, results.scenario, results.result_value_published,
        results.power_published, benchmarks.benchmark_family, benchmarks.accuracy_target,
        regexp_replace(results.model_published, '-99(\.9)?$', '') as model_stem
    from {{ ref('int_inference__in_force') }} as results
    left join {{ ref('int_inference__benchmarks') }} as benchmarks using (release, benchmark_words)
),

high as (select * from results where accuracy_target = '99.9'),

low as (select * from results where accuracy_target = '99')

select
    results.result_number,
    coalesce(high.result_number, results.result_number) as run_number,
    high.result_number is not null as is_same_run_as_99_9
from results
left join low using (result_number)
left join high
    on low.release = high.release
    and low.division = high.division
    and low.suite_published is not distinct from high.suite_published
    and low.submitter_published = high.submitter_published
    and low.platform = high.platform
    and low.scenario = high.scenario
    and low.benchmark_family = high.benchmark_family
    and low.model_stem = high.model_stem
    and low.result_value_published = high.result_value_published
    and low.power_published is not distinct from high.power_published
