-- Seed mlperf_benchmark_aliases with the user's overrides of it.
{{ with_overrides('mlperf_benchmark_aliases') }}
