with asked as materialized (
    select
        accelerator as part,
        cast(scenario as varchar) as scenario_named,
        -- US$ per kWh, or a place
        try_cast(cast(electricity as varchar) as double) as usd_given,
        case when usd_given is null then coalesce(cast(electricity as varchar), cast(region as varchar)) end as place_of_price
),

priced_place as materialized (
    select
        g.place,
        g.usd_per_kwh_basis,
        g.usd_per_kwh_year,
        g.usd_per_kwh_reason,
        case
            when g.usd_per_kwh is null and electricity is not null
                then error(format('electricity is {}: {}; give US$ per kWh', g.place, g.usd_per_kwh_reason))
            else g.usd_per_kwh
        end as usd_per_kwh
    from {{ function('grids_of_places') }}([(select asked.place_of_price from asked)]) as g
),

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
            {{ argument('electricity', 'a.usd_given') }}, d.usd_per_kwh, t.electricity_usd_per_kwh,
            {{ latest_constant(ref('energy_constants'), 'us_electricity_price_industrial') }}
        ) as usd_per_kwh,
        case
            when a.usd_given is not null then 'as given'
            when d.usd_per_kwh is not null
                then format('{}: {}, {}', d.place, d.usd_per_kwh_basis, d.usd_per_kwh_year)
            when t.electricity_usd_per_kwh is not null then 'of scenario ' || t.scenario_id
            else 'the newest US industrial average' || coalesce(format(' ({}: {})', d.place, d.usd_per_kwh_reason), '')
        end as usd_of,
        coalesce(grid, region, (select any_value(e.grid_id) from {{ ref('mart_energy') }} as e)) as site_grid
    from asked as a
    left join priced_place as d on true
    left join {{ ref('mart_tco') }} as t on a.part = t.accelerator_id and a.scenario_named = t.scenario_id and t.is_default
)

select
    h.usd as hardware_usd_per_accelerator,
    case when p.watts is not null then 'modelled' end as power_basis,
    p.watts as watts_per_accelerator,
    s.site_pue as pue,
    s.usd_per_kwh as electricity_usd_per_kwh,
    case
        when g.kg_co2e_per_kwh is null then error(format('grid is {}: {}; name another place', g.place, g.reason))
        when g.n_grids > 1 then g.place
        else g.grid_ids
    end as grid_id,
    g.kg_co2e_per_kwh,
    [
        h.basis,
        p.basis,
        format(
            'PUE {:g}, {}. Electricity ${:g}/kWh, {}: a rental price and a rate of ownership contain it already.', s.site_pue, s.pue_of,
            s.usd_per_kwh, s.usd_of
        ),
        format('Grid: {}, {:.3g} kg CO2e/kWh', g.place, g.kg_co2e_per_kwh)
        || case when g.n_grids > 1 then format(', median of {} grids', g.n_grids) else '' end
        || coalesce(format(' ({:.3g} to {:.3g})', g.kg_co2e_per_kwh_low, g.kg_co2e_per_kwh_high), '')
        || format(', {}{}.', g.grid_basis, coalesce(', ' || g.grid_year_high, ''))
    ] as basis
from hardware as h
cross join power as p
cross join site as s
cross join {{ function('grids_of_places') }}([(select site.site_grid from site)]) as g
