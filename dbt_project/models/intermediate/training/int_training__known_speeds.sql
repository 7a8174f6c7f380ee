-- Measured results of models that count as trained from scratch, and MFU that others published: what may stand for a training run.
with

measured as (
    select
        results.result_id,
        results.benchmark_id,
        results.benchmark_id as run_name,
        results.release,
        results.is_round_incomplete,
        results.submitter,
        results.system_name,
        results.accelerator_id,
        results.accelerator_count as n,
        results.number_format as run_format,
        results.mfu_pct,
        results.mfu_candidates,
        results.sequence_length as run_sequence,
        results.trained_tokens_per_s_per_accelerator as tokens_per_s,
        cast(string_split(ltrim(results.release, 'v'), '.') as integer[]) as release_order,
        models.parameters as active,
        models.parameters as held,
        {{ model_flops_per_token('models.parameters', 'models.layers', 'models.hidden_size', 'models.sequence_length') }} as run_flops,
        cast(null as varchar) as mfu_id,
        cast(null as varchar) as source_url
    from {{ ref('fct_training_result') }} as results
    inner join {{ ref('stg_reference__mlperf_training_models') }} as models on results.benchmark_id = models.benchmark_id
    where results.division = 'closed' and results.accelerator_count > 0 and results.trained_tokens_per_s_per_accelerator > 0
        and models.parameters is not null and results.is_peer_outlier is not true
),

known as (
    select * from measured
    union all by name
    select
        run_name, accelerator_id, accelerator_count as n, number_format as run_format, mfu_pct, 0 as tokens_per_s,
        [0, 0] as release_order, parameters as active, total_parameters as held, mfu_id, source_url
    from {{ ref('int_training__published_mfu') }}
)

select
    known.*,
    parts.vendor,
    {{ chip_generation('parts.architecture') }} as chip_generation,
    generations.product_line,
    parts.bf16_dense_tflops,
    parts.fp8_dense_tflops,
    parts.fp4_dense_tflops,
    parts.tf32_dense_tflops,
    coalesce(bool_or(known.mfu_pct is not null and known.result_id is not null) over (partition by parts.vendor), false)
        as does_maker_have_mfu
from known
left join {{ ref('stg_reference__accelerator_specs') }} as parts on known.accelerator_id = parts.accelerator_id
left join {{ ref('spec_generations') }} as generations on known.accelerator_id = generations.accelerator_id
