-- Seed mlperf_inference_metrics with the user's overrides of it.
{{ with_overrides('mlperf_inference_metrics') }}
