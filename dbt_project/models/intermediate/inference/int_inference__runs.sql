-- Which run a result is of. A 99 and a 99.9 entry of one system with the same figure are one run published twice. A derived result
-- was computed from the run of another scenario: the log decides where there is one, the published flag `inferred` only in
-- rounds where it can be trusted.
with

results as (
    select
        results.result_number, results.release, results.division, results.suite_published,
        results.submitter_published, results.platform, results.scenario, results.result_value_published,
        results.power_published, results.log_scenario, results.is_inferred_published, results.model_published,
        results.benchmark_published, results.folder, benchmarks.benchmark_family, benchmarks.accuracy_target,
        releases.inferred_flag_is_reliable,
        regexp_replace(results.model_published, '-99(\.9)?$', '') as model_stem,
        bool_or(results.scenario = 'SingleStream') over (
            partition by
                results.release, results.division, results.submitter_published, results.platform,
                results.model_published
        ) as has_source_run
    from {{ ref('int_inference__active') }} as results
    left join {{ ref('int_inference__benchmarks') }} as benchmarks using (release, benchmark_words)
    left join {{ ref('mlperf_releases') }} as releases
        on results.release = releases.release and releases.suite_kind = 'inference'
),

reasoned as (
    select
        *,
        case
            when log_scenario is not null then 'log'
            when is_inferred_published is null then 'unknown'
            when inferred_flag_is_reliable then 'published_flag'
            when not is_inferred_published then 'published_flag'
            -- only these two are ever computed from another run
            when scenario not in ('Offline', 'MultiStream') then 'scenario'
            -- such a result needs the run it was computed from (v6.1 flags the endpoints harness, which has none)
            when not has_source_run then 'no_source_run'
            -- upstream's tool took lower-case folders for another scenario
            when folder <> scenario then 'folder_case'
            -- and models whose folder is not called like the benchmark
            when model_published <> benchmark_published then 'unknown'
            else 'published_flag'
        end as is_derived_basis
    from results
),

high as (select * from results where accuracy_target = '99.9'),

low as (select * from results where accuracy_target = '99')

select
    reasoned.result_number,
    coalesce(high.result_number, reasoned.result_number) as run_number,
    high.result_number is not null as is_same_run_as_99_9,
    case reasoned.is_derived_basis
        when 'log'
            then lower(reasoned.log_scenario) in ('singlestream', 'multistream')
                and lower(reasoned.log_scenario) <> lower(reasoned.scenario)
        when 'published_flag' then reasoned.is_inferred_published
        when 'scenario' then false
        when 'no_source_run' then false
        when 'folder_case' then false
    end as is_derived,
    reasoned.is_derived_basis
from reasoned
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
