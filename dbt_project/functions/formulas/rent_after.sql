{{ rent_after('usd', 'end_usd', 'months', 'monthly_change') }}
