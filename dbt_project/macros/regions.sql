{#- Names without what people write in several ways: case, spaces, hyphens, dots. -#}
{% macro plain_name(name) -%}
    regexp_replace(lower({{ name }}), '[^\p{L}\p{N}]', '', 'g')
{%- endmacro %}

{#- The words of a name, in small letters. -#}
{% macro words_of(name) -%}
    regexp_extract_all(lower({{ name }}), '[\p{L}\p{N}]+')
{%- endmacro %}
