-- The best closed result of each round on one accelerator, benchmark and scale, whoever submitted it, against the best
-- of the round before, where there is one. Systems of one availability and one version of the task are compared.
-- Submitters, systems and number formats of the two may differ: it shows what the round reached.
with

training as (
    select
        'training' as suite_kind, release, benchmark_id, benchmark_version, 'training' as scenario, accelerator_id,
        availability, accelerator_count, 'minutes' as unit, min(score_minutes) as value, count(distinct run_group_id) as n_results,
        bool_or(is_round_incomplete) as is_round_incomplete,
        arg_min(result_id, (score_minutes, result_id)) as best_result_id
    from {{ ref('fct_training_result') }}
    where division = 'closed' and {{ trained_to_target() }}
    group by all
),

inference as (
    select
        'inference' as suite_kind, release, benchmark_id, benchmark_version, scenario, accelerator_id, availability,
        accelerator_count,
        result_unit as unit, max(throughput_per_accelerator) as value, count(*) as n_results,
        bool_or(is_round_incomplete) as is_round_incomplete,
        arg_max(result_id, (throughput_per_accelerator, result_id)) as best_result_id
    from {{ ref('fct_inference_result') }}
    where division = 'closed' and suite = 'datacenter' and variant = 'standard'
        and {{ stands_for_accelerator() }}
    group by all
),

both_suites as (select * from training union all by name select * from inference),

ordered as (
    select
        *,
        lag(release) over rounds as previous_release,
        lag(value) over rounds as previous_value,
        lag(is_round_incomplete) over rounds as is_previous_round_incomplete,
        lag(best_result_id) over rounds as previous_best_result_id
    from both_suites
    window rounds as (
        partition by
            suite_kind, benchmark_id, benchmark_version, scenario, accelerator_id, availability, accelerator_count, unit
        order by {{ release_number('release') }}
    )
)

select
    * replace (coalesce(is_previous_round_incomplete, false) as is_previous_round_incomplete),
    {{ gain_ratio('unit', 'value', 'previous_value') }} as gain_ratio
from ordered
