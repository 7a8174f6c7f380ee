-- Carbon intensity of the electricity of a place, one row per source's figure. Of several figures for one place the one of
-- the newest year is in force, of one year a life cycle figure first; low and high are the range of several figures.
{% set place = 'partition by level, country, us_state, provider, region' %}
with

statements as (select * from {{ ref('int_grid__statements') }}),

ranged as (
    select
        *,
        min(kg_co2e_per_kwh) over ({{ place }}) as kg_co2e_per_kwh_low,
        max(kg_co2e_per_kwh) over ({{ place }}) as kg_co2e_per_kwh_high,
        count(*) over ({{ place }}) as n_statements,
        row_number() over (
            {{ place }}
            order by year desc nulls last, basis = 'life cycle CO2e' desc, source = 'seed grid_intensity', grid_id
        ) = 1 as is_in_force
    from statements
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
    g.is_in_force,
    g.year,
    case when g.year is null then 'the source states no year' end as year_reason,
    g.basis,
    g.usd_per_kwh,
    g.usd_per_kwh_year,
    case
        when g.usd_per_kwh is not null then null
        when g.level = 'us_state' then 'no source at hand has a price by US state; that of the country is in its row'
        when g.level = 'cloud_region' then 'no source at hand has a price by cloud region'
        else 'no source at hand has an electricity price of the place'
    end as usd_per_kwh_reason,
    g.source,
    g.source_url,
    g.source_note,
    g.payload_sha256,
    g.payload_record
from ranged as g
