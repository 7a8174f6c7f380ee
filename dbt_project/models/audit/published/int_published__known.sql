{{ config(materialized = 'ephemeral') }}
-- One row per fact that printed values are recomputed from, under the name that the seed published_values gives it: `part.attribute`,
-- `model.attribute`, `constant`, `constant.year`, `value` (another printed value), `value.rest` (what its per cent leave of one),
-- `row.gpus`, `value.rent` and, by text, `part.purchase_usd`; `name_low` and `name_high` are the ends of a range. A price that is not
-- held has no row.
with

parts as (
    select
        accelerator_id,
        architecture,
        memory_type,
        memory_gb,
        memory_bandwidth_gb_s,
        tdp_w,
        fp32_tflops,
        tf32_dense_tflops,
        bf16_dense_tflops,
        fp16_dense_tflops,
        fp8_dense_tflops,
        fp4_dense_tflops,
        int8_dense_tops,
        interconnect_bandwidth_gb_s,
        scale_up_domain_size,
        try_cast(left(cast(release_date as varchar), 4) as double) as release_year,
        case when interconnect like 'NVLink%' then 'Supported' else 'Not supported' end as nvlink,
        concat_ws(', ',
            case when fp16_dense_tflops > 0 or bf16_dense_tflops > 0 then 'FP16' end,
            case when bf16_dense_tflops > 0 then 'BF16' end,
            case when tf32_dense_tflops > 0 then 'TF32' end,
            case when fp8_dense_tflops > 0 then 'FP8' end,
            case when fp4_dense_tflops > 0 then 'FP4' end,
            case when int8_dense_tops > 0 then 'INT8' end) as formats_with_a_rate
    from {{ ref('stg_reference__accelerator_specs') }}
),

owned as (
    select accelerator_id, capex_usd_per_accelerator, electricity_usd_per_accelerator_hour, it_power_w
    from {{ ref('mart_tco') }}
    where scenario_id = 'hyperscaler' and is_default and {{ is_mapped('accelerator_id') }}
),

-- power and space as a share of the ownership cost, over all accelerators and scenarios
power_shares as (
    select
        min(power_and_space_share_pct) as power_share_pct,
        min(power_and_space_share_pct) as power_share_pct_low,
        max(power_and_space_share_pct) as power_share_pct_high
    from {{ ref('mart_tco') }}
    where is_default
),

printed as (
    select value_id, printed from {{ ref('published_values') }}
    union all
    select row_id, value from {{ ref('published_training_tables') }}
),

-- throughput per accelerator in a row of the published analysis, as printed and as measured in the newest round
cells as (
    select row_id, avg_per_accelerator_printed as per_accelerator, right_throughput_per_accelerator as measured
    from {{ ref('mart_published_analysis_check') }}
)

select accelerator_id || '.' || attribute as name, value
from parts unpivot include nulls (value for attribute in (
    memory_gb, memory_bandwidth_gb_s, tdp_w, fp32_tflops, tf32_dense_tflops, bf16_dense_tflops, fp16_dense_tflops, fp8_dense_tflops,
    fp4_dense_tflops, int8_dense_tops, interconnect_bandwidth_gb_s, scale_up_domain_size, release_year
))
union all by name
select accelerator_id || '.' || attribute as name, value_text
from parts unpivot include nulls (value_text for attribute in (architecture, memory_type, nvlink, formats_with_a_rate))
union all by name
select model_id || '.' || attribute as name, value
from {{ ref('model_architectures') }}
unpivot include nulls (value for attribute in (parameters, layers, hidden_size, kv_heads, head_dim, context_length))
union all by name
select accelerator_id || '.' || attribute as name, value
from owned
unpivot include nulls (value for attribute in (capex_usd_per_accelerator, electricity_usd_per_accelerator_hour, it_power_w))
union all by name
select name, value from power_shares unpivot include nulls (value for name in (power_share_pct, power_share_pct_low, power_share_pct_high))
union all by name
select constant_id || '.' || year as name, value from {{ ref('energy_constants') }} where year is not null
union all by name
select constant_id as name, value from {{ ref('estimate_constants') }}
union all by name
select value_id as name, printed as value from printed
union all by name
select value_id || '.rest' as name, 1 - printed / 100 as value from printed
union all by name
select row_id || '.gpus' as name, try_cast(gpus as double) as value from {{ ref('published_training_tables') }}
union all by name
select row_id || '.' || figure as name, value from cells unpivot include nulls (value for figure in (per_accelerator, measured))
union all by name
select price_key || '.rent' as name, usd as value from {{ ref('int_published__prices') }} where basis = 'rent'
union all by name
select document, price_key || '.purchase_usd' as name, usd as value from {{ ref('int_published__prices') }} where basis = 'purchase'
