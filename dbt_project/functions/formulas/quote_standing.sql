case
    when quoted > seller_price_high then 'above_range'
    when quoted < seller_price_low then 'below_range'
    when percentile < 25 then 'low'
    when percentile > 75 then 'high'
    when percentile >= 25 then 'usual'
    else 'no_verdict'
end
