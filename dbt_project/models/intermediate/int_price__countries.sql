-- A provider's region → country.
with

regions as (
    select distinct providers.provider, runs.region
    from {{ ref('stg_prices__runs') }} as runs
    inner join {{ ref('int_price__providers') }} as providers using (source, provider_published)
    where runs.region is not null
)

select
    regions.provider,
    regions.region,
    case
        when seed.country_rule = 'fixed' then seed.country
        when seed.country_rule = 'group1' then upper(regexp_extract(regions.region, seed.region_regex, 1, 'i'))
    end as country,
    seed.provider is not null as is_known,
    coalesce(seed.is_override, false) as is_override
from regions
left join {{ ref('stg_reference__cloud_regions') }} as seed
    on regions.provider = seed.provider and regexp_full_match(regions.region, seed.region_regex, 'i')
qualify row_number() over (partition by regions.provider, regions.region order by seed.is_override desc, seed.country_rule, seed.region_regex) = 1
