-- What MLCommons published beside what the round's own logs give, folder by folder.
with

results as (select * from {{ ref('stg_mlperf_inference__results') }}),

published as (select * from results where dialect not in ('raw_tree', 'read_singly')),

logs as (select * from results where dialect = 'raw_tree'),

rounds as (select release from published intersect select release from logs),

paired as (
    select
        coalesce(published.release, logs.release) as release,
        coalesce(published.location, logs.location) as location,
        published.dialect as published_dialect,
        published.result_value_published as result_published,
        published.result_unit_published,
        logs.result_value_published as result_from_log,
        logs.result_unit_published as result_unit_from_log,
        logs.log_metric,
        published.power_published,
        logs.power_published as power_from_log,
        coalesce(published.source_url, logs.source_url) as source_url
    from published
    full join logs on published.release = logs.release and published.location = logs.location
    where coalesce(published.release, logs.release) in (select rounds.release from rounds)
),

compared as (
    select
        *,
        result_from_log / result_published - 1 as result_difference,
        power_from_log / power_published - 1 as power_difference
    from paired
)

select
    release,
    location,
    case
        when result_published is null then 'log_only'
        when result_from_log is null then 'published_only'
        when result_difference = 0 then 'equal'
        when {{ equal_within_rounding('result_from_log', 'result_published') }} then 'equal_within_rounding'
        else 'differs'
    end as agreement,
    published_dialect,
    result_published as result_from_collection,
    result_unit_published,
    result_from_log,
    result_unit_from_log,
    log_metric,
    result_difference * 100 as result_difference_pct,
    power_published as power_from_collection,
    power_from_log,
    power_difference * 100 as power_difference_pct,
    case
        when power_published is null then null
        when power_from_log is null then 'log_unreadable'
        when {{ equal_within_rounding('power_from_log', 'power_published') }} then 'equal_within_rounding'
        else 'differs'
    end as power_agreement,
    source_url
from compared
