-- The polls of a stream in order of time, through all months.
with

polls as (select * from {{ ref('stg_prices__polls') }})

select
    source,
    stream,
    month,
    poll as poll_in_month,
    polled_at,
    row_number() over (partition by source, stream order by polled_at) as poll,
    -- the rule in force is that of the last month
    last_value(polls_to_close) over (
        partition by source, stream order by polled_at rows between unbounded preceding and unbounded following
    ) as polls_to_close
from polls
