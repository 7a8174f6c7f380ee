with

results as (
    select *
    from {{ ref('fct_inference_result') }}
    -- a result whose derivation is unknown counts; n_results_derivation_unknown says how many there are
    where is_per_accelerator_valid and is_derived is not true
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
