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
    {% call statement('main') %}
        create or replace macro {{ name }}({{ arguments | join(', ') }}) as {{ kind }} (
            {{ model.compiled_code | replace(adapter.quote(this.database) ~ '.', '') }}
        );
        comment on macro {{ kind }} {{ name }} is {{ quoted_text(with_unit(model.description ~ described, model)) }};
    {% endcall %}
    {{ adapter.commit() }}
    {{ return({'relations': [this]}) }}
{% endmaterialization %}

{#- The key that a word stands for (`resolve_name`). One that stands for none or several is an error: an empty answer would look
    like "there is no result". -#}
{% macro key_or_error(thing) -%}
    case
        when word is not null
            then (
                select case when found.problem is null then found.key else error(found.problem) end
                from {{ function('resolve_name') }}('{{ thing }}', word) as found
            )
    end
{%- endmacro %}

{#- The first keys in order, and how many more there are. -#}
{% macro listed_keys(shown=8) -%}
    array_to_string(list(key order by key)[:{{ shown }}], ', ') || case when count(*) > {{ shown }} then ' and ' || count(*) - {{ shown }} || ' more' else '' end
{%- endmacro %}
