-- Share of the dense peak a result's model FLOPs took, against the peaks of two precisions. Which one the run
-- used is not logged: the precision stands in the column's name.
with

results as (select * from {{ ref('stg_mlperf_training__results') }}),

modelled as (
    select
        results.release,
        results.submitter_published,
        results.platform,
        results.benchmark_id,
        results.trained_tokens_per_s_per_accelerator,
        {{ model_flops_per_token('models.parameters', 'models.layers', 'models.hidden_size', 'models.sequence_length') }}
            as flops_per_token,
        specs.bf16_dense_tflops,
        specs.fp8_dense_tflops
    from results
    inner join {{ ref('mlperf_training_models') }} as models using (benchmark_id)
    inner join {{ ref('int_mlperf__accelerators') }} as accelerators
        on results.platform = accelerators.platform
        and results.accelerator_name_published is not distinct from accelerators.accelerator_name_published
    inner join {{ ref('accelerator_specs') }} as specs using (accelerator_id)
    -- LoRA fine-tuning and nets without a fixed sequence have no P, L, d in the seed
    where models.is_fixed_sequence and models.parameters is not null
)

select
    release,
    submitter_published,
    platform,
    benchmark_id,
    flops_per_token,
    {{ mfu_pct('trained_tokens_per_s_per_accelerator', 'flops_per_token', 'bf16_dense_tflops') }} as mfu_bf16_pct,
    {{ mfu_pct('trained_tokens_per_s_per_accelerator', 'flops_per_token', 'fp8_dense_tflops') }} as mfu_fp8_pct
from modelled
