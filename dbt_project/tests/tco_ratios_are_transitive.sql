with

pairs as (select * from {{ ref('mart_perf_per_tco') }} where perf_per_tco_ratio is not null)

select
    ab.scenario_id,
    ab.capex_basis,
    ab.price_level,
    ab.release,
    ab.benchmark_id,
    ab.accelerator_id as a,
    bc.accelerator_id as b,
    bc.baseline_accelerator_id as c
from pairs as ab
inner join pairs as bc
    on ab.baseline_accelerator_id = bc.accelerator_id
    and ab.scenario_id = bc.scenario_id and ab.capex_basis = bc.capex_basis and ab.price_level = bc.price_level
    and ab.suite_kind = bc.suite_kind and ab.release = bc.release and ab.benchmark_id = bc.benchmark_id
    and ab.scenario is not distinct from bc.scenario and ab.result_unit = bc.result_unit
inner join pairs as ac
    on ab.accelerator_id = ac.accelerator_id and bc.baseline_accelerator_id = ac.baseline_accelerator_id
    and ab.scenario_id = ac.scenario_id and ab.capex_basis = ac.capex_basis and ab.price_level = ac.price_level
    and ab.suite_kind = ac.suite_kind and ab.release = ac.release and ab.benchmark_id = ac.benchmark_id
    and ab.scenario is not distinct from ac.scenario and ab.result_unit = ac.result_unit
where abs(ab.perf_per_tco_ratio * bc.perf_per_tco_ratio / ac.perf_per_tco_ratio - 1) > 1e-9
