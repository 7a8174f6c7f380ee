{#- Number formats named in a submitter's words, each once, in lower case: INT8, "bf16, fp8" and a dict per
    sub-network alike. Null where none is named (UNSET). -#}
{% macro number_formats(words) -%}
    nullif(array_to_string(list_sort(list_distinct(
        regexp_extract_all(lower({{ words }}), '(?:mx|nv)?(?:fp|bf|tf|int|uint)[0-9]+')
    )), ','), '')
{%- endmacro %}
