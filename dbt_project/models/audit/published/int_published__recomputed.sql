-- One row per value of a published text that an expression gives. The seed published_values holds the expression, in the names of
-- this model, of int_published__known and of int_published__quantities; `ours` is null for an expression that gives words.
{% set values = run_query(
    'select * from ' ~ ref('published_values') ~ ' where expression is not null order by value_id'
).rows if execute and load_relation(ref('published_values')) else [] %}
with

constants as (select map_from_entries(list((constant_id, value))) as constant from {{ ref('estimate_constants') }}),

parts as (
    select
        known.*,
        quantities.*,
        constants.constant,
        known.part['nvidia-a100-pcie-80gb'] as a100_pcie,
        known.part['nvidia-a100-sxm-40gb'] as a100_40,
        known.part['nvidia-a100-sxm-80gb'] as a100,
        known.part['nvidia-h100-pcie-80gb'] as h100_pcie,
        known.part['nvidia-h100-sxm-80gb'] as h100,
        known.part['nvidia-h100-nvl-94gb'] as h100_nvl,
        known.part['nvidia-h200-sxm-141gb'] as h200,
        known.part['nvidia-h200-nvl-141gb'] as h200_nvl,
        known.part['nvidia-gh200-96gb'] as gh200,
        known.part['nvidia-b200-sxm-180gb'] as b200,
        known.part['nvidia-gb200-186gb'] as gb200,
        known.part['nvidia-l40s'] as l40s,
        known.part['nvidia-rtx-pro-6000-server'] as rtx_pro_6000,
        known.part['nvidia-rtx-4090'] as rtx4090,
        known.part['nvidia-p100-pcie-16gb'] as p100,
        known.part['nvidia-v100-pcie-32gb'] as v100_pcie,
        known.part['nvidia-v100-sxm2-32gb'] as v100,
        known.part['nvidia-v100-sxm2-16gb'] as v100_16,
        known.part['nvidia-t4'] as t4,
        known.part['amd-mi300x'] as mi300x,
        known.part['google-tpu-v4'] as tpu_v4,
        known.part['google-tpu-v5e'] as tpu_v5e,
        known.part['google-tpu-v5p'] as tpu_v5p,
        known.part['huawei-ascend-910c'] as ascend_910c
    from {{ ref('int_published__known') }} as known
    cross join {{ ref('int_published__quantities') }} as quantities
    cross join constants
),

named as (
    select
        *,
        constant['weight_bytes'] as weight_bytes,
        {{ training_state_bytes(1, ref('estimate_constants')) }} as state_bytes,
        {{ accelerator_hours_for('100e9', trained_tokens_per_s(
            '50', model_flops_per_token('8e9', '32', '4096', '8192'), 'a100.bf16_dense_tflops')) }} / 8 / 24
            as llama3_8b_days,
        -- Llama 2 and 3 of 70 billion parameters have the same layers and key-value heads
        {{ kv_cache_bytes_per_token("architecture['llama2_70b'].layers", "architecture['llama2_70b'].kv_heads",
            "architecture['llama2_70b'].head_dim", 2) }} as kv_cache_bytes_70b,
        -- a run of the compute printed on A100 at 40 % MFU
        printed['V072'] / (0.4 * a100.bf16_dense_tflops * 1e12) / 3600 as run_hours,
        -- electricity of that run against the outlay of which its hardware is a share
        100 * owned['nvidia-a100-sxm-80gb'].electricity_usd_per_accelerator_hour * run_hours / printed['V073']
            / {{ creation_outlay_usd("owned['nvidia-a100-sxm-80gb'].capex_usd_per_accelerator",
                "constant['creation_hardware_pct']") }} as power_share
    from parts
),

evaluated as (
    select
        document,
        unnest([
            {%- for row in values %}
            {
                value_id: '{{ row["value_id"] }}',
                ours: try_cast({{ row["expression"] }} as double),
                ours_low: cast({{ row["expression_low"] or 'null' }} as double),
                ours_high: cast({{ row["expression_high"] or 'null' }} as double),
                ours_text: case when typeof({{ row["expression"] }}) = 'VARCHAR' then cast({{ row["expression"] }} as varchar) end
            }{{ ',' if not loop.last }}
            {%- endfor %}
        ], recursive := true)
    from named
)

select evaluated.* exclude (document), stated.basis, stated.expression as method
from evaluated
inner join {{ ref('published_values') }} as stated using (document, value_id)
