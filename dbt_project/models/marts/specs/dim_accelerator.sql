-- Parts of the specification seed; parts that only a user's alias names (no figures yet); names that no seed maps.
with

specs as (select * from {{ ref('stg_reference__accelerator_specs') }}),

used as (
    select accelerator_id, is_override from {{ ref('int_mlperf__accelerators') }}
    union all
    select accelerator_id, is_override from {{ ref('int_price__instance_types') }}
),

without_specs as (
    select accelerator_id, bool_or(used.is_override) as is_override
    from used
    anti join specs using (accelerator_id)
    where accelerator_id is not null
    group by accelerator_id
),

accelerators as (
    select * from specs
    union all by name
    select
        accelerator_id,
        case
            when {{ is_mapped('accelerator_id') }} then 'named in an override file; no specification is held'
            else 'no seed maps this name, see ops_unmapped'
        end as source_note,
        is_override
    from without_specs
)

select
    accelerator_id,
    vendor,
    product_name,
    architecture,
    form_factor,
    release_date::varchar as release_date,
    memory_gb::double as memory_gb,
    memory_type,
    memory_bandwidth_gb_s::double as memory_bandwidth_gb_s,
    tdp_w::double as tdp_w,
    fp64_tflops::double as fp64_tflops,
    fp32_tflops::double as fp32_tflops,
    tf32_dense_tflops::double as tf32_dense_tflops,
    bf16_dense_tflops::double as bf16_dense_tflops,
    fp8_dense_tflops::double as fp8_dense_tflops,
    fp4_dense_tflops::double as fp4_dense_tflops,
    int8_dense_tops::double as int8_dense_tops,
    fp16_dense_tflops::double as fp16_dense_tflops,
    scale_up_domain_size::integer as scale_up_domain_size,
    source_url,
    source_note,
    confidence,
    {{ is_mapped('accelerator_id') }} as is_mapped,
    is_override
from accelerators
