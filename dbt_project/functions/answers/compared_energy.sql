-- What compare states of the energy of a token on two accelerators.
with named as (select part_a as id_a, part_b as id_b),

energy as (
    select
        e.power_basis,
        e.benchmark_id,
        e.scenario,
        e.release,
        e.accelerator_id,
        min(coalesce(e.j_per_output_token_measured, e.j_per_output_token_modelled)) as joules,
        arg_min(
            e.result_id, (coalesce(e.j_per_output_token_measured, e.j_per_output_token_modelled), e.result_id)
        ) as result_id
    from {{ ref('mart_energy') }} as e
    where e.suite_kind = 'inference' and e.division = 'closed' and e.suite = 'datacenter' and e.variant = 'standard'
        and e.is_derived is not true
        and e.result_id in (select f.result_id from {{ ref('fct_inference_result') }} as f where f.availability = 'available')
        and coalesce(e.j_per_output_token_measured, e.j_per_output_token_modelled) is not null
    group by e.power_basis, e.benchmark_id, e.scenario, e.release, e.accelerator_id
),

energy_rows as (
    select
        8 as topic_order,
        'energy, ' || x.power_basis as topic,
        x.benchmark_id || ' ' || x.scenario as item,
        'J per output token, with PUE' as unit,
        {{ of_both(release='#.release', value='#.joules', evidence='#.result_id') }}
    from named as n
    inner join energy as x on n.id_a = x.accelerator_id
    inner join energy as y
        on n.id_b = y.accelerator_id and x.power_basis = y.power_basis and x.benchmark_id = y.benchmark_id
        and x.scenario = y.scenario and x.release = y.release
    qualify row_number() over (
        partition by x.power_basis, x.benchmark_id, x.scenario order by {{ release_number('x.release') }} desc
    ) = 1
)

from energy_rows
