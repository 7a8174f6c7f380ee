{{ current_prices(ref('fct_price_interval'), ref('dim_provider'), 'day') }}
