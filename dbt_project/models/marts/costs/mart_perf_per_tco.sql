-- One row per benchmark of a round, pair of accelerators, scenario, basis of capital and price level.
{% set is_ranged -%}
    (costs.tco_ratio_low < costs.tco_ratio_high or throughput.throughput_ratio <> throughput.throughput_ratio_of_medians)
{%- endset %}
with

throughput as (select * from {{ ref('mart_throughput_ratio') }}),

costs as (select * from {{ ref('mart_tco_ratio') }}),

formats as (
    select result_id, number_format from {{ ref('fct_inference_result') }}
    union all
    select result_id, number_format from {{ ref('fct_training_result') }}
)

select
    throughput.benchmark_id,
    throughput.suite_kind,
    throughput.accelerator_id,
    throughput.baseline_accelerator_id,
    costs.scenario_id,
    costs.capex_basis,
    costs.price_level,
    costs.is_default,
    costs.reason,
    throughput.release,
    throughput.scenario,
    throughput.result_unit,
    throughput.throughput_ratio,
    costs.tco_ratio,
    {{ perf_per_tco_ratio('throughput.throughput_ratio', 'costs.tco_ratio') }} as perf_per_tco_ratio,
    throughput.throughput_ratio_of_medians,
    {{ perf_per_tco_ratio('throughput.throughput_ratio_of_medians', 'costs.tco_ratio') }} as perf_per_tco_ratio_of_medians,
    throughput.throughput_per_accelerator,
    throughput.baseline_throughput_per_accelerator,
    case when {{ is_ranged }}
        then least(throughput.throughput_ratio, throughput.throughput_ratio_of_medians) / costs.tco_ratio_high end
        as perf_per_tco_ratio_low,
    case when {{ is_ranged }}
        then greatest(throughput.throughput_ratio, throughput.throughput_ratio_of_medians) / costs.tco_ratio_low end
        as perf_per_tco_ratio_high,
    case when costs.tco_ratio is not null then concat_ws(
        '; ',
        case
            when throughput.n_results = 1 and throughput.baseline_n_results = 1 then 'one result of each part'
            when throughput.throughput_ratio_of_medians is null then 'best results of training at sizes of one class; their spread is not known'
            else 'ratio of best results and ratio of medians'
        end,
        case when costs.tco_ratio_low < costs.tco_ratio_high then 'ranges of both ownership costs on the basis of capital' end
    ) end as uncertainty_basis,
    throughput.is_round_incomplete,
    throughput.n_results,
    throughput.baseline_n_results,
    throughput.accelerator_count,
    throughput.baseline_accelerator_count,
    formats.number_format,
    baseline_formats.number_format as baseline_number_format,
    costs.usd_per_accelerator_hour,
    costs.baseline_usd_per_accelerator_hour,
    costs.availability_pct,
    costs.baseline_availability_pct,
    costs.tco_ratio_basis,
    throughput.result_id,
    throughput.baseline_result_id
from throughput
inner join costs using (accelerator_id, baseline_accelerator_id)
left join formats on throughput.result_id = formats.result_id
left join formats as baseline_formats on throughput.baseline_result_id = baseline_formats.result_id
