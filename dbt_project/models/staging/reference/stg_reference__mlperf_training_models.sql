{{ config(materialized = 'ephemeral') }}
-- Seed mlperf_training_models with the user's overrides of it.
{{ with_overrides('mlperf_training_models') }}
