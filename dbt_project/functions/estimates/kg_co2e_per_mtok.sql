{{ kg_co2e_per_mtok('joules_per_token', 'kg_per_kwh') }}
