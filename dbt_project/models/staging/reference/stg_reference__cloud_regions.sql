-- Seed cloud_regions with the user's overrides of it.
{{ with_overrides('cloud_regions') }}
