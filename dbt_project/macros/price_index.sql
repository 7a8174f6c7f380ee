{#- The index of prices over time. -#}

{#- Under which pricing model an offer enters the index: machines of private hosts are another trade. -#}
{% macro index_pricing_model(pricing_model, segment, variant) -%}
    case
        when {{ pricing_model }} = 'on_demand' and ({{ segment }} = 'marketplace' or {{ price_tier(variant) }} = 'community')
            then 'marketplace'
        else {{ pricing_model }}
    end
{%- endmacro %}

{#- Student's t that 97.5 % lie below, by degrees of freedom; null below one. Beyond 20 by its expansion, within 0.1 %. -#}
{% macro student_t_975(df) -%}
    case
        when {{ df }} <= 20 then [
            12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
            2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086
        ][{{ df }}]
        else 1.960 + 2.372 / ({{ df }}) + 2.823 / (({{ df }}) * ({{ df }}))
    end
{%- endmacro %}
