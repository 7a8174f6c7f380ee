{{ rent_along_its_path('usd', 'end_usd', 'months', 'monthly_change') }}
