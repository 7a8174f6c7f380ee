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
    throughput.* exclude (throughput.benchmark_version),
    costs.* exclude (
        accelerator_id, baseline_accelerator_id, costs.tco_ratio_low, costs.tco_ratio_high, costs.tco_ratio_at_equal_inputs_low,
        costs.tco_ratio_at_equal_inputs_high
    ),
    {{ perf_per_tco_ratio('throughput.throughput_ratio', 'costs.tco_ratio') }} as perf_per_tco_ratio,
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
        case when costs.tco_ratio_low < costs.tco_ratio_high then 'error of the capital of one part against the other' end
    ) end as uncertainty_basis,
    formats.number_format,
    baseline_formats.number_format as baseline_number_format
from throughput
inner join costs using (accelerator_id, baseline_accelerator_id)
left join formats on throughput.result_id = formats.result_id
left join formats as baseline_formats on throughput.baseline_result_id = baseline_formats.result_id
