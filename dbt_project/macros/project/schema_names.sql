{#- A schema is called what the folder says, without the target's prefix: people write SQL against it. -#}
{% macro generate_schema_name(custom_schema_name, node) -%}
    {{ (custom_schema_name or target.schema) | trim }}
{%- endmacro %}
