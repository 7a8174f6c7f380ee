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
            when g.grid_id is null then concat_ws('; ', {{ no_grid_reason('r.reason') }}, 'range over all grids of the world', e.uncertainty_basis)
            else e.uncertainty_basis || case when g.n_statements > 1 then '; spread of figures for the grid' else '; one figure for the grid' end
        end as carbon_uncertainty_basis,
        g.grid_id,
        g.grid_level,
        g.place as grid_place,
        g.year as grid_year,
        g.basis as grid_basis,
        g.kg_co2e_per_kwh as grid_kg_co2e_per_kwh,
        coalesce(
            case when g.grid_id is null then {{ no_grid_reason('r.reason') }} end,
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

{#- Why an offer has no grid. -#}
{% macro no_grid_reason(reason) -%}
    coalesce({{ reason }}, 'the grid of the region is not known')
{%- endmacro %}

{#- Offers in every region with cost and carbon, ranked by carbon among those that cost at most so many per cent more than
    the cheapest one of a known grid. An offer without a region cannot be compared by carbon: it sets no limit, and stands
    last with its cost. `accelmart rank --carbon` reads it. -#}
{% macro create_carbon_per_mtok() -%}
    create or replace macro main.carbon_per_mtok(
        model, scenario, max_extra_cost_pct := 10, pricing := null, provider := null, region := null, release := null,
        as_of := null
    ) as table (
        with throughput as (
            from token_throughput(model, scenario, release := release) as t where t.is_best_of_accelerator
        ),

        offers as (
            select o.*
            from price_on(coalesce(cast(as_of as date), newest_price_day())) as o
            where (pricing is null or o.pricing_model = pricing)
                and (provider is null or o.provider = provider_named(provider))
                and (region is null or in_region(o.region, o.country, region))
        ),

        costs as ({{ token_costs('throughput', 'offers', 'dim_accelerator', is_per_region=true) }}),

        carbon as ({{ with_carbon('costs', 'dim_region_grid', 'dim_grid', 'mart_energy') }}),

        compared as (
            select
                k.*,
                min(k.usd_per_output_mtok) filter (k.rank_reason is null and k.carbon_reason is null) over ()
                    as usd_per_output_mtok_cheapest
            from carbon as k
        ),

        reasoned as (
            select
                x.*,
                (x.usd_per_output_mtok / x.usd_per_output_mtok_cheapest - 1) * 100 as extra_cost_pct,
                coalesce(
                    x.rank_reason,
                    x.carbon_reason,
                    case
                        when x.usd_per_output_mtok > x.usd_per_output_mtok_cheapest * (1 + max_extra_cost_pct / 100)
                            then format('costs more than {:g} % above the cheapest', cast(max_extra_cost_pct as double))
                    end
                ) as carbon_rank_reason
            from compared as x
        )

        select
            case
                when q.carbon_rank_reason is null
                    then rank() over (partition by q.carbon_rank_reason is null order by q.kg_co2e_per_output_mtok)
            end as carbon_rank,
            q.kg_co2e_per_output_mtok,
            q.kg_co2e_per_output_mtok_low,
            q.kg_co2e_per_output_mtok_high,
            q.usd_per_output_mtok,
            q.extra_cost_pct,
            q.accelerator_id,
            q.provider,
            q.pricing_model,
            q.region,
            q.country,
            q.grid_id,
            q.grid_level,
            q.grid_place,
            q.grid_year,
            q.grid_basis,
            q.grid_kg_co2e_per_kwh,
            q.carbon_uncertainty_basis,
            q.carbon_rank_reason,
            q.usd_per_accelerator_hour,
            q.output_tokens_per_s_per_accelerator,
            q.instance_type,
            least(cast(q.price_observed_at as date), q.price_as_of) as price_seen_on,
            q.price_as_of,
            q.price_standing,
            q.benchmark_version,
            q.release,
            q.availability,
            q.number_format,
            q.result_id,
            q.submission_id,
            q.submitter,
            q.system_name,
            q.offer_id,
            q.price_source,
            q.price_source_url,
            q.fit,
            q.size_note
        from reasoned as q
        order by
            q.carbon_rank_reason is not null, q.kg_co2e_per_output_mtok, q.usd_per_output_mtok, q.accelerator_id, q.provider,
            q.pricing_model, q.region
    )
{%- endmacro %}
