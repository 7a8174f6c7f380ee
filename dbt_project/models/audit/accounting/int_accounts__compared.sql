{{ config(materialized = 'ephemeral') }}

-- One row per round and dialect of MLPerf Inference, per price list, and per payload of measured serving: the facts, and those that
-- can be compared (results with a figure per accelerator, comparable prices, points that frontiers are made of).
with

points as (
    select
        *,
        coalesce(exclusion_reason, case when not is_newest_run then 'a newer run of the configuration' end) as reason
    from {{ ref('fct_serving_point') }}
)

select
    {{ account_step(
        5, "'fct_inference_result → per accelerator'", 'count(*)', 'count(throughput_per_accelerator)', 'count(invalid_reason)',
        "coalesce(string_agg(distinct invalid_reason, ', ' order by invalid_reason), '')",
        source="'mlperf-inference'", release='release'
    ) }}
from {{ ref('fct_inference_result') }}
group by release, dialect

union all
select
    {{ account_step(
        5, "'fct_price_interval → comparable'", 'count(*)', 'count(*) filter (is_comparable)', 'count(exclusion_reason)',
        "coalesce(string_agg(distinct exclusion_reason, ', ' order by exclusion_reason), '')",
        dialect="'prices'", payload_key='stream'
    ) }}
from {{ ref('fct_price_interval') }}
group by source, stream

union all
select
    {{ account_step(
        5, "'fct_serving_point → frontiers'", 'count(*)', 'count(*) filter (is_newest_run and exclusion_reason is null)',
        'count(reason)', "coalesce(string_agg(distinct reason, ', ' order by reason), '')",
        dialect="'serving'", payload_key='payload_key'
    ) }}
from points
group by source, payload_key
