{#- The public tables whose rows are counted against the generation before, and whether the user's own assumptions
    (scenarios.yaml) decide how many they have. -#}
{% macro counted_relations() -%}
    {{ return({
        'dim_accelerator': false, 'dim_benchmark': false, 'dim_instance_type': false, 'dim_provider': false,
        'dim_release': false, 'dim_submitter': false, 'dim_system': false, 'dim_grid': false, 'dim_region_grid': false,
        'fct_inference_result': false, 'fct_price_interval': false, 'fct_training_result': false,
        'fct_training_run': false, 'fct_serving_point': false, 'mart_serving_frontier': false,
        'mart_serving_progress': false, 'mart_measurement_check': false,
        'mart_best_of_round': false, 'mart_build_vs_rent': true, 'mart_claim_case': false, 'mart_claim_check': false, 'mart_cost_headline': false, 'mart_cost_per_mtok': false, 'mart_energy': false, 'mart_finding_evidence': false, 'mart_findings': false, 'mart_hardware_price': false, 'mart_published_values': false,
        'mart_energy_model_check': false, 'mart_cost_to_train': true, 'mart_frontier_cost_check': false, 'mart_goodput_breakeven': true, 'mart_inference_source_agreement': false,
        'mart_inference_throughput': false, 'mart_inference_throughput_by_model': false, 'mart_owned_cost_per_mtok': true, 'mart_perf_per_tco': true,
        'mart_price_current': false, 'mart_price_index': false, 'mart_rental_price_level': false, 'mart_token_cost_and_price': false, 'mart_token_market_price': false,
        'mart_same_seller_ratio': false, 'mart_seller_price_level': false, 'mart_published_analysis_check': false,
        'mart_published_tables': false, 'mart_software_gain': false, 'mart_software_progress': false, 'mart_source_health': false,
        'mart_spec_agreement': false, 'mart_spec_coverage': false, 'mart_spec_value': false, 'mart_tco': true,
        'mart_tco_assumptions': true, 'mart_tco_published_rates': false, 'mart_tco_sensitivity': true, 'mart_token_throughput': false,
        'mart_trained_tokens': false, 'mart_training_efficiency': false, 'mart_training_scaling': false,
    }) }}
{%- endmacro %}

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

{#- What of an account's payload decides the rows of a round, or of a source. -#}
{% macro input_scope(source, release) -%}
    case
        when {{ source }} like 'mlperf-training%' then 'training/' || {{ release }}
        when {{ source }} like 'mlperf-inference%' then 'inference/' || {{ release }}
        else {{ source }}
    end
{%- endmacro %}
