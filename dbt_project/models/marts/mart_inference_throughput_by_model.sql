-- Both accuracy targets of a model together, a run that was published under both counted once.
with

results as (
    select *
    from {{ ref('fct_inference_result') }}
    where is_per_accelerator_valid and not coalesce(is_derived, true) and not is_same_run_as_99_9
)

select
    release,
    suite,
    division,
    benchmark_family,
    scenario,
    accelerator_id,
    variant,
    result_unit,
    {{ throughput_statistics() }}
from results
group by release, suite, division, benchmark_family, scenario, accelerator_id, variant, result_unit
