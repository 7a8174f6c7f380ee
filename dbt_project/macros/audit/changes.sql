{#- Columns that identify a subject: the result, offer or mart row that a figure belongs to. -#}
{% macro subject_columns() -%}
    {{ return([
        'release', 'suite', 'division', 'submitter', 'submission_id', 'benchmark_id', 'scenario', 'accelerator_id',
        'variant', 'provider', 'instance_type', 'region', 'pricing_model', 'source',
    ]) }}
{%- endmacro %}
