with assumed as (
    select
        m.accelerator_id,
        m.scenario_id,
        case when capex_usd is null then m.price_level end as level_of_capex,
        cast(coalesce(capex_usd, m.capex_usd_per_accelerator) as double) as capex_usd_per_accelerator,
        cast(coalesce(it_power_w, m.it_power_w) as double) as it_w,
        {% for parameter in tco_parameters() -%}
        cast(coalesce({{ parameter }}, m.{{ parameter }}) as double) as {{ parameter }},
        {% endfor -%}
        case when capex_usd is null then m.capex_basis else 'set_by_user' end as basis_of_capex,
        case when capex_usd is null then m.capex_as_of end as capex_as_of,
        case when capex_usd is null then m.capex_source end as capex_source
    from {{ ref('mart_tco') }} as m
    where m.accelerator_id = {{ function('accelerator_named') }}(accelerator)
        and (scenario is null or m.scenario_id = {{ function('ownership_scenario_named') }}(scenario))
        and (price_level is null or m.price_level = price_level)
        and (capex_basis is null or m.capex_basis = capex_basis)
    qualify row_number() over (
        partition by m.scenario_id
        order by m.is_default desc, {{ by_default_capex('m.capex_basis', 'm.price_level') }}
    ) = 1
),

costs as (
    select
        s.*,
        {{ tco_usd_per_accelerator_hour('s.capex_usd_per_accelerator', 's.it_w', 's') }} as usd_per_accelerator_hour
    from assumed as s
)

select
    s.accelerator_id,
    s.scenario_id,
    s.level_of_capex as price_level,
    s.usd_per_accelerator_hour,
    {{ tco_parts('s.capex_usd_per_accelerator', 's.it_w', 's') }},
    {{ tco_of_used_hours('s') }},
    s.capex_usd_per_accelerator,
    s.it_w as it_power_w,
    {% for parameter in tco_parameters() %}s.{{ parameter }},
    {% endfor -%}
    s.basis_of_capex as capex_basis,
    s.capex_as_of,
    s.capex_source
from costs as s
order by s.usd_per_accelerator_hour, s.scenario_id
