{#- How near a known speed of training `k` is to a run `mine`: of the part (`mine` has its columns of int_training__known_speeds),
    the model and the scale. A size class: both dense or both mixtures of experts, and at most 2.5 times apart in the parameters that
    work on a token. -#}
{% macro nearness_of_speed(k, mine) -%}
    {{ k }}.accelerator_id = {{ mine }}.accelerator_id as is_of_part,
    ({{ k }}.vendor is distinct from {{ mine }}.vendor) as is_of_other_maker,
    ({{ k }}.chip_generation is distinct from {{ mine }}.chip_generation) as is_of_other_generation,
    ({{ k }}.product_line is distinct from {{ mine }}.product_line) as is_of_other_line,
    greatest(abs({{ k }}.active / {{ mine }}.active - 1), abs({{ k }}.held / {{ mine }}.held - 1)) <= {{ same_model() }} as is_of_model,
    abs(ln({{ k }}.active / {{ mine }}.active)) as model_distance,
    ({{ k }}.held > {{ k }}.active) = ({{ mine }}.held > {{ mine }}.active)
    and abs(ln({{ k }}.active / {{ mine }}.active)) <= ln(2.5) as is_of_size_class,
    coalesce(abs(ln({{ k }}.n / {{ mine }}.n)), cast('inf' as double)) as scale_distance,
    {{ dense_peak_tflops(
        k ~ '.run_format', mine ~ '.bf16_dense_tflops', mine ~ '.fp8_dense_tflops', mine ~ '.fp4_dense_tflops', mine ~ '.tf32_dense_tflops'
    ) }} as peak_tflops
{%- endmacro %}

{#- Whether a known speed may stand for a run: measured of its model on its part, or as an MFU of a format that the part has. -#}
{% macro is_measured_speed(c) -%} ({{ c }}.result_id is not null and {{ c }}.is_of_part and {{ c }}.is_of_model) {%- endmacro %}

{% macro is_mfu_to_carry(c) -%}
    ({{ c }}.mfu_pct is not null and {{ c }}.peak_tflops is not null and ({{ c }}.result_id is not null or {{ c }}.is_of_size_class))
{%- endmacro %}

{#- Orders of both, nearest first. The size class comes before the part, as MFU differs more between sizes than between parts; BF16
    comes after FP8 and FP4, as measured runs of known format use lower ones. -#}
{% macro nearest_measured_speed(c) -%}
    {{ c }}.scale_distance asc, {{ c }}.release_order desc, {{ c }}.tokens_per_s desc, {{ c }}.result_id asc
{%- endmacro %}

{% macro nearest_mfu(c) -%}
    not {{ c }}.is_of_size_class asc, {{ c }}.run_format = 'bf16' asc, not {{ c }}.is_of_part asc, {{ c }}.model_distance asc,
    {{ c }}.is_of_other_generation asc, {{ c }}.is_of_other_line asc, {{ c }}.is_of_other_maker asc, {{ nearest_measured_speed(c) }},
    {{ c }}.mfu_id asc
{%- endmacro %}

{#- Classes of estimates by what they rest on, each wider than the one before; `has_format`: not of an ambiguous one. -#}
{% macro training_classes() -%} ['measured', 'carried', 'carried to any maker'] {%- endmacro %}

{% macro training_class(is_of_part, is_of_model, has_format, does_maker_have_mfu) -%}
    case
        when {{ is_of_part }} and {{ is_of_model }} and {{ has_format }} then 'measured'
        when {{ does_maker_have_mfu }} then 'carried'
        else 'carried to any maker'
    end
{%- endmacro %}

{#- A word behind the name of an architecture is a variant of it: Blackwell Ultra is of Blackwell; Gaudi 2 is not of Gaudi. -#}
{% macro chip_generation(architecture) -%} regexp_replace({{ architecture }}, ' [A-Za-z]+$', '') {%- endmacro %}
