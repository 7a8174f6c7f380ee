-- Share of a dense peak that the model FLOPs of a result took: of the number format that ran, of each candidate where
-- that is ambiguous, and of three fixed formats for comparison across formats.
with

results as (select * from {{ ref('int_training__results') }}),

modelled as (
    select
        results.result_id,
        results.trained_tokens_per_s_per_accelerator is not null as has_tokens_per_s,
        case when results.invalid_reason is null then results.trained_tokens_per_s_per_accelerator end
            as trained_tokens_per_s_per_accelerator,
        case when models.is_fixed_sequence then
            {{ model_flops_per_token(
                'models.parameters', 'models.layers', 'models.hidden_size', 'models.sequence_length'
            ) }}
        end as flops_per_token,
        formats.number_format,
        formats.number_format_basis,
        formats.candidate_formats,
        results.invalid_reason,
        specs.bf16_dense_tflops,
        specs.fp8_dense_tflops,
        specs.fp4_dense_tflops,
        specs.tf32_dense_tflops
    from results
    inner join {{ ref('int_training__number_formats') }} as formats on results.result_id = formats.result_id
    left join {{ ref('stg_reference__mlperf_training_models') }} as models on results.benchmark_id = models.benchmark_id
    left join {{ ref('stg_reference__accelerator_specs') }} as specs on results.accelerator_id = specs.accelerator_id
),

candidates as (
    select
        result_id,
        string_agg(
            printf('%.1f %% of %s', {{ mfu_pct(
                'trained_tokens_per_s_per_accelerator', 'flops_per_token', 'dense_peak_tflops'
            ) }}, upper(number_format)), ' or ' order by dense_peak_tflops desc
        ) as mfu_candidates
    from (
        select *, {{ dense_peak_tflops(
            'number_format', 'bf16_dense_tflops', 'fp8_dense_tflops', 'fp4_dense_tflops', 'tf32_dense_tflops'
        ) }} as dense_peak_tflops
        from (select * replace (unnest(candidate_formats) as number_format) from modelled) as with_candidates
    )
    group by result_id
),

peaked as (
    select modelled.*, candidates.* exclude (candidates.result_id), {{ dense_peak_tflops(
        'number_format', 'bf16_dense_tflops', 'fp8_dense_tflops', 'fp4_dense_tflops', 'tf32_dense_tflops'
    ) }} as dense_peak_tflops,
        {{ mfu_pct('trained_tokens_per_s_per_accelerator', 'flops_per_token', 'dense_peak_tflops') }} as pct_of_peak
    from modelled
    left join candidates using (result_id)
)

select
    result_id,
    flops_per_token,
    mfu_candidates,
    case when pct_of_peak <= 100 then pct_of_peak end as mfu_pct,
    coalesce(pct_of_peak > 100, false) as is_beyond_peak,
    {{ mfu_pct('trained_tokens_per_s_per_accelerator', 'flops_per_token', 'bf16_dense_tflops') }} as bf16_equivalent_pct,
    {{ mfu_pct('trained_tokens_per_s_per_accelerator', 'flops_per_token', 'fp8_dense_tflops') }} as fp8_equivalent_pct,
    {{ mfu_pct('trained_tokens_per_s_per_accelerator', 'flops_per_token', 'fp4_dense_tflops') }} as fp4_equivalent_pct,
    case
        when flops_per_token is null
            then 'model FLOPs are not defined: fine-tuning with LoRA, or samples without a fixed number of tokens'
        when not has_tokens_per_s then 'no measured tokens per second'
        when invalid_reason is not null then invalid_reason
        when number_format_basis = 'ambiguous' then 'ambiguous number format: ' || coalesce(mfu_candidates, 'no peak is known')
        when number_format is null then 'no configuration file names the number format'
        when dense_peak_tflops is null then 'no dense ' || number_format || ' peak in the specifications'
        when is_beyond_peak then 'more than the dense ' || number_format || ' peak: another format ran, or the peak is wrong'
    end as mfu_reason
from peaked
