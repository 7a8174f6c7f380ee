select
    e.watts_per_accelerator,
    e.j_per_output_token_before_pue,
    e.result_id,
    format(
        'Measured for comparison: {:,.0f} W per accelerator before PUE{} ({}; MLPerf {} {}, {}, {}, {}, {} {}, {}; result {}).',
        e.watts_per_accelerator, coalesce(format(', {:.3g} J per output token', e.j_per_output_token_before_pue), ''), e.power_scope,
        e.suite_kind, e.release, e.division, e.submitter, e.system_name, e.benchmark_id, coalesce(e.scenario, ''), e.variant, e.result_id
    ) as basis
from {{ ref('mart_energy') }} as e
where e.power_basis = 'measured' and not e.is_derived
    and e.accelerator_id = accelerator
    and case
        when benchmark is null then e.suite_kind = 'training'
        else e.benchmark_id = benchmark and e.scenario = mlperf_scenario and e.j_per_output_token_measured is not null
    end
order by
    e.variant <> 'standard' asc, e.j_per_output_token_before_pue asc, e.watts_per_accelerator desc, e.result_id asc
limit 1
