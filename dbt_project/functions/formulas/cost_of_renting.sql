{{ rented_usd('usd_per_hour', 'months', 'utilisation_pct', 'term_months') }}
