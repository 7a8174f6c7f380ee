-- Carbon intensity of the electricity of a place, one row per source's figure. Of several figures for one place the one of the newest
-- year is active, of one year a life cycle figure first; low and high are the range of several figures. Figures of a country that
-- contradict each other, or count something unstated, are excluded. Sources are the seed grid_intensity and the files of CodeCarbon.
{% set place = 'partition by level, country, us_state, provider, region' %}
{% set figures = place ~ ', exclusion_reason is null' %}
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

compared as (
    select
        *,
        case
            when level <> 'country' then null
            when basis is null then 'the source does not state what the figure counts'
            when max(kg_co2e_per_kwh) over ({{ place }}, basis)
                > {{ var('grid_contradiction_factor') }} * min(kg_co2e_per_kwh) over ({{ place }}, basis)
                then 'figures of the same basis differ by more than {{ var("grid_contradiction_factor") }} times'
        end as exclusion_reason
    from statements
),

-- the newest price of a kilowatt-hour of industry
electricity as (
    select country, us_state, usd_per_kwh, year as usd_per_kwh_year, basis as usd_per_kwh_basis, source_url as usd_per_kwh_source_url
    from {{ ref('electricity_prices') }}
    union all
    select
        'US' as country,
        null as us_state,
        value as usd_per_kwh,
        year as usd_per_kwh_year,
        'average of industry' as usd_per_kwh_basis,
        source_url as usd_per_kwh_source_url
    from {{ ref('energy_constants') }}
    where constant_id = 'us_electricity_price_industrial'
    qualify row_number() over (order by year desc) = 1
),

ranged as (
    select
        *,
        min(kg_co2e_per_kwh) over ({{ figures }}) as kg_co2e_per_kwh_low,
        max(kg_co2e_per_kwh) over ({{ figures }}) as kg_co2e_per_kwh_high,
        count(*) over ({{ figures }}) as n_statements,
        exclusion_reason is null and row_number() over (
            {{ figures }}
            order by year desc nulls last, basis = 'life cycle CO2e' desc, source = 'seed grid_intensity', grid_id
        ) = 1 as is_active
    from compared
)

select
    g.grid_id,
    g.level as grid_level,
    g.country,
    g.us_state,
    g.provider,
    g.region,
    g.place,
    g.kg_co2e_per_kwh,
    case when g.n_statements > 1 then g.kg_co2e_per_kwh_low end as kg_co2e_per_kwh_low,
    case when g.n_statements > 1 then g.kg_co2e_per_kwh_high end as kg_co2e_per_kwh_high,
    g.n_statements,
    case when g.n_statements > 1 then 'spread of figures' else 'one figure' end as uncertainty_basis,
    g.is_active,
    g.exclusion_reason,
    g.year,
    case when g.year is null then 'the source states no year' end as year_reason,
    g.basis,
    e.usd_per_kwh,
    e.usd_per_kwh_year,
    e.usd_per_kwh_basis,
    e.usd_per_kwh_source_url,
    case
        when e.usd_per_kwh is not null then null
        when g.level = 'cloud_region' then 'no source at hand has a price by cloud region'
        else 'no source at hand has an electricity price of the place'
    end as usd_per_kwh_reason,
    g.source,
    g.source_url,
    g.source_note,
    g.payload_sha256,
    g.payload_record
from ranged as g
left join electricity as e
    on g.level in ('country', 'us_state') and g.country = e.country and g.us_state is not distinct from e.us_state
