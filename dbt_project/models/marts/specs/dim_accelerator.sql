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
    accelerators.accelerator_id,
    accelerators.vendor,
    accelerators.product_name,
    -- without what is in brackets (but model numbers), the family's words and the version of the socket
    coalesce(
        regexp_replace(
            regexp_replace(accelerators.product_name, 'Instinct |Tesla |Grace Hopper Superchip |Vera Rubin | \([^H)][^)]*\)', '', 'g'),
            'SXM[456]', 'SXM'
        ),
        accelerators.accelerator_id
    ) as short_name,
    accelerators.architecture,
    accelerators.form_factor,
    accelerators.release_date::varchar as release_date,
    accelerators.memory_gb::double as memory_gb,
    accelerators.memory_type,
    accelerators.memory_bandwidth_gb_s::double as memory_bandwidth_gb_s,
    accelerators.tdp_w::double as tdp_w,
    accelerators.fp64_tflops::double as fp64_tflops,
    accelerators.fp32_tflops::double as fp32_tflops,
    accelerators.tf32_dense_tflops::double as tf32_dense_tflops,
    accelerators.bf16_dense_tflops::double as bf16_dense_tflops,
    accelerators.fp8_dense_tflops::double as fp8_dense_tflops,
    accelerators.fp4_dense_tflops::double as fp4_dense_tflops,
    accelerators.int8_dense_tops::double as int8_dense_tops,
    accelerators.fp16_dense_tflops::double as fp16_dense_tflops,
    accelerators.scale_up_domain_size::integer as scale_up_domain_size,
    generations.product_line,
    generations.generation::integer as generation,
    accelerators.source_url,
    accelerators.source_note,
    accelerators.confidence,
    {{ is_mapped('accelerators.accelerator_id') }} as is_mapped,
    accelerators.is_override
from accelerators
left join {{ ref('spec_generations') }} as generations on accelerators.accelerator_id = generations.accelerator_id
