{{ months_paid('months', 'term_months') }}
