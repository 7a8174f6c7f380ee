{#- The rules of one table, which are a check of its own: those that macro broken_rules knows. -#}
{% test table_rules(model) %}
{{ broken_rules(model, **kwargs) }}
{% endtest %}

{#- The rules of seeds or of internal models, of all tables that a file of YAML describes, by table: one step of a build. -#}
{% test rules_of_tables(model, tables) %}
{%- for table, rules in tables.items() %}
select '{{ table }}' as table_name, broken.*
from (
    {{ broken_rules(ref(table), **rules) }}
) as broken
{{ 'union all' if not loop.last }}
{%- endfor %}
{% endtest %}
