{#- A place is a grid by its key, a country or a group of them, a US state, or a region of a cloud; the first of these that a word names
    counts. Several grids of a place: their median, from the lowest to the highest. -#}
with asked as (
    select distinct trim(p.word) as place
    from (select unnest(cast(places as varchar[])) as word) as p
    where trim(p.word) <> ''
),

meanings as (
    select a.place, g.grid_id, null as country, null as us_state, 1 as precedence
    from asked as a
    inner join {{ ref('dim_grid') }} as g
        on lower(a.place) = lower(g.grid_id) or (lower(a.place) = 'world' and g.grid_level = 'world' and g.is_active)
    union all
    select a.place, g.grid_id, w.country, null as us_state, 2 as precedence
    from asked as a
    inner join {{ ref('int_energy__country_words') }} as w on lower(a.place) = w.word
    left join {{ ref('dim_grid') }} as g on g.grid_level = 'country' and g.is_active and w.country = g.country
    union all
    select a.place, g.grid_id, null as country, g.us_state, 3 as precedence
    from asked as a
    inner join {{ ref('dim_grid') }} as g
        on g.grid_level = 'us_state' and g.is_active and lower(a.place) in ('us-' || lower(g.us_state), lower(g.place))
    union all
    select a.place, r.grid_id, null as country, null as us_state, 4 as precedence
    from asked as a
    inner join {{ ref('dim_region_grid') }} as r on {{ is_of_region('r.region', 'a.place') }}
),

named as (
    select distinct m.place, m.grid_id, m.country, m.us_state, m.precedence
    from meanings as m
    qualify m.precedence = min(m.precedence) over (partition by m.place)
)

select
    -- in the column that every query reads: an unknown place is always an error
    case
        when count(n.precedence) > 0 then a.place
        else error(format(
            '"{}" is no known place: name a country (Germany or DE), a group (EU, Europe, Asia), a US state (US-TX), a region of a cloud, '
            'or a grid_id of dim_grid', a.place
        ))
    end as place,
    list_sort(list(distinct n.country) filter (n.country is not null)) as countries,
    list_sort(list(distinct n.us_state) filter (n.us_state is not null)) as us_states,
    count(distinct g.grid_id) as n_grids,
    string_agg(distinct g.grid_id, ', ' order by g.grid_id) as grid_ids,
    string_agg(distinct g.basis, ', ' order by g.basis) as grid_basis,
    min(g.year) as grid_year_low,
    max(g.year) as grid_year_high,
    median(g.kg_co2e_per_kwh) as kg_co2e_per_kwh,
    case when count(g.n_statements) > 1 or max(g.n_statements) > 1 then min(coalesce(g.kg_co2e_per_kwh_low, g.kg_co2e_per_kwh)) end
        as kg_co2e_per_kwh_low,
    case when count(g.n_statements) > 1 or max(g.n_statements) > 1 then max(coalesce(g.kg_co2e_per_kwh_high, g.kg_co2e_per_kwh)) end
        as kg_co2e_per_kwh_high,
    median(g.usd_per_kwh) as usd_per_kwh,
    case when count(g.usd_per_kwh) > 1 then min(g.usd_per_kwh) end as usd_per_kwh_low,
    case when count(g.usd_per_kwh) > 1 then max(g.usd_per_kwh) end as usd_per_kwh_high,
    max(g.usd_per_kwh_year) as usd_per_kwh_year,
    string_agg(distinct g.usd_per_kwh_basis, '; ' order by g.usd_per_kwh_basis) as usd_per_kwh_basis,
    case when count(g.usd_per_kwh) = 0 then 'no source at hand has an electricity price of the place' end as usd_per_kwh_reason,
    case
        when count(g.grid_id) = 0
            then coalesce(any_value(x.exclusion_reason), 'no source has a grid of the place')
    end as reason
from asked as a
left join named as n on a.place = n.place
left join {{ ref('dim_grid') }} as g on n.grid_id = g.grid_id
left join {{ ref('dim_grid') }} as x on n.grid_id is null and x.grid_level = 'country' and n.country = x.country and x.exclusion_reason is not null
group by a.place
