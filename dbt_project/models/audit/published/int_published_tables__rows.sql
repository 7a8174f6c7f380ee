{{ config(materialized = 'ephemeral') }}
-- One row per figure of the published training tables, with the model's FLOPs per token, the part's dense peak and ownership cost, and the
-- nearest MLPerf result of the same model, part, number format and size.
with

printed as (select * from {{ ref('published_training_tables') }}),

models as (select * from {{ ref('stg_reference__mlperf_training_models') }}),

specs as (select * from {{ ref('stg_reference__accelerator_specs') }}),

-- capex of the month in which the tables were printed, unless the user set it
ownership as (
    select * from {{ ref('mart_tco') }}
    where scenario_id = 'hyperscaler' and coalesce(price_level, '2025-08') = '2025-08'
),

described as (
    select
        printed.* exclude (printed.parameters, printed.layers, printed.hidden_size, printed.sequence_length),
        coalesce(printed.parameters, models.parameters) as parameters,
        coalesce(printed.sequence_length, models.sequence_length) as sequence_length,
        {{ model_flops_per_token(
            'coalesce(printed.parameters, models.parameters)', 'coalesce(printed.layers, models.layers)',
            'coalesce(printed.hidden_size, models.hidden_size)',
            'coalesce(printed.sequence_length, models.sequence_length)') }} as flops_per_token,
        {{ dense_peak('specs', 'printed.precision') }} as dense_peak_tflops,
        specs.tdp_w,
        ownership.usd_per_accelerator_hour as tco_usd_per_accelerator_hour,
        ownership.it_power_w,
        ownership.pue as site_pue,
        try_cast(printed.gpus as double) as gpu_count,
        coalesce(printed.half_digit / nullif(printed.value, 0), 0) as relative_half_digit
    from printed
    left join models using (benchmark_id)
    left join specs using (accelerator_id)
    left join ownership using (accelerator_id)
),

measured as (
    select
        described.row_id,
        results.result_id,
        results.release,
        results.accelerator_count,
        results.mfu_pct,
        results.trained_tokens_per_s_per_accelerator
    from described
    inner join {{ ref('fct_training_result') }} as results
        on described.benchmark_id = results.benchmark_id and described.accelerator_id = results.accelerator_id
        and described.precision = results.number_format
    where described.is_compared_with_measurements
        and results.division = 'closed' and results.mfu_pct is not null
        and (described.own_release is null or described.own_release = results.release)
    qualify row_number() over (
        partition by described.row_id
        order by {{ size_factor('results.accelerator_count', 'described.gpu_count') }}, results.result_id
    ) = 1
)

select
    described.*,
    measured.mfu_pct as measured_mfu_pct,
    measured.trained_tokens_per_s_per_accelerator as measured_trained_tokens_per_s,
    measured.release as measured_release,
    measured.accelerator_count as measured_accelerator_count,
    measured.result_id as measured_result_id
from described
left join measured using (row_id)
