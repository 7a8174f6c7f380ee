-- Seed accelerator_aliases with the user's overrides of it.
{{ with_overrides('accelerator_aliases') }}
