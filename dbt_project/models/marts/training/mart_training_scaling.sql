-- Against the smallest system of the same accelerator, round, benchmark, division and submitter.
with

results as (
    select *
    from {{ ref('fct_training_result') }}
    where {{ trained_to_target() }}
    -- of several systems of one size the fastest stands for it
    qualify row_number() over (
        partition by release, division, submitter, benchmark_id, accelerator_id, accelerator_count
        order by score_minutes, result_id
    ) = 1
),

based as (
    select
        *,
        min_by(accelerator_count, accelerator_count) over same as base_accelerator_count,
        min_by(accelerator_hours, accelerator_count) over same as base_accelerator_hours,
        min_by(samples_per_s / accelerator_count, accelerator_count) over same as base_samples_per_s_per_accelerator,
        min_by(result_id, accelerator_count) over same as base_result_id,
        arg_min_null(number_format, accelerator_count) over same as base_number_format
    from results
    window same as (partition by release, division, submitter, benchmark_id, accelerator_id)
)

select
    release,
    division,
    submitter,
    benchmark_id,
    benchmark_version,
    accelerator_id,
    availability,
    accelerator_count,
    base_accelerator_count,
    number_format,
    base_number_format,
    score_minutes,
    accelerator_hours,
    -- strong scaling, to convergence: the accelerator-hours the smallest system took ÷ those of this one
    base_accelerator_hours / accelerator_hours as scaling_efficiency,
    -- weak scaling, of throughput alone
    (samples_per_s / accelerator_count) / base_samples_per_s_per_accelerator as throughput_scaling_efficiency,
    is_round_incomplete,
    result_id,
    base_result_id
from based
where accelerator_count > base_accelerator_count
