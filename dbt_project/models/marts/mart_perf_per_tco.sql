with

throughput as (select * from {{ ref('int_tco__throughput_pairs') }}),

costs as (select * from {{ ref('int_tco__cost_pairs') }})

select
    throughput.benchmark_id,
    throughput.suite_kind,
    throughput.accelerator_id,
    throughput.baseline_accelerator_id,
    costs.scenario_id,
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
    throughput.n_results,
    throughput.baseline_n_results,
    throughput.accelerator_count,
    throughput.baseline_accelerator_count,
    costs.usd_per_accelerator_hour,
    costs.baseline_usd_per_accelerator_hour,
    costs.tco_price_level,
    costs.tco_ratio_basis,
    throughput.result_id,
    throughput.baseline_result_id
from throughput
inner join costs using (accelerator_id, baseline_accelerator_id)
