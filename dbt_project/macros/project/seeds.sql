{#- The table of a seed. A column is text unless the seed's column_types says another type; dbt itself would guess from the cells. -#}
{% macro duckdb__create_csv_table(model, agate_table) -%}
    {%- set types = {} -%}
    {%- for column in agate_table.column_names -%}
        {%- do types.update({column: model.config.column_types.get(column, 'varchar')}) -%}
    {%- endfor -%}
    {{ return(default__create_csv_table(dict(model, config=dict(model.config, column_types=types)), agate_table)) }}
{%- endmacro %}
