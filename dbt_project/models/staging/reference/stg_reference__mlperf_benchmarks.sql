{{ config(materialized = 'ephemeral') }}
-- Seed mlperf_benchmarks with the user's overrides of it.
{{ with_overrides('mlperf_benchmarks') }}
