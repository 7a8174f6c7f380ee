-- A seller's name in a source → provider. A line for the source itself beats one for any source.
with

names as (select distinct source, provider_published from {{ ref('stg_prices__runs') }}),

aliases as (select * from {{ ref('cloud_provider_aliases') }})

select
    names.source,
    names.provider_published,
    aliases.provider
from names
left join aliases
    on lower(names.provider_published) = lower(aliases.name_published)
    and aliases.source in (names.source, '*')
qualify row_number() over (
    partition by names.source, names.provider_published order by aliases.source = '*', aliases.provider
) = 1
