{#- The arithmetic mean. Summed in order of size: in whatever order the threads come, the last digit of a double is
    another from build to build, and two builds of the same inputs are to be equal. -#}
{% macro mean(expression) -%}
    avg({{ expression }} order by {{ expression }})
{%- endmacro %}
