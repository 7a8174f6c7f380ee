{{ amortised_usd('hardware_usd', 'hours', 'life_years') }}
