{{ verdict_on_cost('usd', 'usd_low', 'usd_high', 'other_usd', 'other_low', 'other_high') }}
