with

benchmarks as (select * from {{ ref('mlperf_benchmarks') }}),

units as (
    select benchmark_id, string_agg(distinct result_unit, ', ' order by result_unit) as units_seen
    from {{ ref('fct_inference_result') }}
    group by benchmark_id
)

select
    benchmarks.benchmark_id,
    benchmarks.benchmark_family,
    'inference' as suite_kind,
    benchmarks.task,
    benchmarks.model_name,
    benchmarks.accuracy_target,
    benchmarks.first_release,
    benchmarks.last_release,
    benchmarks.tokens_metric as is_token_model,
    units.units_seen,
    benchmarks.description,
    benchmarks.source_url
from benchmarks
left join units using (benchmark_id)
