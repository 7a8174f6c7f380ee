with

throughput as (select * from {{ ref('int_tco__throughput_pairs') }}),

costs as (select * from {{ ref('int_tco__cost_pairs') }}),

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
    costs.price_level,
    costs.is_newest_level,
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
    least(throughput.throughput_ratio, throughput.throughput_ratio_of_medians) / costs.tco_ratio as perf_per_tco_ratio_low,
    greatest(throughput.throughput_ratio, throughput.throughput_ratio_of_medians) / costs.tco_ratio as perf_per_tco_ratio_high,
    case
        when throughput.throughput_ratio_of_medians is null then 'best results of training at sizes of one class; their spread is not known'
        else 'spread of results: ratio of best results and ratio of medians'
    end as uncertainty_basis,
    throughput.is_round_incomplete,
    throughput.n_results,
    throughput.baseline_n_results,
    throughput.accelerator_count,
    throughput.baseline_accelerator_count,
    formats.number_format,
    baseline_formats.number_format as baseline_number_format,
    costs.usd_per_accelerator_hour,
    costs.baseline_usd_per_accelerator_hour,
    costs.tco_price_level,
    costs.tco_ratio_basis,
    throughput.result_id,
    throughput.baseline_result_id
from throughput
inner join costs using (accelerator_id, baseline_accelerator_id)
left join formats on throughput.result_id = formats.result_id
left join formats as baseline_formats on throughput.baseline_result_id = baseline_formats.result_id
