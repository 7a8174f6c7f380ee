{{ tco_maintenance_usd_per_h('capex_usd', 'pct_of_capex_per_year') }}
