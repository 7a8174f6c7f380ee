{{ config(materialized = 'ephemeral') }}
-- Seed mlperf_submitters with the user's overrides of it.
{{ with_overrides('mlperf_submitters') }}
