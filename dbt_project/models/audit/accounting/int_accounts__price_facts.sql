{{ config(materialized = 'ephemeral') }}

-- One row per price list: its intervals, and those among the facts.
with

intervals as (select source, stream, count(*) as n from {{ ref('int_price__intervals') }} group by all),

facts as (select source, stream, count(*) as n from {{ ref('fct_price_interval') }} group by all)

select
    {{ account_step(
        4, "'intervals → fct_price_interval'", 'intervals.n', 'coalesce(facts.n, 0)',
        source='intervals.source', dialect="'prices'", payload_key='intervals.stream'
    ) }}
from intervals
left join facts using (source, stream)
