with

results as (
    select *
    from {{ ref('fct_inference_result') }}
    -- a result whose derivation is unknown stays out too
    where is_per_accelerator_valid and not coalesce(is_derived, true)
)

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
from results
group by release, suite, division, benchmark_id, scenario, accelerator_id, variant, result_unit
