-- MFU that others published of training runs: as printed, or from the tokens and accelerator-hours of a run.
with

printed as (
    select
        'table ' || tables.row_id as mfu_id,
        tables.model || coalesce(', ' || tables.software_date, '') as run_name,
        tables.accelerator_id,
        try_cast(tables.gpus as integer) as accelerator_count,
        tables.precision as number_format,
        tables.value as mfu_pct,
        coalesce(tables.parameters, models.parameters) as parameters,
        coalesce(tables.parameters, models.parameters) as total_parameters,
        tables.source_url
    from {{ ref('published_training_tables') }} as tables
    left join {{ ref('mlperf_training_models') }} as models on tables.benchmark_id = models.benchmark_id
    where tables.metric = 'mfu_pct'
),

from_hours as (
    select
        'run ' || runs.run_id as mfu_id,
        runs.run_id as run_name,
        runs.accelerator_id,
        runs.accelerator_count,
        runs.number_format,
        {{ mfu_pct(
            'runs.trained_tokens / (3600 * runs.accelerator_hours)',
            model_flops_per_token(
                'models.active_parameters', 'models.layers', 'models.hidden_size', 'models.training_sequence_length'
            ),
            dense_peak_tflops(
                'runs.number_format', 'specs.bf16_dense_tflops', 'specs.fp8_dense_tflops', 'specs.fp4_dense_tflops',
                'specs.tf32_dense_tflops'
            )
        ) }} as mfu_pct,
        models.active_parameters as parameters,
        models.parameters as total_parameters,
        runs.source_url
    from {{ ref('published_training_runs') }} as runs
    inner join {{ ref('model_architectures') }} as models on runs.model_id = models.model_id
    inner join {{ ref('stg_reference__accelerator_specs') }} as specs on runs.accelerator_id = specs.accelerator_id
)

select * from printed
union all
select * from from_hours
