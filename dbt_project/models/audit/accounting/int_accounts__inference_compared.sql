{{ config(materialized = 'ephemeral') }}

-- One row per round and dialect of MLPerf Inference: its results, and those with a figure per accelerator.
select
    {{ account_step(
        5, "'fct_inference_result → per accelerator'", 'count(*)', 'count(throughput_per_accelerator)', 'count(invalid_reason)',
        "coalesce(string_agg(distinct invalid_reason, ', ' order by invalid_reason), '')",
        source="'mlperf-inference'", release='release'
    ) }}
from {{ ref('fct_inference_result') }}
group by release, dialect
