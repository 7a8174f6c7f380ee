-- Seed instance_accelerators with the user's overrides of it.
{{ with_overrides('instance_accelerators') }}
