{{ config(materialized = 'ephemeral') }}
-- Seed mlperf_scenarios with the user's overrides of it.
{{ with_overrides('mlperf_scenarios') }}
