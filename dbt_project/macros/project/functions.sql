{#- A function of dbt as a macro of DuckDB, scalar or table, with a comment. The file is renamed, and attached under other names:
    a body refers to tables by schema and name. -#}
{% materialization function, adapter='duckdb', supported_languages=['sql'] %}
    {%- set name = this.include(database=false) -%}
    {%- set kind = 'table' if config.get('type') == 'table' else '' -%}
    {%- set arguments = [] -%}
    {%- set words = [] -%}
    {%- for argument in model.arguments -%}
        {%- do arguments.append(argument.name ~ (' := ' ~ argument.default_value if argument.default_value else '')) -%}
        {%- do words.append(argument.name ~ ' (' ~ argument.description ~ ')') if argument.description -%}
    {%- endfor -%}
    {%- set described = ' Arguments: ' ~ words | join(', ') ~ '.' if words else '' -%}
    {%- set unit = '[' ~ model.config.meta.unit ~ '] ' if model.config.get('meta', {}).get('unit') else '' -%}
    {% call statement('main') %}
        create or replace macro {{ name }}({{ arguments | join(', ') }}) as {{ kind }} (
            {{ model.compiled_code | replace(adapter.quote(this.database) ~ '.', '') }}
        );
        comment on macro {{ kind }} {{ name }} is {{ quoted_text(unit ~ model.description ~ described) }};
    {% endcall %}
    {{ adapter.commit() }}
    {{ return({'relations': [this]}) }}
{% endmaterialization %}

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
