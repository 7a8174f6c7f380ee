{{ config(materialized = 'ephemeral') }}
-- Seed cloud_providers with the user's overrides of it.
{{ with_overrides('cloud_providers') }}
