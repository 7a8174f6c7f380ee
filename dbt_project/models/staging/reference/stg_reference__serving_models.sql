-- Seed serving_models with the user's overrides of it.
{{ with_overrides('serving_models') }}
