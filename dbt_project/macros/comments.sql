{#- Descriptions in the published file itself, so that any SQL tool shows them; of a number the unit comes first, as
    `[USD per million tokens] …`. dbt's own persist_docs writes descriptions only, and a statement for each. -#}
{% macro comment_on_everything() -%}
{%- if execute %}
    -- some thousands of statements: one by one each would wait for the disk
    begin transaction;
    {%- for result in results if result.status == 'success' and result.node.resource_type in ('model', 'seed') -%}
        {%- set node = graph.nodes[result.node.unique_id] -%}
        {%- set is_public = node.schema == 'main' %}
        {{ comment_on_relation('table', node.schema ~ '.' ~ node.name, node) }}
        {%- if is_public %}
        {{ comment_on_relation('view', var('public_schema') ~ '.' ~ node.name, node) }}
        {%- endif %}
    {%- endfor %}
    commit;
{%- endif -%}
{%- endmacro %}

{% macro comment_on_relation(kind, name, node) -%}
    comment on {{ kind }} {{ name }} is {{ quoted_text(node.description) }};
    {%- for column in node.columns.values() if column.description %}
    comment on column {{ name }}.{{ adapter.quote(column.name) }} is {{ quoted_text(with_unit(column.description, column)) }};
    {%- endfor %}
{%- endmacro %}

{% macro with_unit(text, described) -%}
    {%- set unit = described.config.get('meta', {}).get('unit') or described.meta.get('unit') -%}
    {{ '[' ~ unit ~ '] ' if unit }}{{ text }}
{%- endmacro %}

{% macro quoted_text(text) -%}
    '{{ (text or '') | trim | replace("\n", ' ') | replace("'", "''") }}'
{%- endmacro %}
