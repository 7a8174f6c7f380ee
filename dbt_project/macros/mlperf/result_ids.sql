{#- One row, one id, readable: what MLCommons asks to be cited. -#}
{% macro inference_result_id(submitter) -%}
    concat_ws('/', 'inference', release, division, coalesce(suite_published, 'unknown'), {{ submitter }}, platform, model_published, scenario)
{%- endmacro %}

{% macro training_result_id() -%}
    concat_ws('/', 'training', release, submitter, system, benchmark)
{%- endmacro %}

{#- The dialect of a raw result of training: MLCommons' collection, results that were read one by one, or the logs of the round's tree. -#}
{% macro training_dialect() -%}
    case source
        when 'mlperf-training-collection' then 'training_collection'
        when 'mlperf-training-read-singly' then 'training_read_singly'
        else 'training_results'
    end
{%- endmacro %}
