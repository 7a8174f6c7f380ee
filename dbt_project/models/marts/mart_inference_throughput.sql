with

results as (
    select *
    from {{ ref('fct_inference_result') }}
    where {{ stands_for_accelerator() }}
),

counted as ({{ without_reference('results', 'release, suite, division, benchmark_id, scenario, accelerator_id, variant, result_unit') }})

select
    release,
    suite,
    division,
    benchmark_id,
    scenario,
    accelerator_id,
    variant,
    result_unit,
    {{ throughput_statistics() }}
from counted
group by release, suite, division, benchmark_id, scenario, accelerator_id, variant, result_unit
