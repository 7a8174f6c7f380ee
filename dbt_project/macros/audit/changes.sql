{#- Columns that identify a subject: the result, offer or mart row that a figure belongs to. -#}
{% macro subject_columns() -%}
    {{ return([
        'release', 'suite', 'division', 'submitter', 'submission_id', 'benchmark_id', 'scenario', 'accelerator_id',
        'variant', 'provider', 'instance_type', 'region', 'pricing_model', 'source',
    ]) }}
{%- endmacro %}

{#- Whether two figures differ by more than the order of additions in floating point. -#}
{% macro is_moved(before, after) -%}
    ({{ before }} is distinct from {{ after }}
        and coalesce(abs({{ after }} - {{ before }}) > 1e-9 * greatest(abs({{ before }}), abs({{ after }})), true))
{%- endmacro %}
