-- Rows of published training tables with what they follow from: other rows as printed, the model's FLOPs per token,
-- the part's dense peak and ownership cost, and the nearest MLPerf result of the same model, part and size.
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
        printed.* exclude (parameters, layers, hidden_size, sequence_length),
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
        {{ latest_constant(ref('energy_constants'), var('energy_pue_constant', 'pue_industry_average_uptime')) }}
            as industry_pue,
        {{ latest_constant(ref('energy_constants'), 'us_household_kwh') }} as household_kwh,
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
    where starts_with(described.own_method, 'measured_')
        and results.division = 'closed' and results.mfu_pct is not null
        and (described.own_release is null or described.own_release = results.release)
    qualify row_number() over (
        partition by described.row_id
        order by {{ size_factor('results.accelerator_count', 'described.gpu_count') }}, results.result_id
    ) = 1
)

select
    described.*,
    first.value as value_1,
    second.value as value_2,
    third.value as value_3,
    first.gpu_count as gpu_count_1,
    second.gpu_count as gpu_count_2,
    first.parameters as parameters_1,
    first.tco_usd_per_accelerator_hour as tco_usd_per_accelerator_hour_1,
    first.flops_per_token as flops_per_token_1,
    second.flops_per_token as flops_per_token_2,
    first.dense_peak_tflops as dense_peak_tflops_1,
    second.dense_peak_tflops as dense_peak_tflops_2,
    third.flops_per_token as flops_per_token_3,
    third.dense_peak_tflops as dense_peak_tflops_3,
    first.relative_half_digit as relative_half_digit_1,
    second.relative_half_digit as relative_half_digit_2,
    third.relative_half_digit as relative_half_digit_3,
    second.half_digit as half_digit_2,
    third.half_digit as half_digit_3,
    own_1.value as own_value_1,
    own_1.flops_per_token as own_flops_per_token_1,
    own_1.dense_peak_tflops as own_dense_peak_tflops_1,
    own_2.value as own_value_2,
    own_2.flops_per_token as own_flops_per_token_2,
    own_2.dense_peak_tflops as own_dense_peak_tflops_2,
    measured.mfu_pct as measured_mfu_pct,
    measured.trained_tokens_per_s_per_accelerator as measured_trained_tokens_per_s,
    measured.release as measured_release,
    measured.accelerator_count as measured_accelerator_count,
    measured.result_id as measured_result_id
from described
left join described as first on described.input_1 = first.row_id
left join described as second on described.input_2 = second.row_id
left join described as third on described.input_3 = third.row_id
left join described as own_1 on described.own_input_1 = own_1.row_id
left join described as own_2 on described.own_input_2 = own_2.row_id
left join measured on described.row_id = measured.row_id
