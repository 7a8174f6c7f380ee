{#- Figures that values printed in published texts are compared with: the form of a named expression, and what they share. -#}

{#- One row of a published table: what other figures of its table make it, and what measurements or independent inputs do. -#}
{% macro recomputed_row(row_id, own_cells='null', basis=none, own='null') -%}
    {row_id: '{{ row_id }}', consistent_value: cast({{ own_cells }} as double), own_value: cast({{ own }} as double),
        own_basis: cast({{ "'" ~ basis ~ "'" if basis else 'null' }} as varchar),
        method: cast({{ '$$' ~ own_cells ~ '$$' if own_cells != 'null' else 'null' }} as varchar),
        own_method: cast({{ '$$' ~ own ~ '$$' if own != 'null' else 'null' }} as varchar)}
{%- endmacro %}

{#- Days between a day and the stretch of time in which a price was in force or seen. -#}
{% macro days_apart(day, seen_from, seen_to) -%}
    greatest(0, date_diff('day', {{ day }}, {{ seen_from }}), date_diff('day', {{ seen_to }}, {{ day }}))
{%- endmacro %}
