-- Seed mlperf_units with the user's overrides of it.
{{ with_overrides('mlperf_units') }}
