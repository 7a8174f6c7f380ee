case
    when standing = 'above_range' then 'more than another seller would charge'
    when standing = 'below_range' then 'less than another seller would charge: ask what it includes'
    when standing = 'low' then 'a low price'
    when standing = 'high' then 'a high price'
    when standing = 'usual' then 'a usual price'
    when standing = 'in_range' then 'what another seller might charge'
    else 'not comparable with any price here'
end
