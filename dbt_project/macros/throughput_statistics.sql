{#- What every aggregate of throughputs shows: how many, how spread, and which result is the best. -#}
{% macro throughput_statistics() -%}
    count(*) as n_results,
    count(*) filter (is_derived is null) as n_results_derivation_unknown,
    bool_or(is_round_incomplete) as is_round_incomplete,
    count(distinct run_id) as n_runs,
    count(distinct submitter) as n_submitters,
    min(throughput_per_accelerator) as throughput_per_accelerator_min,
    median(throughput_per_accelerator) as throughput_per_accelerator_median,
    {{ mean('throughput_per_accelerator') }} as throughput_per_accelerator_mean,
    max(throughput_per_accelerator) as throughput_per_accelerator_max,
    min(accelerator_count) as accelerator_count_min,
    max(accelerator_count) as accelerator_count_max,
    {%- for column in ['result_id', 'submission_id', 'submitter', 'system_name', 'availability', 'source_url'] %}
    arg_max({{ column }}, (throughput_per_accelerator, result_id)) as best_{{ column }},
    {%- endfor %}
    count(power_w) as n_results_with_power,
    median(power_w / accelerator_count) as system_w_per_accelerator_median,
    min(j_per_output_token) as j_per_output_token_min,
    median(j_per_output_token) as j_per_output_token_median
{%- endmacro %}

{#- Which results may stand for an accelerator: in a best result, cost, rank, range or headline. A result whose derivation
    is unknown counts; n_results_derivation_unknown says how many there are. -#}
{% macro stands_for_accelerator(relation='') -%}
    {%- set of = relation ~ '.' if relation else '' -%}
    {{ of }}is_per_accelerator_valid and {{ of }}is_derived is not true and {{ of }}is_peer_outlier is not true
{%- endmacro %}

{#- Training results that may stand for an accelerator, as above. -#}
{% macro trained_to_target() -%}
    score_minutes is not null and {{ is_mapped('accelerator_id') }} and accelerator_count > 0
    and is_peer_outlier is not true
{%- endmacro %}

{#- Results that enter a statistic: those of optimised software; of a cell that has none, those of reference software. -#}
{% macro without_reference(relation, keys) -%}
    select * from {{ relation }}
    qualify software_class = 'optimised' or not bool_or(software_class = 'optimised') over (partition by {{ keys }})
{%- endmacro %}

{#- Availability of a system in one word: whoever sells it, or a preview, or research. -#}
{% macro availability_class(words) -%}
    case
        when lower({{ words }}) like 'preview%' then 'preview'
        when lower({{ words }}) like 'research%' or lower({{ words }}) = 'rdi' then 'research'
        when lower({{ words }}) = 'unknown' or {{ words }} is null then 'unknown'
        else 'available'
    end
{%- endmacro %}
