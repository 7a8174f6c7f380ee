{#- Days between a day and the stretch of time in which a price was in force or seen. -#}
{% macro days_apart(day, seen_from, seen_to) -%}
    greatest(0, date_diff('day', {{ day }}, {{ seen_from }}), date_diff('day', {{ seen_to }}, {{ day }}))
{%- endmacro %}
