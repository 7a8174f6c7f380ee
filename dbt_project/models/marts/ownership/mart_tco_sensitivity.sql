-- Each input by itself 20 % lower and higher, kept within what is possible; the effect on an hour of useful work,
-- which utilisation and goodput move too.
{% set bounds = {
    'capex_usd_per_accelerator': [0, 'null'], 'it_power_w': [0, 'null'], 'cost_of_capital_pct': [0, 'null'],
    'depreciation_years': [0, 'null'], 'electricity_usd_per_kwh': [0, 'null'], 'pue': [1, 'null'],
    'colocation_usd_per_kw_month': [0, 'null'], 'maintenance_pct_of_capex_per_year': [0, 'null'],
    'staff_usd_per_accelerator_year': [0, 'null'], 'availability_pct': [0, 100], 'utilisation_pct': [0, 100],
    'goodput_pct': [0, 100],
} %}
with

tco as (select * from {{ ref('mart_tco') }} where is_default),

inputs as (
    select unnest([
        {%- for input in bounds %}
        '{{ input }}'{{ ',' if not loop.last }}
        {%- endfor %}
    ]) as input
),

factors as (select unnest([0.8, 1.2]::double[]) as factor),

-- least() of DuckDB passes over nulls, so that an input without an upper bound has none
changed as (
    select
        tco.accelerator_id,
        tco.scenario_id,
        inputs.input,
        factors.factor,
        {%- for input, (low, high) in bounds.items() %}
        case
            when inputs.input = '{{ input }}'
                then least(greatest(tco.{{ input }} * factors.factor, {{ low }}), {{ high }})
            else tco.{{ input }}
        end as {{ input }}{{ ',' if not loop.last }}
        {%- endfor %}
    from tco
    cross join inputs
    cross join factors
),

recomputed as (
    select
        accelerator_id,
        scenario_id,
        input,
        factor,
        case input
            {%- for input in bounds %}
            when '{{ input }}' then {{ input }}
            {%- endfor %}
        end as input_value,
        {{ tco_usd_per_accelerator_hour('changed.capex_usd_per_accelerator', 'changed.it_power_w', 'changed') }}
            as usd_per_accelerator_hour,
        utilisation_pct,
        goodput_pct
    from changed
),

useful as (
    select
        *,
        usd_per_accelerator_hour / (utilisation_pct / 100) / (goodput_pct / 100) as usd_per_useful_accelerator_hour
    from recomputed
),

sides as (
    select
        accelerator_id,
        scenario_id,
        input,
        max(input_value) filter (where factor < 1) as input_value_low,
        max(input_value) filter (where factor > 1) as input_value_high,
        max(usd_per_accelerator_hour) filter (where factor < 1) as usd_per_accelerator_hour_at_low,
        max(usd_per_accelerator_hour) filter (where factor > 1) as usd_per_accelerator_hour_at_high,
        max(usd_per_useful_accelerator_hour) filter (where factor < 1) as usd_per_useful_accelerator_hour_at_low,
        max(usd_per_useful_accelerator_hour) filter (where factor > 1) as usd_per_useful_accelerator_hour_at_high
    from useful
    group by accelerator_id, scenario_id, input
),

effects as (
    select
        sides.*,
        tco.capex_basis,
        case sides.input
            {%- for input in bounds %}
            when '{{ input }}' then tco.{{ input }}
            {%- endfor %}
        end as input_value,
        tco.usd_per_accelerator_hour,
        tco.usd_per_useful_accelerator_hour,
        abs(sides.usd_per_useful_accelerator_hour_at_high - sides.usd_per_useful_accelerator_hour_at_low)
            as effect_usd_per_useful_accelerator_hour
    from sides
    inner join tco using (accelerator_id, scenario_id)
)

select
    *,
    abs(input_value_low - input_value * 0.8) > 1e-9 or abs(input_value_high - input_value * 1.2) > 1e-9 as is_bounded,
    effect_usd_per_useful_accelerator_hour / usd_per_useful_accelerator_hour * 100 as effect_pct,
    row_number() over (
        partition by accelerator_id, scenario_id order by round(effect_usd_per_useful_accelerator_hour, 9) desc, input
    ) as effect_rank
from effects
