-- US dollars per million output tokens on an accelerator of one's own: what an hour of owning it costs ÷ the best
-- measured tokens of an hour, in every scenario, on every basis of capital and at every price level. Measured accelerators
-- without an ownership cost keep a row with the reason.
with

throughput as (select * from {{ ref('mart_token_throughput') }} where {{ is_mapped('accelerator_id') }}),

results as (select result_id, number_format, number_format_basis from {{ ref('fct_inference_result') }}),

costs as (select * from {{ ref('mart_tco') }}),

scenarios as (select scenario_id from {{ ref('int_tco__scenarios') }}),

owned as (
    select
        throughput.*,
        scenarios.scenario_id,
        costs.price_level,
        coalesce(costs.is_default, true) as is_default,
        case
            when costs.accelerator_id is null then 'no capital price, or no all-in power, of this accelerator is published'
            else costs.reason
        end as reason,
        costs.capex_basis,
        costs.n_capex_figures,
        costs.usd_per_accelerator_hour,
        costs.usd_per_accelerator_hour_low,
        costs.usd_per_accelerator_hour_high,
        costs.utilisation_pct,
        costs.n_inputs_with_range,
        costs.uncertainty_basis,
        costs.assumption_ids
    from throughput
    cross join scenarios
    left join costs
        on throughput.accelerator_id = costs.accelerator_id and scenarios.scenario_id = costs.scenario_id
)

select
    owned.* exclude (
        owned.is_best_of_accelerator, owned.output_tokens_per_s_per_accelerator_min, owned.output_tokens_per_s_per_accelerator_median,
        owned.newest_release, owned.newest_release_median, owned.newest_release_n_results, owned.n_submitters, owned.number_format,
        owned.model_parameters
    ),
    results.number_format,
    results.number_format_basis,
    {% for side in ['', '_low', '_high'] -%}
    {{ usd_per_output_mtok('owned.usd_per_accelerator_hour' ~ side, 'owned.output_tokens_per_s_per_accelerator') }}
        as usd_per_output_mtok{{ side }},
    {% endfor -%}
    {{ usd_per_total_mtok(
        usd_per_output_mtok('owned.usd_per_accelerator_hour', 'owned.output_tokens_per_s_per_accelerator'),
        'lengths.mean_input_length', 'lengths.mean_output_length',
    ) }} as usd_per_total_mtok
from owned
left join results using (result_id)
left join {{ ref('dim_benchmark') }} as lengths on owned.benchmark_id = lengths.benchmark_id
