{#- The value all rows of a group share; null where they contradict each other, never one of them by chance. -#}
{% macro agreed(column) -%}
    case when count(distinct {{ column }}) = 1 then min({{ column }}) end
{%- endmacro %}
