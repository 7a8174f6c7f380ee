-- A provider's region → country, and state of the United States.
with

regions as (
    select distinct providers.provider, intervals.region
    from {{ ref('int_price__intervals') }} as intervals
    inner join {{ ref('int_price__providers') }} as providers using (source, provider_published)
    where intervals.region is not null
),

countries as (
    {{ with_overrides('cloud_regions') }}
),

matched as (
    {{ best_match(
        'regions',
        'countries',
        "names.provider = seed.provider and regexp_full_match(" ~ region_of_numbered_zone('names.region') ~ ", seed.region_regex, 'i')",
        per=['provider', 'region'],
        preference=['seed.is_override desc', 'seed.country_rule', 'seed.region_regex'],
        columns=['country', 'country_rule', 'region_regex', 'is_override', 'provider is not null as is_known'],
    ) }}
),

placed as (
    select
        provider,
        region,
        case
            when country_rule = 'fixed' then country
            when country_rule = 'group1' then upper(regexp_extract(region, region_regex, 1, 'i'))
        end as country,
        is_known,
        coalesce(is_override, false) as is_override
    from matched
),

in_states as (
    {{ best_match(
        'placed',
        ref('cloud_region_us_states'),
        "names.provider = seed.provider and names.country = 'US'"
            ~ " and regexp_full_match(" ~ region_of_numbered_zone('names.region') ~ ", seed.region_regex, 'i')",
        per=['provider', 'region'],
        preference=['seed.state_rule', 'seed.region_regex'],
        columns=['us_state as us_state_of_seed', 'state_rule', 'region_regex'],
    ) }}
)

select
    * exclude (us_state_of_seed, state_rule, region_regex),
    case state_rule
        when 'fixed' then us_state_of_seed
        when 'group1' then upper(regexp_extract(region, region_regex, 1, 'i'))
    end as us_state
from in_states
