-- The published model key → MLCommons' benchmark_id.
with

results as (
    select distinct release, benchmark_published
    from {{ ref('stg_mlperf_inference__results') }}
),

aliases as (select * from {{ ref('mlperf_benchmark_aliases') }})

select
    results.release,
    results.benchmark_published,
    benchmarks.benchmark_id,
    benchmarks.benchmark_family,
    benchmarks.accuracy_target,
    benchmarks.tokens_metric
from results
left join aliases
    on results.benchmark_published = aliases.published_name
    and (aliases.release is null or aliases.release = results.release)
left join {{ ref('mlperf_benchmarks') }} as benchmarks
    on coalesce(aliases.benchmark_id, results.benchmark_published) = benchmarks.benchmark_id
