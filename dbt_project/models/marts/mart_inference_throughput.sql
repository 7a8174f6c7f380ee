{%- set keys = ['scenario', 'suite', 'division', 'variant', 'result_unit'] -%}
with

results as (
    select *
    from {{ ref('fct_inference_result') }}
    where {{ stands_for_accelerator() }}
),

counted as ({{ without_reference('results', 'release, suite, division, benchmark_id, scenario, accelerator_id, variant, result_unit, availability') }}),

cells as (
    select
        release,
        suite,
        division,
        benchmark_id,
        benchmark_version,
        scenario,
        accelerator_id,
        variant,
        result_unit,
        availability,
        any_value(software_class) as software_class,
        {{ throughput_statistics() }}
    from counted
    group by
        release, suite, division, benchmark_id, benchmark_version, scenario, accelerator_id, variant, result_unit, availability
),

reasoned as (
    select
        cells.*,
        best_result_id as result_id,
        {{ apart_reason('cells') }} as apart_reason
    from cells
)

select
    reasoned.* exclude (result_id),
    reasoned.apart_reason is null and {{ is_best_of_accelerator('reasoned', 'throughput_per_accelerator_max', keys) }}
        as is_representative,
    {{ newest_round_columns('reasoned', 'throughput_per_accelerator_median', keys) }}
from reasoned
