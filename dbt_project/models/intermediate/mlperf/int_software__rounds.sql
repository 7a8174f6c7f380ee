-- The best closed result of one submitter in each round on the same accelerator, scale and number format. Results that share
-- `comparison` differ in the software alone; those that share `alike` may be of several submitters. Results whose number
-- format is not known have no place here: a lower format is no progress of software.
with

training as (
    select
        'training' as suite_kind, release, submitter_id, benchmark_id, benchmark_version, 'training' as scenario, accelerator_id,
        accelerator_count, number_format, availability, quality_target, 'minutes' as unit,
        min(score_minutes) as value, count(distinct run_group_id) as n_results,
        arg_min(result_id, (score_minutes, result_id)) as best_result_id
    from {{ ref('fct_training_result') }}
    where division = 'closed' and {{ trained_to_target() }}
        and submitter_id is not null and number_format is not null
    group by all
),

inference as (
    select
        'inference' as suite_kind, release, submitter_id, benchmark_id, benchmark_version, scenario, accelerator_id,
        accelerator_count, number_format, availability, result_unit as unit,
        max(throughput_per_accelerator) as value, count(*) as n_results,
        arg_max(result_id, (throughput_per_accelerator, result_id)) as best_result_id
    from {{ ref('fct_inference_result') }}
    where division = 'closed' and suite = 'datacenter' and variant = 'standard'
        and {{ stands_for_accelerator() }}
        and submitter_id is not null and number_format is not null
    group by all
)

-- what two results must share for the software to be the difference
{%- set alike = [
    'suite_kind', 'benchmark_id', 'benchmark_version', 'scenario', 'accelerator_id', 'accelerator_count', 'number_format', 'availability',
    'quality_target', 'unit'
] | join(', ') %}

select
    *,
    dense_rank() over (order by {{ alike }}) as alike,
    dense_rank() over (order by {{ alike }}, submitter_id) as comparison
from (select * from training union all by name select * from inference) as results
