{{ config(meta = {'dagster': {'ref': {'name': 'mart_tco_assumptions'}}}) }}
with

assumptions as (select * from {{ ref('mart_tco_assumptions') }}),

named as (
    select
        unnest(string_split(assumption_ids, ',')) as assumption_id,
        bool_or(is_default) as is_of_a_default
    from {{ ref('mart_tco') }}
    group by assumption_id
)

select assumption_id, 'has no source or date' as problem
from assumptions
where not is_overridden and (coalesce(source_url, '') not like 'http%' or stated_on is null)

union all

select assumption_id, 'its note does not begin with the kind of its source' as problem
from assumptions
where basis = ''

union all

select assumption_id, 'stands in no list of assumptions' as problem
from named
anti join assumptions using (assumption_id)

union all

select assumption_id, 'is older than 2024 in a default, and its note does not say that there is no newer source' as problem
from assumptions
inner join named using (assumption_id)
where named.is_of_a_default and assumptions.stated_on < '2024' and not contains(lower(assumptions.note), 'no newer source')
