-- One row per MLPerf round of inference or training, published or held.
with

releases as (select * from {{ ref('mlperf_releases') }}),

results as (
    select 'inference' as suite_kind, release, fetched_at, is_round_incomplete, dialect
    from {{ ref('fct_inference_result') }}
    union all by name
    select 'training' as suite_kind, release, fetched_at, is_round_incomplete from {{ ref('fct_training_result') }}
),

held as (
    select
        suite_kind, release, count(*) as n_results, mode(dialect) as dialect, max(fetched_at) as fetched_at,
        coalesce(bool_or(is_round_incomplete), false) as is_incomplete
    from results
    group by suite_kind, release
)

select
    releases.suite_kind,
    releases.release,
    {{ release_number('releases.release') }} as release_number,
    releases.published_on,
    releases.repository_url,
    coalesce(held.n_results, 0) as n_results,
    coalesce(held.is_incomplete, false) as is_incomplete,
    case when held.is_incomplete
        then 'incomplete: ' || held.n_results || ' results, read one by one from single files of the round; the others are missing'
    end as incomplete_note,
    held.dialect,
    held.fetched_at,
    releases.note
from releases
left join held using (suite_kind, release)
