{{ config(materialized = 'ephemeral') }}

-- One row per payload of measured serving: its points, and those that frontiers are made of.
with

points as (
    select
        *,
        coalesce(exclusion_reason, case when not is_newest_run then 'a newer run of the configuration' end) as reason
    from {{ ref('fct_serving_point') }}
)

select
    {{ account_step(
        5, "'fct_serving_point → frontiers'", 'count(*)', 'count(*) filter (is_newest_run and exclusion_reason is null)',
        'count(reason)', "coalesce(string_agg(distinct reason, ', ' order by reason), '')",
        dialect="'serving'", payload_key='payload_key'
    ) }}
from points
group by source, payload_key
