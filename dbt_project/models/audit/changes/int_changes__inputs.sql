{{ config(materialized = 'ephemeral') }}
-- One row per round or source of which a generation is made, with the hash of its payloads or fetches; and one for the override files
-- of the user.
with

polls as (
    select source, md5(concat_ws('/', count(*), max(polled_at))) as version
    from {{ ref('stg_prices__polls') }}
    group by source
),

payloads as (
    select
        {{ input_scope('source', 'release') }} as subject,
        min(source) as source,
        md5(string_agg(distinct payload_sha256, '/' order by payload_sha256)) as version
    from {{ ref('ops_reconciliation') }}
    group by all
)

select 'input' as role, 'ops_reconciliation' as relation, 'payloads' as figure, payloads.subject,
    payloads.source, null::double as value, coalesce(polls.version, payloads.version) as input_version
from payloads
left join polls using (source)

union all by name
select 'input' as role, 'ops_reconciliation' as relation, 'payloads' as figure, 'overrides' as subject,
    null::double as value, coalesce(md5(string_agg(seed || record::varchar, ',' order by seed, record::varchar)), '') as input_version
from {{ source('raw', 'overrides') }}
