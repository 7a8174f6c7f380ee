select {{ newest_price_on(ref('fct_price_interval'), 'now()') }}
