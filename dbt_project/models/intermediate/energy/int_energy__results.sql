-- Inference and training results side by side: what an accelerator did in a second, and what it was measured to draw.
with

inference as (
    select
        'inference' as suite_kind,
        result_id,
        release,
        division,
        suite,
        submission_id,
        result_id as run_group_id,
        submitter,
        system_name,
        platform,
        benchmark_id,
        scenario,
        accelerator_id,
        accelerator_count,
        variant,
        number_format,
        coalesce(is_derived, false) as is_derived,
        is_same_run_as_99_9,
        result_unit,
        throughput_per_accelerator,
        output_tokens_per_s_per_accelerator,
        power_w / accelerator_count as measured_watts_per_accelerator,
        power_w as measured_system_w,
        'system under test at the wall' as measured_power_scope,
        source_url
    from {{ ref('fct_inference_result') }}
    where is_per_accelerator_valid and is_peer_outlier is not true and {{ is_mapped('accelerator_id') }}
),

training as (
    select
        'training' as suite_kind,
        result_id,
        release,
        division,
        result_id as submission_id,
        run_group_id,
        submitter,
        system_name,
        platform,
        benchmark_id,
        accelerator_id,
        accelerator_count,
        'standard' as variant,
        number_format,
        false as is_derived,
        false as is_same_run_as_99_9,
        'samples/s' as result_unit,
        samples_per_s / accelerator_count as throughput_per_accelerator,
        trained_tokens_per_s_per_accelerator,
        watts_per_accelerator as measured_watts_per_accelerator,
        watts_per_accelerator * accelerator_count as measured_system_w,
        -- energy of the runs ÷ their tokens, not mean watts ÷ mean speed
        j_per_trained_token as measured_j_per_trained_token,
        case when power_measurement_type = 'DC' then 'nodes, direct current' else 'nodes' end
            || '; switches as the official summarizer counts them' as measured_power_scope,
        source_url
    from {{ ref('fct_training_result') }}
    where {{ is_mapped('accelerator_id') }} and accelerator_count > 0 and is_peer_outlier is not true
)

select * from inference
union all by name
select * from training
