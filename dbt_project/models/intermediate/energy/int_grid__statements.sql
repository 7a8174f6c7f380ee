{{ config(materialized = 'ephemeral') }}
-- Every carbon intensity that a source states for a place: the seed grid_intensity and the files of CodeCarbon; with the price
-- of electricity where one is known.
with

curated as (
    select
        grid_id,
        case when country is null then 'world' else 'country' end as level,
        country,
        coalesce(country, 'world') as place,
        kg_co2e_per_kwh,
        year,
        basis,
        'seed grid_intensity' as source,
        source_url,
        source_note
    from {{ ref('grid_intensity') }}
),

fetched as (
    select
        concat_ws(
            '/', g.source, {{ stream_of('g.payload_key') }}, g.provider_published,
            coalesce(g.region, g.us_state, g.country)
        ) as grid_id,
        g.level,
        g.country,
        g.us_state,
        case when g.level = 'cloud_region' then {{ key_or_unmapped('p.provider', 'g.provider_published') }} end as provider,
        g.region,
        g.place_published as place,
        g.kg_co2e_per_kwh,
        g.year::integer as year,
        case {{ stream_of('g.payload_key') }}
            when 'countries' then 'life cycle CO2e'
            when 'us-states' then 'CO2e of generation'
            else 'as the cloud provider publishes it'
        end as basis,
        g.source,
        g.source_url,
        nullif(g.note, '') as source_note,
        g.payload_sha256,
        g.payload_record
    from {{ ref('stg_grids__intensities') }} as g
    left join {{ ref('stg_reference__cloud_providers') }} as p on g.provider_published = p.provider
),

statements as (
    select * from curated
    union all by name
    select * from fetched
),

-- the newest price of a kilowatt-hour by country: at hand is that of industry in the United States
electricity as (
    select 'US' as country, value as usd_per_kwh, year as usd_per_kwh_year
    from {{ ref('energy_constants') }}
    where constant_id = 'us_electricity_price_industrial'
    qualify row_number() over (order by year desc) = 1
)

select statements.*, electricity.usd_per_kwh, electricity.usd_per_kwh_year
from statements
left join electricity on statements.level = 'country' and statements.country = electricity.country
