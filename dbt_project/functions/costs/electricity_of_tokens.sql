with sites as materialized (
    from {{ function('grids_of_places') }}(places)
),

measured as (
    select t.*
    from {{ ref('mart_token_throughput') }} as t
    where list_contains(benchmark_ids, t.benchmark_id) and t.is_representative and lower(t.scenario) = lower(scenario)
),

offers as (
    select o.*
    from {{ function('price_on') }}({{ function('newest_price_day') }}()) as o
    where o.pricing_model = pricing
),

costs as ({{ token_costs('measured', 'offers', ref('dim_accelerator'), is_per_region=true) }}),

-- offers that state a place, and sellers with one price for all their sites and a site in it
placed as (
    select
        s.place,
        k.*,
        case
            when d.segment = 'hyperscaler' then 3
            when k.country is null and not list_has_all(s.countries, string_split(d.site_countries, ', ')) then 2
            else 1
        end as tier,
        case when k.region is null and k.country is null then 'one price for all sites: ' || d.site_countries end as sites
    from sites as s
    cross join costs as k
    left join {{ ref('dim_provider') }} as d on k.provider = d.provider
    left join {{ ref('dim_region_grid') }} as r
        on k.provider = r.provider and k.region is not distinct from r.region and k.country is not distinct from r.country
    where k.rank_reason is null
        and (
            {{ is_of_region('k.region', 's.place') }}
            or list_contains(s.countries, k.country)
            or list_contains(s.us_states, r.us_state)
            or (k.region is null and k.country is null and list_has_any(s.countries, string_split(d.site_countries, ', ')))
        )
),

cheapest as (
    select
        p.*,
        count(*) over (partition by p.place, p.benchmark_id, p.accelerator_id) as n_offers
    from placed as p
    qualify row_number() over (
        partition by p.place, p.benchmark_id, p.accelerator_id order by p.tier, p.usd_per_output_mtok, p.provider, p.offer_id
    ) = 1
)

select
    m.benchmark_id,
    m.scenario,
    s.place,
    m.accelerator_id,
    {%- for side in ['', '_low', '_high'] %}
    1e6 / {{ tokens_per_kwh('e.j_per_output_token_modelled' ~ side) }} as kwh_per_output_mtok{{ side }},
    {%- endfor %}
    {{ kg_co2e_per_mtok('e.j_per_output_token_modelled', 's.kg_co2e_per_kwh') }} as kg_co2e_per_output_mtok,
    {%- for side in ['_low', '_high'] %}
    {{ kg_co2e_per_mtok('e.j_per_output_token_modelled' ~ side, 'coalesce(s.kg_co2e_per_kwh' ~ side ~ ', s.kg_co2e_per_kwh)') }}
        as kg_co2e_per_output_mtok{{ side }},
    {%- endfor %}
    s.kg_co2e_per_kwh / min(s.kg_co2e_per_kwh) over () as carbon_to_lowest_place,
    1e6 / {{ tokens_per_kwh('e.j_per_output_token_modelled') }} * s.usd_per_kwh as electricity_usd_per_output_mtok,
    {%- for side in ['_low', '_high'] %}
    1e6 / {{ tokens_per_kwh('e.j_per_output_token_modelled' ~ side) }} * coalesce(s.usd_per_kwh{{ side }}, s.usd_per_kwh)
        as electricity_usd_per_output_mtok{{ side }},
    {%- endfor %}
    c.usd_per_output_mtok,
    c.provider,
    c.pricing_model,
    c.usd_per_accelerator_hour,
    c.region,
    c.sites,
    c.n_offers,
    least({{ utc_day('c.price_observed_at') }}, c.price_as_of) as price_seen_on,
    c.offer_id,
    s.kg_co2e_per_kwh,
    s.kg_co2e_per_kwh_low,
    s.kg_co2e_per_kwh_high,
    s.n_grids,
    s.grid_ids,
    s.grid_basis,
    s.grid_year_low,
    s.grid_year_high,
    s.usd_per_kwh,
    s.usd_per_kwh_low,
    s.usd_per_kwh_high,
    s.usd_per_kwh_year,
    s.usd_per_kwh_basis,
    e.pue,
    e.uncertainty_basis as energy_uncertainty_basis,
    m.release,
    m.number_format,
    m.submitter,
    m.system_name,
    m.submission_id,
    m.result_id,
    nullif(concat_ws(
        '; ', s.reason,
        case when e.result_id is null then 'the energy of the result is not modelled' end,
        s.usd_per_kwh_reason,
        case when c.offer_id is null then format('no recent {} price of a seller with a site in {}', replace(pricing, '_', ' '), s.place) end
    ), '') as reason
from measured as m
cross join sites as s
left join {{ ref('mart_energy') }} as e on m.result_id = e.result_id and e.power_basis = 'modelled'
left join cheapest as c on m.benchmark_id = c.benchmark_id and m.accelerator_id = c.accelerator_id and s.place = c.place
order by m.benchmark_id, e.j_per_output_token_modelled, m.accelerator_id, s.kg_co2e_per_kwh, s.place
