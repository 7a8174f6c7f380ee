{#- Figures that values printed in published texts are compared with; one home for the look-ups and small formulas they share. -#}

{#- A figure of a specification by the name of its column; the year of a date; the IT power of the ownership scenarios. -#}
{% macro spec_value(specs, attribute) -%}
    case {{ attribute }}
        {%- for column in ['memory_gb', 'memory_bandwidth_gb_s', 'tdp_w', 'fp32_tflops', 'tf32_dense_tflops', 'bf16_dense_tflops',
            'fp8_dense_tflops', 'fp4_dense_tflops', 'int8_dense_tops', 'fp16_dense_tflops', 'interconnect_bandwidth_gb_s', 'it_power_w'] %}
        when '{{ column }}' then {{ specs }}.{{ column }}
        {%- endfor %}
        when 'release_year' then try_cast(left(cast({{ specs }}.release_date as varchar), 4) as double)
    end
{%- endmacro %}

{#- Half of the last digit of a printed number, as a share of it in per cent; an integer is exact to its last place. -#}
{% macro half_digit_pct(words, printed) -%}
    (50 * pow(10, -len(regexp_extract({{ words }}, '\.([0-9]+)', 1))) / nullif({{ printed }}, 0))
{%- endmacro %}

{#- Days between a day and the stretch of time in which a price was in force or seen. -#}
{% macro days_apart(day, seen_from, seen_to) -%}
    greatest(0, date_diff('day', {{ day }}, {{ seen_from }}), date_diff('day', {{ seen_to }}, {{ day }}))
{%- endmacro %}

{#- Saving of a spot against an on-demand price. -#}
{% macro saving_pct(spot_usd, on_demand_usd) -%}
    (100 * (1 - {{ spot_usd }} / nullif({{ on_demand_usd }}, 0)))
{%- endmacro %}
