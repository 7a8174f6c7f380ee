-- Seed cloud_provider_aliases with the user's overrides of it.
{{ with_overrides('cloud_provider_aliases') }}
