{#- dbt's functions as macros of DuckDB, scalar and table, with a comment: `dbt build` makes those of the folder functions/.
    The file is renamed and attached under other names: a body refers to tables by schema and name. -#}
{% macro duckdb__scalar_function_sql(target_relation) -%}
    {{ macro_of_file('', target_relation) }}
{%- endmacro %}

{% macro duckdb__table_function_sql(target_relation) -%}
    {{ macro_of_file('table', target_relation) }}
{%- endmacro %}

{% macro macro_of_file(kind, relation) -%}
    {%- set name = relation.include(database=false) -%}
    {%- set arguments = [] -%}
    {%- set words = [] -%}
    {%- for argument in model.arguments -%}
        {%- do arguments.append(argument.name ~ (' := ' ~ argument.default_value if argument.default_value else '')) -%}
        {%- do words.append(argument.name ~ ' (' ~ argument.description ~ ')') if argument.description -%}
    {%- endfor -%}
    {%- set described = ' Arguments: ' ~ words | join(', ') ~ '.' if words else '' -%}
    create or replace macro {{ name }}({{ arguments | join(', ') }}) as {{ kind }} (
        {{ model.compiled_code | replace(adapter.quote(relation.database) ~ '.', '') }}
    );
    comment on macro {{ kind }} {{ name }} is {{ quoted_text(with_unit(model.description ~ described, model)) }};
{%- endmacro %}

{#- Keys people type. One that nothing bears is an error with what may be meant: an empty answer would look like "there
    is no result". -#}
{% macro key_or_error(relation, column, thing) -%}
    case
        when exists (from {{ relation }} as known where known.{{ column }} = word) then word
        else error(
            'there is no {{ thing }} ' || word || '. Near: ' || (
                select string_agg(near.id, ', ' order by near.likeness desc, near.id)
                from (
                    select
                        known.{{ column }} as id,
                        contains(known.{{ column }}, lower(word))::integer
                        + jaro_winkler_similarity(known.{{ column }}, lower(word)) as likeness
                    from (select distinct {{ column }} from {{ relation }}) as known
                    order by likeness desc, id
                    limit 6
                ) as near
            ) || '. All: from {{ relation.identifier }}'
        )
    end
{%- endmacro %}
