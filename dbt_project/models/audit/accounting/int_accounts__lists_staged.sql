{{ config(materialized = 'ephemeral') }}

-- One row per parsed payload of specifications, grids and measured serving: its rows in raw and in staging. Staging keeps the
-- newest payload of a list.
with

staged as (
    select source, payload_key, payload_sha256, count(*) as n from {{ ref('stg_specs__values') }} group by all
    union all
    select source, payload_key, payload_sha256, count(*) as n from {{ ref('stg_grids__intensities') }} group by all
    union all
    select source, payload_key, payload_sha256, count(*) as n from {{ ref('stg_serving__points') }} group by all
),

lists as (select distinct source, {{ stream_of('payload_key') }} as stream from staged),

paired as (
    select
        accounts.*,
        coalesce(staged.n, 0) as n,
        staged.n is null and lists.stream is not null as is_superseded
    from {{ ref('ops_reconciliation') }} as accounts
    left join staged using (source, payload_key, payload_sha256)
    left join lists on accounts.source = lists.source and {{ stream_of('accounts.payload_key') }} = lists.stream
    where accounts.dialect in ('specs', 'grids', 'serving')
)

select
    {{ account_step(
        2, "'raw → staging'", 'rows_out', 'n', 'case when is_superseded then rows_out else 0 end',
        "case when is_superseded then 'superseded by a later payload of the same page' else '' end",
        release='release', payload_key='payload_key'
    ) }}
from paired
