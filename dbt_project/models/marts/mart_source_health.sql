with

accounts as (select * from {{ ref('ops_reconciliation') }}),

built as (select built_at from {{ ref('ops_generation') }})

select
    accounts.source,
    max(accounts.fetched_at) as last_success_at,
    date_diff('hour', max(accounts.fetched_at), max(built.built_at)) / 24.0 as age_days,
    count(distinct accounts.payload_sha256) as payloads,
    sum(accounts.records_in)::bigint as records_in,
    sum(accounts.rows_out)::bigint as rows,
    sum(accounts.rejects)::bigint as rejects,
    case
        when not bool_and(accounts.is_balanced) then 'records lost'
        when sum(accounts.rejects) > 0 then 'ok, with rejects'
        else 'ok'
    end as status
from accounts
cross join built
group by accounts.source
