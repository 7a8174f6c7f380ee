select
    e.benchmark_id,
    e.accelerator_id,
    e.scenario,
    min(e.j_per_output_token_measured / e.pue) as j_measured,
    arg_min(e.result_id, (e.j_per_output_token_measured, e.result_id)) as result_id
from {{ ref('mart_energy') }} as e
left join {{ ref('dim_release') }} as r on r.suite_kind = 'inference' and e.release = r.release
where list_contains(benchmark_ids, e.benchmark_id)
    and e.suite_kind = 'inference'
    and e.power_basis = 'measured'
    and e.division = 'closed'
    and e.suite = 'datacenter'
    and e.variant = 'standard'
    and e.is_derived is not true
    and {{ is_round_published('r', 'as_of') }}
group by e.benchmark_id, e.accelerator_id, e.scenario
