{#- Public tables under the public schema's name, as views that refer to no path and work under any catalog name; and
    descriptions in the published file itself, so that any SQL tool shows them: of tables from YAML, of columns from seed
    column_dictionary; of a number the unit comes first, as `[USD per million tokens] …`. Tables of staging
    and intermediate are marked as internal: their names may change. -#}
{% macro publish_and_describe() -%}
{%- if execute %}
    -- some thousands of statements: one by one each would wait for the disk
    begin transaction;
    {%- set relations = [] -%}
    {%- for result in results if result.status == 'success' and result.node.resource_type in ('model', 'seed')
        and result.node.package_name == 'accelmart' -%}
        {%- set node = graph.nodes[result.node.unique_id] -%}
        {%- do relations.append(node.schema ~ '.' ~ node.name) %}
        {%- set mark = 'Internal. ' if node.schema in ('staging', 'intermediate') else '' %}
        comment on table {{ relations[-1] }} is {{ quoted_text(mark ~ node.description) }};
        {%- if node.schema == 'main' %}
        create or replace view {{ var('public_schema') }}.{{ node.name }} as select * from {{ relations[-1] }};
        comment on view {{ var('public_schema') }}.{{ node.name }} is {{ quoted_text(node.description) }};
        {%- endif %}
    {%- endfor %}
    {%- if relations %}
    {%- for comment in run_query(comments_on_columns(relations)).columns[0].values() %}
    {{ comment }}
    {%- endfor %}
    {%- endif %}
    commit;
{%- endif -%}
{%- endmacro %}

{#- A statement for every column of these relations that the dictionary knows; a meaning for the table goes before the general one. -#}
{% macro comments_on_columns(relations) -%}
    {%- set dictionary = graph.nodes['seed.' ~ project_name ~ '.column_dictionary'] %}
    select format(
        'comment on column {}.{}."{}" is ''{}'';', shown_in, table_name, column_name, replace(description, '''', '''''')
    )
    from (
        select
            columns.table_name,
            columns.column_name,
            coalesce('[' || meanings.unit || '] ', '') || meanings.description as description,
            if(columns.schema_name = 'main', ['main', '{{ var('public_schema') }}'], [columns.schema_name]) as schemas
        from duckdb_columns() as columns
        inner join {{ dictionary.schema }}.{{ dictionary.name }} as meanings
            on columns.column_name = meanings.column_name
            and coalesce(list_contains(string_split(meanings.tables, ' '), columns.table_name), true)
        where columns.database_name = current_database()
            and columns.schema_name || '.' || columns.table_name in ('{{ relations | join("', '") }}')
        qualify
            row_number() over (
                partition by columns.schema_name, columns.table_name, columns.column_name
                order by meanings.tables is null
            ) = 1
    ) as described
    cross join unnest(schemas) as t (shown_in)
{%- endmacro %}

{% macro quoted_text(text) -%}
    '{{ (text or '') | trim | replace("\n", ' ') | replace("'", "''") }}'
{%- endmacro %}
