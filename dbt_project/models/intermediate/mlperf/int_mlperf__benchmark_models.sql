-- One row per inference benchmark with a known model: the model, and its parameters, all experts counted.
select
    benchmarks.benchmark_id,
    models.model_id,
    coalesce(architectures.parameters, models.parameters) as model_parameters
from {{ ref('stg_reference__mlperf_benchmarks') }} as benchmarks
inner join {{ ref('benchmark_models') }} as models using (benchmark_family)
left join {{ ref('model_architectures') }} as architectures using (model_id)
