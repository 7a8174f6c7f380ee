-- Seed accelerator_specs with the user's overrides of it.
{{ with_overrides('accelerator_specs') }}
