with

releases as (select * from {{ ref('mlperf_releases') }}),

results as (
    select release, count(*) as n_results, min(dialect) as dialect, max(fetched_at) as fetched_at
    from {{ ref('fct_inference_result') }}
    group by release
)

select
    releases.suite_kind,
    releases.release,
    {{ release_number('releases.release') }} as release_number,
    releases.published_on,
    releases.repository_url,
    releases.inferred_flag_is_reliable,
    coalesce(results.n_results, 0) as n_results,
    results.dialect,
    results.fetched_at,
    releases.note
from releases
left join results on releases.release = results.release and releases.suite_kind = 'inference'
