-- Both accuracy targets of a model together, a run that was published under both counted once.
with

results as (
    select *
    from {{ ref('fct_inference_result') }}
    where {{ stands_for_accelerator() }} and not is_same_run_as_99_9
),

counted as ({{ without_reference(
    'results',
    'release, suite, division, benchmark_family, scenario, accelerator_id, variant, result_unit, availability'
) }})

select
    release,
    suite,
    division,
    benchmark_family,
    benchmark_version,
    scenario,
    accelerator_id,
    variant,
    result_unit,
    availability,
    any_value(apart_reason) as apart_reason,
    {{ throughput_statistics() }}
from counted
group by
    release, suite, division, benchmark_family, benchmark_version, scenario, accelerator_id, variant, result_unit, availability
