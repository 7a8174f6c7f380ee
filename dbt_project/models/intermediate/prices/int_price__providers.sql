-- A seller's name in a source → provider, or `unmapped:<published name>` where no seed knows it. An alias of the source
-- itself wins over one of any source, and an alias over a provider's own slug or name.
with

names as (select distinct source, provider_published from {{ ref('int_price__intervals') }}),

aliases as (
    select source, name_published, provider, is_override, 1 as rank
    from {{ ref('stg_reference__cloud_provider_aliases') }}
    union all
    select '*' as source, unnest([provider, name]) as name_published, provider, is_override, 2 as rank
    from {{ ref('stg_reference__cloud_providers') }}
),

matched as (
    {{ best_match(
        'names',
        'aliases',
        "lower(names.provider_published) = lower(seed.name_published) and seed.source in (names.source, '*')",
        per=['source', 'provider_published'],
        preference=["seed.rank", "seed.source = '*'", "seed.is_override desc", "seed.provider"],
        columns=['provider', 'is_override'],
    ) }}
)

select
    source,
    provider_published,
    {{ key_or_unmapped('provider', 'provider_published') }} as provider,
    coalesce(is_override, false) as is_override
from matched
