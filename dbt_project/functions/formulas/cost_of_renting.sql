{{ rented_usd('usd_per_hour', 'months', 'utilisation_pct', 'term_months', 'rest_usd_per_hour', 'rest_utilisation_pct') }}
