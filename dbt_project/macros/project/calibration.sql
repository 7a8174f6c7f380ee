{#- How wrong estimates were: what the models int_calibration__… share. -#}

{#- Share of the cases that a range is to hold. -#}
{% macro calibration_nominal() -%} 0.95 {%- endmacro %}

{#- Fewer cases, or groups of related ones, give no range. -#}
{% macro is_calibration_sufficient(c) -%} ({{ c }}.n_cases >= 20 and {{ c }}.n_groups >= 10) {%- endmacro %}

{% macro few_cases_words(c) -%}
    format('{} cases in {} groups: a range takes 20 in 10', {{ c }}.n_cases, {{ c }}.n_groups)
{%- endmacro %}

{#- Value at a quantile of rows in groups: `position` is the middle of each row's share of the weight; linear between rows. -#}
{% macro quantile_at(value, position, share) -%}
    coalesce(
        max({{ value }}) filter ({{ position }} <= {{ share }})
        + (min({{ value }}) filter ({{ position }} > {{ share }}) - max({{ value }}) filter ({{ position }} <= {{ share }}))
        * ({{ share }} - max({{ position }}) filter ({{ position }} <= {{ share }}))
        / (min({{ position }}) filter ({{ position }} > {{ share }}) - max({{ position }}) filter ({{ position }} <= {{ share }})),
        max({{ value }}) filter ({{ position }} <= {{ share }}),
        min({{ value }}) filter ({{ position }} > {{ share }})
    )
{%- endmacro %}
