{#- Descriptions in the file itself, so that any SQL tool shows them: dbt's own `persist_docs`, with one statement a table.
    The unit of a number, `meta.unit` of its column, comes first, as `[USD per million tokens] …`. Tables of staging and
    intermediate are marked as internal: their names may change. -#}
{% macro duckdb__persist_docs(relation, model, for_relation, for_columns) -%}
    {%- if for_relation and for_columns and config.persist_relation_docs() and config.persist_column_docs() -%}
        {%- do run_query(comments('table', relation, model)) -%}
    {%- endif -%}
{%- endmacro %}

{% macro comments(kind, relation, node) -%}
    {%- set mark = 'Internal. ' if node.schema in ('staging', 'intermediate') else '' -%}
    comment on {{ kind }} {{ relation }} is {{ quoted_text(mark ~ node.description) }};
    {%- for name, column in node.columns.items() if column.description %}
    {%- set unit = '[' ~ column.meta.unit ~ '] ' if column.meta.unit else '' %}
    comment on column {{ relation }}."{{ name }}" is {{ quoted_text(unit ~ column.description) }};
    {%- endfor %}
{%- endmacro %}

{#- Public tables under the public schema's name, as views that refer to no path and work under any catalog name. -#}
{% macro show_public_tables() -%}
{%- if execute %}
    -- some thousands of statements: one by one each would wait for the disk
    begin transaction;
    {%- for result in results if result.status == 'success' and result.node.resource_type == 'model'
        and result.node.package_name == 'accelmart' -%}
        {%- set node = graph.nodes[result.node.unique_id] -%}
        {%- set view = var('public_schema') ~ '.' ~ node.name %}
        {%- if node.schema == 'main' %}
    create or replace view {{ view }} as select * from main.{{ node.name }};
    {{ comments('view', view, node) }}
        {%- endif %}
    {%- endfor %}
    commit;
{%- endif -%}
{%- endmacro %}

{% macro quoted_text(text) -%}
    '{{ (text or '') | trim | replace("\n", ' ') | replace("'", "''") }}'
{%- endmacro %}
