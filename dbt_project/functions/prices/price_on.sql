{{ current_prices(ref('fct_price_interval'), ref('dim_provider'), "(cast(day as timestamptz) + interval 1 day - interval 1 microsecond)") }}
