{#- A schema is called what the folder says, without the target's prefix: people write SQL against it. -#}
{% macro generate_schema_name(custom_schema_name, node) -%}
    {{ (custom_schema_name or target.schema) | trim }}
{%- endmacro %}

{#- A public table under the public schema's name; it refers to no path, and works under any catalog name. -#}
{% macro show_in_public_schema() -%}
    create or replace view {{ var('public_schema') }}.{{ this.identifier }} as
    select * from main.{{ this.identifier }}
{%- endmacro %}
