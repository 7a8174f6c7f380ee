-- One row per figure that generations are compared by, in one form. The next build reads it from the published
-- file. `input_version` hashes the source's own words behind a row: a figure that moves while they stay was moved by us.
with

-- the payloads or fetches of each round and source
polls as (
    select source, md5(concat_ws('/', count(*), max(polled_at))) as version
    from {{ ref('stg_prices__polls') }}
    group by source
),

payloads as (
    select
        case
            when source like 'mlperf-training%' then 'training/' || release
            when source like 'mlperf-inference%' then 'inference/' || release
            else source
        end as subject,
        min(source) as source,
        md5(string_agg(distinct payload_sha256, '/' order by payload_sha256)) as version
    from {{ ref('ops_reconciliation') }}
    group by all
),

inputs as (
    select 'input' as role, 'ops_reconciliation' as relation, 'payloads' as figure, payloads.subject,
        payloads.source, null::double as value, coalesce(polls.version, payloads.version) as input_version
    from payloads
    left join polls using (source)
    union all by name
    -- and the override files of the user
    select 'input' as role, 'ops_reconciliation' as relation, 'payloads' as figure, 'overrides' as subject,
        null::double as value, coalesce(md5(string_agg(seed || record::varchar, ',' order by seed, record::varchar)), '') as input_version
    from {{ source('raw', 'overrides') }}
),

figures as (
    select * exclude (is_comparable) from {{ ref('int_changes__facts') }}
    union all by name
    select * from {{ ref('int_changes__mart_figures') }}
    union all by name
    select * from {{ ref('int_changes__counts') }}
    union all by name
    select * from inputs
),

overrides as (select * from {{ ref('stg_tco__overrides') }}),

-- of the ownership assumptions that the user overrides
assumptions as (
    select md5(coalesce(string_agg(cast(overrides as varchar), '/' order by cast(overrides as varchar)), '')) as version
    from overrides
)

select
    figures.* exclude (figures.depends_on_assumptions)
        replace (case when figures.depends_on_assumptions then assumptions.version else figures.input_version end as input_version)
from figures
cross join assumptions
-- the figures of one subject beside each other: their words are alike, and take a third of the space
order by figures.subject, figures.figure
