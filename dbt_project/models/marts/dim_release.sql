with

releases as (select * from {{ ref('mlperf_releases') }}),

results as (
    select 'inference' as suite_kind, release, dialect, fetched_at from {{ ref('fct_inference_result') }}
    union all
    select 'training' as suite_kind, release, null as dialect, fetched_at from {{ ref('fct_training_result') }}
),

held as (
    select suite_kind, release, count(*) as n_results, min(dialect) as dialect, max(fetched_at) as fetched_at
    from results
    group by suite_kind, release
)

select
    releases.suite_kind,
    releases.release,
    {{ release_number('releases.release') }} as release_number,
    releases.published_on,
    releases.repository_url,
    releases.inferred_flag_is_reliable,
    coalesce(held.n_results, 0) as n_results,
    held.n_results is not null as is_held,
    case when held.n_results is null then coalesce(releases.not_held_reason, 'no result of the round is landed') end
        as not_held_reason,
    held.dialect,
    held.fetched_at,
    releases.note
from releases
left join held using (suite_kind, release)
