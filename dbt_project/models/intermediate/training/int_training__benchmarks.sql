-- One row per round and folder name of a benchmark: its own key, an alias of that round, or unmapped.
with

published as (
    select release, benchmark_published from {{ ref('stg_mlperf_training__runs') }}
    union
    select release, benchmark_published from {{ ref('stg_mlperf_training__results') }}
),

aliases as (
    {{ with_overrides('mlperf_training_benchmark_aliases') }}
),

known as (select benchmark_id from {{ ref('stg_reference__mlperf_training_models') }}),

matched as (
    select published.*, coalesce(aliases.benchmark_id, known.benchmark_id) as benchmark_id
    from published
    left join aliases
        on published.benchmark_published = aliases.published_name
        and (aliases.first_release is null
            or {{ release_number('published.release') }} >= {{ release_number('aliases.first_release') }})
        and (aliases.last_release is null
            or {{ release_number('published.release') }} <= {{ release_number('aliases.last_release') }})
    left join known on published.benchmark_published = known.benchmark_id
)

select
    release,
    benchmark_published,
    {{ key_or_unmapped('benchmark_id', 'benchmark_published') }} as benchmark_id,
    benchmark_id is not null as is_mapped
from matched
