-- Per accelerator, over the economic life of the hardware and at the utilisation of the owner.
with

owned as (select * from {{ ref('mart_tco') }} where is_default),

rented as (
    select * from {{ ref('mart_price_current') }}
    -- a statistic over sellers is nothing one can rent
    where segment is distinct from 'aggregate'
),

levels as (
    select * from {{ ref('mart_rental_price_level') }}
    qualify as_of = max(as_of) over (partition by pricing_model)
),

rents as (select * from {{ ref('int_price__monthly_change') }}),

compared as (
    select
        concat_ws('/', owned.accelerator_id, owned.scenario_id, rented.provider, rented.pricing_model) as row_id,
        owned.*,
        greatest(least(round(owned.depreciation_years * 12), {{ var('horizon_months_max') }}), 1)::bigint as horizon_months,
        rented.* exclude (accelerator_id),
        levels.usd_per_accelerator_hour as level_usd,
        levels.usd_per_accelerator_hour_low as level_usd_low,
        levels.usd_per_accelerator_hour_high as level_usd_high,
        rents.monthly_change
    from owned
    inner join rented using (accelerator_id)
    cross join rents
    left join levels using (accelerator_id, pricing_model)
),

-- a seller's cheapest offer is a price one can pay, without a range; a level has that of its fit and, by the hour, of its path
cases as (
    {% for kind, usd in [('seller', 'usd_per_accelerator_hour_min'), ('level', 'level_usd')] -%}
    select
        '{{ kind }}/' || row_id as case_id,
        horizon_months as months,
        utilisation_pct,
        cost_of_capital_pct as interest_pct,
        {{ term_months('pricing_model') }} as term_months,
        null::double as given_residual_pct,
        {% for end in ['_low', '', '_high'] -%}
        capex_usd_per_accelerator{{ end }} as capex_usd{{ end }},
        running_usd_per_accelerator_hour{{ end }} as running_usd_per_h{{ end }},
        {% endfor -%}
        {{ usd }} as rent_usd_per_h,
        {% for end in ['_low', '_high'] -%}
        {% if kind == 'seller' -%}
        {{ usd }} as rent_usd_per_h{{ end }},
        {% else -%}
        case
            when {{ term_months('pricing_model') }} is null
                then {{ rent_along_its_path('level_usd', 'level_usd' ~ end, 'horizon_months', 'monthly_change') }}
            else level_usd{{ end }}
        end as rent_usd_per_h{{ end }},
        {% endif -%}
        {% endfor -%}
        {% for name in ['rest_usd_per_h_low', 'rest_usd_per_h', 'rest_usd_per_h_high', 'rest_utilisation_pct'] -%}
        null::double as {{ name }},
        {% endfor -%}
        1 as n_owned,
        1 as n_rented
    from compared
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

costs as ({{ owned_against_rented('cases', ref('int_tco__residual_values')) }})

select
    compared.accelerator_id,
    compared.scenario_id,
    compared.provider,
    compared.segment,
    compared.pricing_model,
    compared.horizon_months,
    compared.utilisation_pct,
    {% for end in ['', '_low', '_high'] -%}
    seller.owned_usd{{ end }} / (compared.horizon_months * {{ hours_per_month() }}) as owned_usd_per_accelerator_hour{{ end }},
    {% endfor -%}
    seller.owned_usd,
    seller.rented_usd,
    compared.usd_per_accelerator_hour_min as rented_usd_per_accelerator_hour_min,
    seller.break_even_utilisation_pct,
    seller.break_even_utilisation_pct_low,
    seller.break_even_utilisation_pct_high,
    seller.months_to_break_even,
    case when seller.owned_usd_low is not null then seller.months_to_break_even_low end as months_to_break_even_low,
    case when seller.owned_usd_low is not null then seller.months_to_break_even_high end as months_to_break_even_high,
    {{ break_even_note('seller', term_months('compared.pricing_model')) }} as months_to_break_even_note,
    {{ rent_against_owning('seller') }} as against_owning,
    compared.level_usd as level_usd_per_accelerator_hour,
    compared.level_usd_low as level_usd_per_accelerator_hour_low,
    compared.level_usd_high as level_usd_per_accelerator_hour_high,
    of_level.break_even_utilisation_pct as break_even_utilisation_pct_at_level,
    of_level.break_even_utilisation_pct_low as break_even_utilisation_pct_at_level_low,
    of_level.break_even_utilisation_pct_high as break_even_utilisation_pct_at_level_high,
    {{ rent_against_owning('of_level') }} as against_owning_at_level,
    {{ owned_uncertainty_basis('seller.owned_usd_low') }} as uncertainty_basis,
    compared.capex_usd_per_accelerator,
    compared.capex_usd_per_accelerator_low,
    compared.capex_usd_per_accelerator_high,
    compared.running_usd_per_accelerator_hour,
    compared.running_usd_per_accelerator_hour_low,
    compared.running_usd_per_accelerator_hour_high,
    compared.maintenance_pct_of_capex_per_year,
    compared.cost_of_capital_pct as interest_pct,
    compared.capex_basis,
    compared.price_level,
    compared.reason,
    compared.price_as_of,
    compared.best_days_before as price_days_before,
    compared.price_standing,
    compared.rank_reason,
    compared.n_offers,
    compared.best_offer_id as offer_id,
    compared.best_source_url as price_source_url
from compared
inner join costs as seller on 'seller/' || compared.row_id = seller.case_id
inner join costs as of_level on 'level/' || compared.row_id = of_level.case_id
