-- The published model key → MLCommons' benchmark_id, or `unmapped:<published key>` where no seed knows it.
with

results as (
    select distinct release, coalesce(benchmark_published, model_published) as benchmark_words
    from {{ ref('stg_mlperf_inference__results') }}
),

aliases as (
    {{ with_overrides('mlperf_benchmark_aliases') }}
),

benchmarks as (select * from {{ ref('stg_reference__mlperf_benchmarks') }})

select
    results.release,
    results.benchmark_words,
    {{ key_or_unmapped('benchmarks.benchmark_id', 'results.benchmark_words') }} as benchmark_id,
    {{ key_or_unmapped('benchmarks.benchmark_family', 'results.benchmark_words') }} as benchmark_family,
    benchmarks.accuracy_target,
    coalesce(benchmarks.tokens_metric, false) as tokens_metric,
    coalesce(aliases.is_override, false) or coalesce(benchmarks.is_override, false) as is_override
from results
left join aliases
    on results.benchmark_words = aliases.published_name
    and (aliases.release is null or aliases.release = results.release)
left join benchmarks
    on coalesce(aliases.benchmark_id, results.benchmark_words) = benchmarks.benchmark_id
