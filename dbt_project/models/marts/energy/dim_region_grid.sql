-- The grid of every region that offers are sold in: of the cloud region, else of the US state, else of the country.
with

regions as (
    select distinct prices.provider, prices.region, prices.country, places.us_state
    from {{ ref('fct_price_interval') }} as prices
    left join {{ ref('int_price__countries') }} as places using (provider, region)
),

grids as (select * from {{ ref('dim_grid') }} where is_active),

excluded as (
    select country, any_value(exclusion_reason) as exclusion_reason from {{ ref('dim_grid') }} where exclusion_reason is not null group by country
),

joined as (
    select
        p.*,
        of_region.grid_id as grid_of_region,
        of_state.grid_id as grid_of_state,
        of_country.grid_id as grid_of_country,
        excluded.exclusion_reason
    from regions as p
    left join grids as of_region
        on of_region.grid_level = 'cloud_region' and p.provider = of_region.provider
        and {{ is_region_or_zone(region_of_numbered_zone('p.region'), 'of_region.region') }}
    left join grids as of_state on of_state.grid_level = 'us_state' and p.us_state = of_state.us_state
    left join grids as of_country on of_country.grid_level = 'country' and p.country = of_country.country
    left join excluded on p.country = excluded.country
)

select
    provider,
    region,
    country,
    us_state,
    coalesce(grid_of_region, grid_of_state, grid_of_country) as grid_id,
    case
        when grid_of_region is not null then 'cloud_region'
        when grid_of_state is not null then 'us_state'
        when grid_of_country is not null then 'country'
    end as grid_level,
    case
        when coalesce(grid_of_region, grid_of_state, grid_of_country) is not null then null
        when region is null and country is null then 'the seller states no region'
        when country is null then 'the country of the region is not known'
        else coalesce(exclusion_reason, 'no source has a grid of the country')
    end as reason
from joined
