-- MFU that others published of training runs: as printed, or from the tokens and accelerator-hours of a run.
with

printed as (
    select
        'table ' || printed.row_id as mfu_id,
        printed.model || coalesce(', ' || printed.software_date, '') as run_name,
        printed.accelerator_id,
        try_cast(printed.gpus as integer) as accelerator_count,
        printed.precision as number_format,
        printed.value as mfu_pct,
        coalesce(printed.parameters, models.parameters) as parameters,
        coalesce(printed.parameters, models.parameters) as total_parameters,
        printed.source_url
    from {{ ref('published_training_tables') }} as printed
    left join {{ ref('mlperf_training_models') }} as models on printed.benchmark_id = models.benchmark_id
    where printed.metric = 'mfu_pct'
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
