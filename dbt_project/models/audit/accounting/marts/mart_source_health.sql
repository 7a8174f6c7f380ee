-- One row per source.
with

accounts as (select * from {{ ref('ops_reconciliation') }}),

built as (select built_at from {{ ref('ops_generation') }}),

-- a price list is as old as what it says: when it was last asked, or the day it dates itself to
polls as (
    select polls.source, max(polls.polled_at) as last_polled_at
    from {{ ref('stg_prices__polls') }} as polls
    cross join built
    where polls.polled_at <= built.built_at
    group by polls.source
),

fetches as (select * from {{ source('operator', 'source_fetches') }}),

aged as (
    select
        accounts.*,
        built.built_at,
        coalesce(polls.last_polled_at, fetches.last_fetched_at, accounts.fetched_at) as last_success_at
    from accounts
    cross join built
    left join polls using (source)
    left join fetches using (source)
)

select
    source,
    max(last_success_at) as last_success_at,
    date_diff('hour', max(last_success_at), max(built_at)) / 24.0 as age_days,
    count(distinct payload_sha256) as payloads,
    sum(records_in)::bigint as records_in,
    sum(rows_out)::bigint as rows,
    sum(rejects)::bigint as rejects,
    case
        when not bool_and(is_balanced) then 'records lost'
        when sum(rejects) > 0 then 'ok, with rejects'
        else 'ok'
    end as status
from aged
group by source
