with asked as materialized (select accelerator as part, cast(scenario as varchar) as scenario_named),

hardware as (
    select
        case
            when capex is not null then cast({{ argument('capex') }} as double)
            when t.capex_usd_per_accelerator is not null then t.capex_usd_per_accelerator
            else s.msrp_or_street_usd / ({{ estimate_constant('gpu_share_of_hardware_pct') }} / 100)
        end as usd,
        case
            when capex is not null then format('Hardware: ${:,.0f} all-in per accelerator, as given.', cast(capex as double))
            when t.capex_usd_per_accelerator is not null then format(
                'Hardware: ${:,.0f} all-in per accelerator, scenario {}, {} (mart_tco).', t.capex_usd_per_accelerator,
                t.scenario_id, {{ capital_words('t') }}
            )
            when s.msrp_or_street_usd is not null then format(
                'Hardware: ${:,.0f} for an accelerator ({}), which is {:g} % of the hardware.', s.msrp_or_street_usd,
                s.price_note, cast({{ estimate_constant('gpu_share_of_hardware_pct') }} as double)
            )
            else format('Hardware: no price of {} is known, so there is no outlay; capex gives one.', a.part)
        end as basis
    from asked as a
    left join {{ ref('mart_tco') }} as t
        on a.part = t.accelerator_id and t.scenario_id = coalesce(a.scenario_named, '{{ var("default_owner") }}') and t.is_default
    left join {{ ref('accelerator_specs') }} as s on a.part = s.accelerator_id
),

power as (
    select
        w.watts_per_accelerator as watts,
        coalesce(
            format(
                'Energy is modelled, not measured: {:,.0f} W per accelerator before PUE; provisioned power with its share of network {:,.0f} W ({})',
                w.watts_per_accelerator, w.all_in_watts_per_accelerator,
                case when w.power_model = 'published_all_in' then w.power_source_url else 'TDP x the median published all-in factor' end
            )
            || case when w.n_model_systems > 0
                then format(', divided by {:.2f}, n = {}', 1 + w.model_error_pct_median / 100, w.n_model_systems) else ''
            end
            || ': ' || w.uncertainty_basis
            || coalesce(format('; {:,.0f} to {:,.0f} W', w.watts_per_accelerator_low, w.watts_per_accelerator_high), '') || '.',
            format('Energy: no power of {} is known.', a.part)
        ) as basis
    from asked as a
    left join {{ ref('int_energy__modelled_watts') }} as w
        on a.part = w.accelerator_id and w.is_preferred and w.without_system_id is null
),

site as (
    select
        coalesce({{ argument('pue') }}, t.pue, (select any_value(e.pue) from {{ ref('mart_energy') }} as e)) as site_pue,
        case
            when pue is not null then 'as given'
            when t.pue is not null then 'of scenario ' || t.scenario_id
            else 'the default of mart_energy'
        end as pue_of,
        coalesce(
            {{ argument('electricity') }}, t.electricity_usd_per_kwh,
            {{ latest_constant(ref('energy_constants'), 'us_electricity_price_industrial') }}
        ) as usd_per_kwh,
        case
            when electricity is not null then 'as given'
            when t.electricity_usd_per_kwh is not null then 'of scenario ' || t.scenario_id
            else 'the newest US industrial average'
        end as usd_of,
        coalesce(grid, (select any_value(e.grid_id) from {{ ref('mart_energy') }} as e)) as site_grid
    from asked as a
    left join {{ ref('mart_tco') }} as t on a.part = t.accelerator_id and a.scenario_named = t.scenario_id and t.is_default
)

select
    h.usd as hardware_usd_per_accelerator,
    case when p.watts is not null then 'modelled' end as power_basis,
    p.watts as watts_per_accelerator,
    s.site_pue as pue,
    s.usd_per_kwh as electricity_usd_per_kwh,
    case
        when g.grid_id is null then error(format(
            'grid is {}: it must be one of {}', s.site_grid,
            (select string_agg(i.grid_id, ', ' order by i.grid_id) from {{ ref('grid_intensity') }} as i)
        ))
        else g.grid_id
    end as grid_id,
    g.kg_co2e_per_kwh,
    [
        h.basis,
        p.basis,
        format(
            'PUE {:g}, {}. Electricity ${:g}/kWh, {}: a rental price and a rate of ownership contain it already.', s.site_pue, s.pue_of,
            s.usd_per_kwh, s.usd_of
        )
    ] as basis
from hardware as h
cross join power as p
cross join site as s
left join {{ ref('grid_intensity') }} as g on s.site_grid = g.grid_id
