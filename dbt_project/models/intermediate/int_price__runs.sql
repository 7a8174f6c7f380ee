{{ config(materialized = 'ephemeral') }}
-- Ephemeral: years of polling make it the largest relation by far, and what it is needed for is its fold.
-- The months' runs with polls numbered through all months.
with

runs as (select * from {{ ref('stg_prices__runs') }}),

polls as (select * from {{ ref('int_price__polls') }})

select
    runs.* exclude (first_poll, last_poll, accelerator_count_published),
    runs.accelerator_count_published as accelerator_count,
    opened.poll as first_poll,
    closed.poll as last_poll,
    opened.polls_to_close
from runs
inner join polls as opened
    on runs.source = opened.source and runs.stream = opened.stream
    and runs.month = opened.month and runs.first_poll = opened.poll_in_month
inner join polls as closed
    on runs.source = closed.source and runs.stream = closed.stream
    and runs.month = closed.month and runs.last_poll = closed.poll_in_month
