select cast({{ newest_price_at(ref('fct_price_interval'), 'now()') }} as date)
