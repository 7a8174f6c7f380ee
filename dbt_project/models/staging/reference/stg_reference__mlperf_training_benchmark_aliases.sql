-- Seed mlperf_training_benchmark_aliases with the user's overrides of it.
{{ with_overrides('mlperf_training_benchmark_aliases') }}
