-- Whether a result was computed from the run of another scenario. The log decides where there is one;
-- the published flag `inferred` only in rounds where it can be trusted.
with

results as (
    select
        results.result_number, results.scenario, results.log_scenario, results.is_inferred_published,
        results.model_published, results.benchmark_published,
        results.folder,
        bool_or(results.scenario = 'SingleStream') over (
            partition by
                results.release, results.division, results.submitter_published, results.platform,
                results.model_published
        ) as has_source_run,
        releases.inferred_flag_is_reliable
    from {{ ref('int_inference__in_force') }} as results
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
)

select
    result_number,
    case is_derived_basis
        when 'log' then lower(log_scenario) in ('singlestream', 'multistream') and lower(log_scenario) <> lower(scenario)
        when 'published_flag' then is_inferred_published
        when 'scenario' then false
        when 'no_source_run' then false
        when 'folder_case' then false
    end as is_derived,
    is_derived_basis
from reasoned
