with

specs as (select * from {{ ref('accelerator_specs') }})

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
    scale_up_domain_size::integer as scale_up_domain_size,
    source_url,
    source_note,
    confidence
from specs
