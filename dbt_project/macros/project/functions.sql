{#- A function of dbt as a macro of DuckDB, scalar or table, with a comment. The file is renamed, and attached under other names:
    a body refers to tables by schema and name. -#}
{% materialization function, adapter='duckdb', supported_languages=['sql'] %}
    {%- set name = this.include(database=false) -%}
    {%- set kind = 'table' if model.returns.data_type == 'table' else '' -%}
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
