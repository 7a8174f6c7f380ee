{{ config(meta = {'dagster': {'ref': {'name': 'mart_tco_assumptions'}}}) }}
with

assumptions as (select * from {{ ref('mart_tco_assumptions') }}),

named as (
    select distinct unnest(string_split(assumption_ids, ',')) as assumption_id
    from {{ ref('mart_tco') }}
)

select assumption_id, 'has no source or date' as problem
from assumptions
where not is_overridden and (coalesce(source_url, '') not like 'http%' or stated_on is null)

union all

select assumption_id, 'stands in no list of assumptions' as problem
from named
anti join assumptions using (assumption_id)
