case
    when quoted > high_end then 'above_range'
    when quoted < low_end then 'below_range'
    when percentile < 25 then 'low'
    when percentile > 75 then 'high'
    when percentile >= 25 then 'usual'
    when quoted >= low_end then 'in_range'
    else 'no_verdict'
end
