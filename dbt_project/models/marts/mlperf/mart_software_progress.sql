-- One submitter's results on the same accelerator, scale and number format from round to round: what changed is the
-- software. The best result of the submitter in each round stands for it. Results whose number format is not known have no
-- place here: a lower format is no progress of software.
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
),

ordered as (
    select
        *,
        lag(release) over rounds as previous_release,
        lag(value) over rounds as previous_value,
        lag(best_result_id) over rounds as previous_result_id
    from (select * from training union all by name select * from inference) as results
    window rounds as (
        partition by
            suite_kind, submitter_id, benchmark_id, benchmark_version, scenario, accelerator_id, accelerator_count,
            number_format, availability, quality_target, unit
        order by {{ release_number('release') }}
    )
)

select
    suite_kind,
    release,
    previous_release,
    submitter_id,
    benchmark_id,
    benchmark_version,
    scenario,
    accelerator_id,
    accelerator_count,
    number_format,
    availability,
    unit,
    value,
    previous_value,
    {{ gain_ratio('unit', 'value', 'previous_value') }} as gain_ratio,
    n_results,
    best_result_id,
    previous_result_id
from ordered
where previous_release is not null
