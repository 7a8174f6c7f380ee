-- One row per accelerator.
with

specs as (select * from {{ ref('dim_accelerator') }} where is_mapped),

-- one price an accelerator: the median of its sellers' on-demand medians, so that a seller of many regions counts once
prices as (
    select
        accelerator_id,
        median(usd_per_accelerator_hour_median) as usd_per_accelerator_hour,
        count(*) as n_providers
    from {{ ref('mart_price_current') }}
    where pricing_model = 'on_demand' and segment <> 'aggregate' and price_standing in ('current', 'recent')
    group by accelerator_id
),

valued as (
    select
        specs.accelerator_id,
        specs.product_line,
        specs.generation,
        prices.usd_per_accelerator_hour,
        coalesce(prices.n_providers, 0) as n_providers,
        specs.bf16_dense_tflops,
        specs.fp8_dense_tflops,
        specs.memory_gb,
        specs.memory_bandwidth_gb_s,
        specs.tdp_w,
        {{ usd_per_hour_for('prices.usd_per_accelerator_hour', 'specs.bf16_dense_tflops') }} * 1000 as usd_per_hour_per_bf16_pflop_s,
        {{ usd_per_hour_for('prices.usd_per_accelerator_hour', 'specs.fp8_dense_tflops') }} * 1000 as usd_per_hour_per_fp8_pflop_s,
        {{ usd_per_hour_for('prices.usd_per_accelerator_hour', 'specs.memory_gb') }} as usd_per_hour_per_gb,
        {{ usd_per_hour_for('prices.usd_per_accelerator_hour', 'specs.memory_bandwidth_gb_s') }} * 1000 as usd_per_hour_per_tb_s,
        specs.tdp_w / nullif(specs.bf16_dense_tflops, 0) as w_per_bf16_tflop_s,
        -- bytes the memory delivers for one dense operation: GB/s ÷ TFLOP/s ÷ 1000
        specs.memory_bandwidth_gb_s / nullif(specs.bf16_dense_tflops * 1000, 0) as bytes_per_bf16_flop
    from specs
    left join prices using (accelerator_id)
),

compared as (
    select valued.*, previous.accelerator_id as previous_accelerator_id, previous.bf16_dense_tflops as previous_bf16,
        previous.memory_gb as previous_memory, previous.memory_bandwidth_gb_s as previous_bandwidth,
        previous.tdp_w as previous_tdp, previous.w_per_bf16_tflop_s as previous_w_per_bf16,
        previous.usd_per_hour_per_bf16_pflop_s as previous_usd_per_bf16
    from valued
    -- the part next below in the same vendor's line, by the seed's number
    left join valued as previous
        on valued.product_line = previous.product_line and valued.generation = previous.generation + 1
)

select
    accelerator_id, product_line, generation, usd_per_accelerator_hour, n_providers,
    usd_per_hour_per_bf16_pflop_s, usd_per_hour_per_fp8_pflop_s, usd_per_hour_per_gb, usd_per_hour_per_tb_s,
    w_per_bf16_tflop_s, bytes_per_bf16_flop,
    previous_accelerator_id,
    bf16_dense_tflops / nullif(previous_bf16, 0) as bf16_ratio,
    memory_gb / nullif(previous_memory, 0) as memory_ratio,
    memory_bandwidth_gb_s / nullif(previous_bandwidth, 0) as memory_bandwidth_ratio,
    tdp_w / nullif(previous_tdp, 0) as tdp_ratio,
    w_per_bf16_tflop_s / nullif(previous_w_per_bf16, 0) as w_per_bf16_tflop_s_ratio,
    usd_per_hour_per_bf16_pflop_s / nullif(previous_usd_per_bf16, 0) as usd_per_hour_per_bf16_pflop_s_ratio
from compared
