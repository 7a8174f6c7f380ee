{#- Number formats named in a submitter's words, each once, in lower case: INT8, "bf16, fp8" and a dict per
    sub-network alike. Null where none is named (UNSET). -#}
{% macro number_formats(words) -%}
    nullif(array_to_string(list_sort(list_distinct(
        regexp_extract_all(lower({{ words }}), '(?:mx|nv)?(?:fp|bf|tf|int|uint)[0-9]+')
    )), ','), '')
{%- endmacro %}

{#- Formats that names of systems and models contain as a word of their own: `PyTorch-INT8`, `precision_uint8-1.0`. -#}
{% macro formats_in_names(names) -%}
    array_to_string(regexp_extract_all(
        lower({{ names }}),
        '(?:^|[^a-z0-9])((?:mx|nv)?fp4|fp8|u?int4|u?int8|bf(?:loat)?16|fp16|tf32|fp32)(?:$|[^a-z0-9])', 1
    ), ' ')
{%- endmacro %}
