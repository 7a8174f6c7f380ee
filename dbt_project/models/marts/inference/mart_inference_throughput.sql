-- One row per round, suite, division, benchmark, scenario, accelerator, variant, unit and availability.
{% set keys = ['scenario', 'suite', 'division', 'variant', 'result_unit'] %}
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
        any_value(apart_reason) as apart_reason,
        {{ throughput_statistics() }}
    from counted
    group by
        release, suite, division, benchmark_id, benchmark_version, scenario, accelerator_id, variant, result_unit, availability
),

represented as (
    select
        *,
        best_result_id as result_id
    from cells
)

select
    represented.* exclude (result_id),
    represented.apart_reason is null and {{ is_best_of_accelerator('represented', 'throughput_per_accelerator_max', keys) }}
        as is_representative,
    {{ newest_round_columns('represented', 'throughput_per_accelerator_median', keys) }}
from represented
