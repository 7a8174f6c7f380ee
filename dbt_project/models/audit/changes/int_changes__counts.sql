{{ config(materialized = 'ephemeral') }}
-- One row per count of rows: of each public table, of the rounds in a fact, and of the current offers of a seller.
{% set relations = [
    'dim_accelerator', 'dim_benchmark', 'dim_grid', 'dim_provider', 'dim_region_grid', 'dim_release',
    'fct_inference_result', 'fct_price_interval', 'fct_serving_point', 'fct_training_result', 'fct_training_run',
    'mart_accelerator_hour', 'mart_best_of_round', 'mart_build_vs_rent', 'mart_claim_check', 'mart_cost_headline',
    'mart_cost_per_mtok', 'mart_cost_to_train', 'mart_energy', 'mart_energy_model_check', 'mart_findings',
    'mart_frontier_cost_check', 'mart_hardware_price', 'mart_inference_source_agreement', 'mart_inference_throughput',
    'mart_measurement_check', 'mart_owned_cost_per_mtok', 'mart_perf_per_tco', 'mart_price_current', 'mart_price_index',
    'mart_published_analysis_check', 'mart_published_tables', 'mart_published_values', 'mart_rental_price_level',
    'mart_same_seller_ratio', 'mart_seller_price_level', 'mart_serving_frontier', 'mart_software_progress',
    'mart_source_health', 'mart_spec_agreement', 'mart_spec_value', 'mart_tco', 'mart_tco_assumptions', 'mart_tco_ratio',
    'mart_tco_sensitivity', 'mart_throughput_ratio', 'mart_token_cost_and_price', 'mart_token_market_price',
    'mart_token_throughput', 'mart_trained_tokens', 'mart_training_efficiency', 'mart_training_scaling'
] %}
with

offers as (
    select provider, count(*) as offers_in_force, count(*) filter (is_comparable) as comparable_offers_in_force
    from {{ ref('int_changes__facts') }}
    where role = 'price' and provider is not null
    group by provider
)

select
    'count' as role, 'fct_price_interval' as relation, figure, provider as subject, 'offers' as unit, provider,
    null::varchar as release, value::double as value
from offers unpivot (value for figure in (offers_in_force, comparable_offers_in_force))
where value > 0

{% for fact in ['fct_inference_result', 'fct_training_result'] %}
union all by name
select 'count' as role, '{{ fact }}' as relation, 'rows_of_release' as figure, release as subject, 'rows' as unit,
    release, cast(count(*) as double) as value
from {{ ref(fact) }}
group by release
{% endfor %}

-- `meta` marks the tables whose rows the user's own assumptions decide
{% for name in relations %}
{%- set node = graph.nodes['model.' ~ project_name ~ '.' ~ name] if execute %}
union all by name
select 'count' as role, '{{ name }}' as relation, 'rows' as figure, '{{ name }}' as subject, 'rows' as unit,
    cast(count(*) as double) as value,
    {{ (execute and node.config.meta.rows_depend_on == 'assumptions') | lower }} as depends_on_assumptions
from {{ ref(name) }}
{% endfor %}
