{#- The broken rules of one table, asked in one query, one row each: the rule's name, how many rows (of `one_row_per`: keys)
    break it, and an example.

    one_row_per        lists of columns that together occur once (null is a value)
    never_empty        columns that are never null
    never_empty_where  column → SQL condition on the rows in which it is never null
    accepted_values    column → values it may have, beside null
    refers_to          column → `table.column` in which each of its values stands, or {to: table.column, where: condition}
    conditions         name → SQL condition that is true in every row -#}
{% macro broken_rules(
    model, one_row_per=[], never_empty=[], never_empty_where={}, accepted_values={}, refers_to={}, conditions={}
) %}
{%- set row_name = "concat_ws(' / ', " ~ one_row_per[0] | join(', ') ~ ")" if one_row_per else "null" %}
{%- set broken = [] %}
{%- for column in never_empty %}
    {%- do broken.append((column ~ ' is never empty', column ~ ' is null', row_name)) %}
{%- endfor %}
{%- for column, where in never_empty_where.items() %}
    {%- do broken.append((column ~ ' is never empty where ' ~ where, column ~ ' is null and (' ~ where ~ ')', row_name)) %}
{%- endfor %}
{%- for column, values in accepted_values.items() %}
    {%- set allowed = [] %}
    {%- for value in values %}{% do allowed.append(quoted_text(value) if value is string else value | string | lower) %}{% endfor %}
    {%- do broken.append((column ~ ' has an accepted value', column ~ ' not in (' ~ allowed | join(', ') ~ ')', column)) %}
{%- endfor %}
{%- for column, target in refers_to.items() %}
    {%- set to = target if target is string else target.to %}
    {%- set table, field = to.split('.') %}
    {%- set condition = column ~ ' not in (select ' ~ field ~ ' from ' ~ ref(table) ~ ' where ' ~ field ~ ' is not null)' %}
    {%- do broken.append((column ~ ' refers to ' ~ to, condition ~ (' and (' ~ target.where ~ ')' if target is mapping else ''), column)) %}
{%- endfor %}
{%- for name, condition in conditions.items() %}
    {%- do broken.append((name, 'not coalesce(' ~ condition ~ ', false)', row_name)) %}
{%- endfor %}
{%- if broken %}
select rule, n_rows, example
from (
    select unnest([
        {%- for rule, condition, example in broken %}
        {
            'rule': {{ quoted_text(rule) }},
            'n_rows': count(*) filter (where {{ condition }}),
            'example': min(cast({{ example }} as varchar)) filter (where {{ condition }})
        }{{ ',' if not loop.last }}
        {%- endfor %}
    ], recursive := true)
    from {{ model }}
)
where n_rows > 0
{%- endif %}
{%- for columns in one_row_per %}
{{ 'union all' if broken or not loop.first }}
select
    {{ quoted_text('one row per ' ~ columns | join(', ')) }} as rule,
    count(*) as n_rows,
    min(concat_ws(' / ', {{ columns | join(', ') }})) as example
from (select {{ columns | join(', ') }} from {{ model }} group by all having count(*) > 1)
having count(*) > 0
{%- endfor %}
{%- endmacro %}
