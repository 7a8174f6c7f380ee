{%- set capital = tco_capital_usd_per_h('(p).capex_usd_per_accelerator', '(p).cost_of_capital_pct', '(p).depreciation_years') -%}
{%- set electricity = tco_electricity_usd_per_h('(p).it_power_w', '(p).pue', '(p).electricity_usd_per_kwh') -%}
{%- set colocation = tco_colocation_usd_per_h('(p).it_power_w', '(p).colocation_usd_per_kw_month') -%}
{%- set hour = tco_usd_per_accelerator_hour('(p).capex_usd_per_accelerator', '(p).it_power_w', '(p)') -%}
{
    'capital_usd_per_accelerator_hour': {{ capital }},
    'electricity_usd_per_accelerator_hour': {{ electricity }},
    'colocation_usd_per_accelerator_hour': {{ colocation }},
    'maintenance_usd_per_accelerator_hour':
        {{ tco_maintenance_usd_per_h('(p).capex_usd_per_accelerator', '(p).maintenance_pct_of_capex_per_year') }},
    'staff_usd_per_accelerator_hour': {{ tco_staff_usd_per_h('(p).staff_usd_per_accelerator_year') }},
    'unavailability_usd_per_accelerator_hour': {{ hour }} * (1 - (p).availability_pct / 100.0),
    'running_usd_per_accelerator_hour': {{ tco_running_usd_per_h('(p).capex_usd_per_accelerator', '(p).it_power_w', '(p)') }},
    'usd_per_accelerator_hour': {{ hour }},
    'power_and_space_share_pct': ({{ electricity }} + {{ colocation }}) / ({{ hour }} * (p).availability_pct / 100.0) * 100,
    'usd_per_utilised_accelerator_hour': {{ hour }} / ((p).utilisation_pct / 100.0),
    'usd_per_useful_accelerator_hour': {{ hour }} / ((p).utilisation_pct / 100.0) / ((p).goodput_pct / 100.0)
}
