{#- Names without what people write in several ways: case, spaces, hyphens, dots. -#}
{% macro plain_name(name) -%}
    regexp_replace(lower({{ name }}), '[^\p{L}\p{N}]', '', 'g')
{%- endmacro %}
