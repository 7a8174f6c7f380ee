{{ household_years('tokens', 'joules_per_token', latest_constant(ref('energy_constants'), 'us_household_kwh')) }}
