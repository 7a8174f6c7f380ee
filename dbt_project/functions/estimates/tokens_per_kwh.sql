{{ tokens_per_kwh('joules_per_token') }}
