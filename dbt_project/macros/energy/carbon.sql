{#- Carbon of the electricity of a token, by the grid of an offer. Operational only; annual averages. -#}

{#- Whether the region of an offer is a region of a grid: the region itself, one of its zones (us-central1-b, us-east-1a),
    or a name that ends with it in brackets (Iowa (us-central1)). -#}
{% macro is_region_or_zone(offer_region, grid_region) -%}
    regexp_full_match(
        {{ offer_region }}, '([^(),]*\()?' || regexp_escape({{ grid_region }}) || '(-?[a-z]|-ai[0-9][a-z]|\))?', 'i'
    )
{%- endmacro %}

{#- Costs of tokens with the grid of each offer and kg CO2e per million output tokens. Energy is the modelled one of the
    result, so that all accelerators are compared alike: joules of a token at the meter of the site. The low end is the low
    end of the energy on the lowest figure for the grid, the high end the high end of both. An offer whose grid is not known
    has no figure, but the range over all grids. -#}
{% macro with_carbon(costs, region_grids, grids, energy) -%}
{%- set no_grid_reason = "coalesce(r.reason, 'the grid of the region is not known')" -%}
    select
        c.*,
        {{ kg_co2e_per_mtok('e.j_per_output_token_modelled', 'g.kg_co2e_per_kwh') }} as kg_co2e_per_output_mtok,
        {% for side in ['low', 'high'] -%}
        {{ kg_co2e_per_mtok(
            'e.j_per_output_token_modelled_' ~ side,
            'coalesce(g.kg_co2e_per_kwh_' ~ side ~ ', g.kg_co2e_per_kwh, w.kg_co2e_per_kwh_' ~ side ~ ')'
        ) }} as kg_co2e_per_output_mtok_{{ side }},
        {% endfor -%}
        case
            when e.j_per_output_token_modelled is null then null
            when g.grid_id is null then concat_ws('; ', {{ no_grid_reason }}, 'range over all grids of the world', e.uncertainty_basis)
            else e.uncertainty_basis || case when g.n_statements > 1 then '; spread of figures for the grid' else '; one figure for the grid' end
        end as carbon_uncertainty_basis,
        g.grid_id,
        g.grid_level,
        g.place as grid_place,
        g.year as grid_year,
        g.basis as grid_basis,
        g.kg_co2e_per_kwh as grid_kg_co2e_per_kwh,
        coalesce(
            case when g.grid_id is null then {{ no_grid_reason }} end,
            case when e.j_per_output_token_modelled is null then 'the energy of the result is not modelled' end
        ) as carbon_reason
    from {{ costs }} as c
    left join {{ region_grids }} as r
        on c.provider = r.provider
        and c.region is not distinct from r.region
        and c.country is not distinct from r.country
    left join {{ grids }} as g on r.grid_id = g.grid_id
    left join {{ energy }} as e on c.result_id = e.result_id and e.power_basis = 'modelled'
    cross join (
        select
            min(coalesce(a.kg_co2e_per_kwh_low, a.kg_co2e_per_kwh)) as kg_co2e_per_kwh_low,
            max(coalesce(a.kg_co2e_per_kwh_high, a.kg_co2e_per_kwh)) as kg_co2e_per_kwh_high
        from {{ grids }} as a
    ) as w
{%- endmacro %}
