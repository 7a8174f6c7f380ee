{{ owned_usd('capex_usd', 'running_usd_per_hour', 'months', 'interest_pct', 'residual_pct') }}
