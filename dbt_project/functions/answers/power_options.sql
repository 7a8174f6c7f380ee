-- Machines that a power limit carries, what they generate, cost and emit. The limit holds at provisioned power (all-in, at full load)
-- times PUE; at the power that they draw on average it carries more.
with sites as (
    select
        l.megawatts,
        o.owner_id,
        (select any_value(t.pue) from {{ ref('mart_tco') }} as t where t.scenario_id = o.owner_id) as pue
    from (select unnest(cast(power_limits as double[])) as megawatts) as l
    cross join (select unnest(owners) as owner_id) as o
),

-- accelerators_busy carry one token a day
measured as (
    select s.*, 1 / s.accelerators_busy as tokens_per_day_each, {{ is_rack('d.scale_up_domain_size') }} as is_rack
    from {{ function('serving_loads') }}(benchmark_ids, [1], [null], scenario, utilisation, as_of) as s
    inner join {{ ref('dim_accelerator') }} as d on s.accelerator_id = d.accelerator_id
),

tco as ({{ ranked_tco('measured', 'owners') }}),

powered as (
    select
        m.*,
        s.*,
        w.all_in_watts_per_accelerator as provisioned_w,
        w.watts_per_accelerator_low as drawn_w_low,
        w.watts_per_accelerator as drawn_w,
        w.watts_per_accelerator_high as drawn_w_high,
        w.uncertainty_basis as drawn_w_basis,
        {% for name, watts in [('machines', 'all_in_watts_per_accelerator'), ('machines_at_drawn_power_low', 'watts_per_accelerator_high'),
            ('machines_at_drawn_power', 'watts_per_accelerator'), ('machines_at_drawn_power_high', 'watts_per_accelerator_low')] -%}
        least(
            floor(s.megawatts * 1e6 / {{ with_pue('w.' ~ watts ~ ' * m.bought_together', 's.pue') }} + 1e-9), cast(machine_limit as double)
        )::bigint as {{ name }},
        {% endfor -%}
        {{ offer_fit('m.model_parameters', 'm.number_format', 'm.bought_together', 'true', 'm.memory_gb') }} as fit
    from measured as m
    cross join sites as s
    left join {{ ref('int_energy__modelled_watts') }} as w
        on m.accelerator_id = w.accelerator_id and w.is_preferred and w.without_system_id is null
),

counted as (
    select
        p.*,
        p.machines * p.bought_together as accelerators,
        p.machines * p.bought_together * {{ hours_per_month() }} as hours_per_month
    from powered as p
)

select
    c.benchmark_id,
    c.megawatts,
    c.owner_id as owner_scenario_id,
    c.accelerator_id,
    c.machines,
    c.bought_together::bigint as machine_accelerators,
    case when c.is_rack then c.machines end as racks,
    c.accelerators::bigint as accelerators,
    c.machines_at_drawn_power_low,
    c.machines_at_drawn_power,
    c.machines_at_drawn_power_high,
    c.accelerators * c.tokens_per_day_each as tokens_per_day,
    {% for end in ['_low', '', '_high'] -%}
    r.usd{{ end }} * c.hours_per_month as rented_usd_per_month{{ end }},
    t.usd_per_accelerator_hour{{ end }} * c.hours_per_month as owned_usd_per_month{{ end }},
    {{ with_pue('c.drawn_w' ~ end, 'c.pue') }} * c.hours_per_month / 1000 * g.kg_co2e_per_kwh as kg_co2e_per_month{{ end }},
    {% endfor -%}
    t.capex_usd_per_accelerator * c.accelerators as purchase_usd,
    {{ with_pue('c.provisioned_w', 'c.pue') }} * c.accelerators / 1e6 as provisioned_megawatts,
    c.provisioned_w as provisioned_watts_per_accelerator,
    {% for end in ['_low', '', '_high'] -%}
    c.drawn_w{{ end }} as drawn_watts_per_accelerator{{ end }},
    {% endfor -%}
    c.drawn_w_basis,
    c.pue,
    g.grid_id,
    g.kg_co2e_per_kwh,
    r.basis as rent_basis,
    r.n_sellers,
    t.capex_basis,
    t.price_level,
    t.capital_apart_reason,
    nullif(concat_ws('; ',
        c.apart_reason,
        case when c.fit = 'too_small' then 'the model does not fit into a machine' end,
        case
            when c.provisioned_w is null and c.megawatts is not null then 'no all-in power of this accelerator is known'
            when c.machines = 0 then format(
                'one machine of {} takes {:.3g} MW', c.bought_together::bigint,
                {{ with_pue('c.provisioned_w', 'c.pue') }} * c.bought_together / 1e6
            )
        end
    ), '') as reason,
    c.scenario,
    c.release,
    c.number_format,
    c.output_tokens_per_s_per_accelerator,
    c.submitter,
    c.result_id
from counted as c
left join tco as t on c.benchmark_id = t.benchmark_id and c.accelerator_id = t.accelerator_id and c.owner_id = t.scenario_id
left join {{ function('rent_rates') }}(as_of := as_of) as r on c.accelerator_id = r.accelerator_id and r.pricing_model = 'on_demand'
left join {{ ref('grid_intensity') }} as g on g.grid_id = (select any_value(e.grid_id) from {{ ref('mart_energy') }} as e)
