{{ var('price_current_days') }}
