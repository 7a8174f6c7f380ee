{{ config(meta = {'dagster': {'ref': {'name': 'stg_reference__accelerator_specs'}}}) }}
-- Every row of a reference table has is_override set: whether it comes from an override file of the user.
{% for seed in [
    'accelerator_specs', 'accelerator_aliases', 'mlperf_benchmarks', 'mlperf_benchmark_aliases', 'mlperf_inference_metrics',
    'mlperf_scenarios', 'mlperf_units', 'mlperf_submitters', 'cloud_providers', 'cloud_provider_aliases',
    'instance_accelerators', 'gpu_name_accelerators', 'cloud_regions', 'mlperf_training_models',
    'mlperf_training_benchmark_aliases', 'serving_models',
] %}
select '{{ seed }}' as seed, count(*) as rows_unmarked
from {{ ref('stg_reference__' ~ seed) }}
where is_override is null
having count(*) > 0
{{ 'union all' if not loop.last }}
{% endfor %}
