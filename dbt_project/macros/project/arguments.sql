{#- A number that a function takes (as an expression: value), or an error where it is outside of its range; null is not given. The ranges of all arguments: the
    least and the most (none: above 0, any), and what it counts. Any other is above 0. -#}
{% macro argument(name, value=none) -%}
    {%- set value = value or name -%}
    {%- set least, most, unit = {
        'age_months': (none, var('horizon_months_max'), 'months'),
        'capex': (none, none, 'dollars per accelerator'),
        'depreciation_years': (none, none, 'years'),
        'electricity': (0, none, 'dollars per kWh'),
        'interest_pct': (0, 100, 'per cent'),
        'max_extra_cost_pct': (0, none, 'per cent'),
        'mfu': (none, 100, 'per cent of the dense peak'),
        'months': (none, var('horizon_months_max'), 'months of 730 hours'),
        'price': (none, none, 'dollars per accelerator-hour'),
        'pue': (1, 5, '1 is no overhead'),
        'residual_pct': (0, 100, 'per cent'),
        'utilisation': (none, 100, 'per cent'),
    }.get(name, (none, none, none)) -%}
    {%- set words = 'above 0' if least is none else least ~ ' or more' -%}
    {%- set words = words ~ (' and at most ' ~ most if most is not none else '') ~ (' (' ~ unit ~ ')' if unit else '') -%}
    case
        when {{ value }} is null then null
        when isfinite(cast({{ value }} as double)) and {{ value }} {{ '> 0' if least is none else '>= ' ~ least }}
            {%- if most is not none %} and {{ value }} <= {{ most }}{% endif %} then {{ value }}
        else error(format('{{ name }} is {:g}: it must be {{ words }}', cast({{ value }} as double)))
    end
{%- endmacro %}
