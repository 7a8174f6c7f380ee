{{ config(materialized = 'ephemeral') }}
{#- compared attributes: ours, the column of seed accelerator_specs, the seed's short word for it in `source_note`, the unit -#}
{%- set attributes = [
    ('bf16_dense_tflops', 'bf16_dense_tflops', 'bf16', 'TFLOP/s'),
    ('fp8_dense_tflops', 'fp8_dense_tflops', 'fp8', 'TFLOP/s'),
    ('fp4_dense_tflops', 'fp4_dense_tflops', 'fp4', 'TFLOP/s'),
    ('tf32_dense_tflops', 'tf32_dense_tflops', 'tf32', 'TFLOP/s'),
    ('fp32_tflops', 'fp32_tflops', 'fp32', 'TFLOP/s'),
    ('fp64_tflops', 'fp64_tflops', 'fp64', 'TFLOP/s'),
    ('int8_dense_tops', 'int8_dense_tops', 'int8', 'TOP/s'),
    ('memory_gb', 'memory_gb', 'mem', 'GB'),
    ('memory_bandwidth_gb_s', 'memory_bandwidth_gb_s', 'bw', 'GB/s'),
    ('scale_up_bandwidth_gb_s', 'interconnect_bandwidth_gb_s', 'ic', 'GB/s'),
    ('tdp_w', 'tdp_w', 'tdp', 'W'),
] -%}
-- The curated seed as a source: one row per figure, with the family of what it rests on.
with

specs as (select * from {{ ref('stg_reference__accelerator_specs') }}),

families as (select * from {{ ref('spec_families') }} where kind = 'url'),

basis as (select * from {{ ref('spec_curated_basis') }}),

figures as (
    {% for attribute, column, word, unit in attributes -%}
    select
        accelerator_id, '{{ attribute }}' as attribute, '{{ unit }}' as unit, {{ column }}::double as value, source_url,
        source_note,
        -- who else the curation found within 3 %; their figures are not held here
        list_filter(['techpowerup', 'inferencex'], lambda name: list_contains(
            string_split(regexp_extract(source_note, name || '\(([^)]*)\)', 1, 'i'), ','), '{{ word }}'
        )) as recorded
    from specs
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

absences as (select * from {{ ref('spec_absences') }}),

by_url as (
    select specs.accelerator_id, families.family
    from specs
    inner join families on regexp_matches(specs.source_url, families.pattern, 'i')
    qualify row_number() over (partition by specs.accelerator_id order by families.priority, families.pattern) = 1
)

select
    figures.accelerator_id,
    figures.attribute,
    figures.unit,
    figures.value,
    coalesce(basis.family, by_url.family, 'press') as family,
    figures.source_url,
    coalesce(basis.note, figures.source_note) as note,
    coalesce(absences.kind = 'not applicable', false) as is_not_applicable,
    coalesce(absences.kind = 'unpublished', false) as is_unpublished,
    figures.recorded
from figures
left join basis using (accelerator_id, attribute)
left join by_url using (accelerator_id)
left join absences using (accelerator_id, attribute)
