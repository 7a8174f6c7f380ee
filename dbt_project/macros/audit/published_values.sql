{#- Figures that values printed in published texts are compared with: the form of a named expression, and what they share. -#}

{#- One printed value: its key, what ours rests on, the expression that gives ours (in words of int_published__known), and
    the ends of its range where inputs differ. `recomputed_words` is the same for a value that is no number. -#}
{% macro recomputed(value_id, basis, expression, low='null', high='null') -%}
    {value_id: '{{ value_id }}', basis: '{{ basis }}', ours: cast({{ expression }} as double),
        ours_low: cast({{ low }} as double), ours_high: cast({{ high }} as double), ours_text: cast(null as varchar),
        method: $${{ expression }}$$}
{%- endmacro %}

{% macro recomputed_words(value_id, basis, expression) -%}
    {value_id: '{{ value_id }}', basis: '{{ basis }}', ours: cast(null as double), ours_low: cast(null as double),
        ours_high: cast(null as double), ours_text: cast({{ expression }} as varchar), method: $${{ expression }}$$}
{%- endmacro %}

{#- One row of a published table: what other figures of its table make it, and what measurements or independent inputs do. -#}
{% macro recomputed_row(row_id, own_cells='null', basis=none, own='null') -%}
    {row_id: '{{ row_id }}', consistent_value: cast({{ own_cells }} as double), own_value: cast({{ own }} as double),
        own_basis: cast({{ "'" ~ basis ~ "'" if basis else 'null' }} as varchar),
        method: cast({{ '$$' ~ own_cells ~ '$$' if own_cells != 'null' else 'null' }} as varchar),
        own_method: cast({{ '$$' ~ own ~ '$$' if own != 'null' else 'null' }} as varchar)}
{%- endmacro %}

{#- Formats of which a part has a dense rate. -#}
{% macro formats_with_a_rate(part) -%}
    concat_ws(', ',
        {%- for format, column in [('FP16', 'fp16_dense_tflops'), ('BF16', 'bf16_dense_tflops'), ('TF32', 'tf32_dense_tflops'),
            ('FP8', 'fp8_dense_tflops'), ('FP4', 'fp4_dense_tflops'), ('INT8', 'int8_dense_tops')] %}
        case when {{ part }}.{{ column }} > 0 {% if format == 'FP16' %}or {{ part }}.bf16_dense_tflops > 0 {% endif %}then '{{ format }}' end
        {{- ',' if not loop.last }}
        {%- endfor %})
{%- endmacro %}

{#- Days between a day and the stretch of time in which a price was in force or seen. -#}
{% macro days_apart(day, seen_from, seen_to) -%}
    greatest(0, date_diff('day', {{ day }}, {{ seen_from }}), date_diff('day', {{ seen_to }}, {{ day }}))
{%- endmacro %}
