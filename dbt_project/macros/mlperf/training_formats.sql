{#- Generation of such a name: files made for an H100 are used on an H200. -#}
{% macro configured_generation(part) -%}
    case
        when {{ part }} in ('B200', 'B300', 'GB200', 'GB300') then 'blackwell'
        when {{ part }} in ('H100', 'H200', 'GH200') then 'hopper'
        else rtrim({{ part }}, 'X')
    end
{%- endmacro %}

{#- Dense peak of an accelerator in a number format; null where the format has no column. Formats of 16 bits share
    one peak. -#}
{% macro dense_peak_tflops(number_format, bf16, fp8, fp4, tf32) -%}
    case
        when {{ number_format }} in ('bf16', 'fp16') then {{ bf16 }}
        when {{ number_format }} = 'fp8' then {{ fp8 }}
        when {{ number_format }} = 'fp4' then {{ fp4 }}
        when {{ number_format }} = 'tf32' then {{ tf32 }}
    end
{%- endmacro %}
