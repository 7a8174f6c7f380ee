-- One row per seller of accelerator-hours.
with

providers as (select * from {{ ref('stg_reference__cloud_providers') }}),

offers as (select * from {{ ref('fct_price_interval') }}),

-- what lies in no single country is no site that is known
sites as (
    select provider, string_agg(distinct country, ', ' order by country) as site_countries
    from ({{ with_overrides('cloud_regions') }}) as regions
    where country_rule = 'fixed'
    group by provider
),

-- names that no seed maps have a row too, so that joins hold
known as (
    select * from providers
    union all by name
    select distinct
        provider,
        provider_published as name,
        'no seed maps this name, see ops_unmapped' as note,
        false as is_override
    from offers
    where not {{ is_mapped('provider') }}
)

select
    known.provider,
    any_value(known.name) as provider_name,
    any_value(known.segment) as segment,
    any_value(known.country) as country,
    any_value(sites.site_countries) as site_countries,
    any_value(known.resells) as resells,
    any_value(known.formerly) as formerly,
    any_value(known.home_url) as home_url,
    count(distinct offers.offer_id) as n_offers,
    count(distinct offers.offer_id) filter (where offers.valid_to is null) as n_active_offers,
    max(offers.last_seen_at) as last_seen_at,
    {{ is_mapped('known.provider') }} as is_mapped,
    bool_or(known.is_override) as is_override
from known
left join offers using (provider)
left join sites using (provider)
group by known.provider
