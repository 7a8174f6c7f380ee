{{ tokens_per_household_year('joules_per_token', latest_constant(ref('energy_constants'), 'us_household_kwh')) }}
