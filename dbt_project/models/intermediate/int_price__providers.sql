-- A seller's name in a source → provider, or `unmapped:<published name>` where no seed knows it. An alias of the source
-- itself wins over one of any source, and an alias over a provider's own slug or name.
with

names as (select distinct source, provider_published from {{ ref('stg_prices__runs') }}),

aliases as (
    select source, name_published, provider, is_override, 1 as rank
    from {{ ref('stg_reference__cloud_provider_aliases') }}
    union all
    select '*' as source, unnest([provider, name]) as name_published, provider, is_override, 2 as rank
    from {{ ref('stg_reference__cloud_providers') }}
)

select
    names.source,
    names.provider_published,
    coalesce(aliases.provider, {{ unmapped('names.provider_published') }}) as provider,
    coalesce(aliases.is_override, false) as is_override
from names
left join aliases
    on lower(names.provider_published) = lower(aliases.name_published)
    and aliases.source in (names.source, '*')
qualify row_number() over (
    partition by names.source, names.provider_published
    order by aliases.rank, aliases.source = '*', aliases.is_override desc, aliases.provider
) = 1
