{{ config(materialized = 'ephemeral') }}

-- One row per source of exchange rates: the rows of its payloads, and the days and currencies in staging. A day that several
-- payloads name is one row.
with

parsed as (
    select source, sum(rows_out) as n
    from {{ ref('stg_prices__accounts') }}
    where dialect = 'rates'
    group by source
),

named as (
    select source, count(*) - count(distinct (date, currency)) as n_again
    from {{ source('raw', 'exchange_rates') }}
    group by source
),

staged as (select source, count(*) as n from {{ ref('stg_prices__exchange_rates') }} group by source)

select
    {{ account_step(
        2, "'raw → staging'", 'parsed.n', 'coalesce(staged.n, 0)', 'coalesce(named.n_again, 0)',
        "case when named.n_again > 0 then 'named by several payloads' else '' end", source='parsed.source', dialect="'prices'"
    ) }}
from parsed
left join named using (source)
left join staged using (source)
