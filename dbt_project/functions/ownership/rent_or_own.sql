with ways as (
    from {{ function('costs_of_ways') }}(
        accelerator, gpus, months, utilisation, scenario, price_each := price_each, price_is := price_is, running := running,
        residual_pct := residual_pct, interest_pct := interest_pct, rent := rent, rent_1y := rent_1y, rent_3y := rent_3y, as_of := as_of
    )
),

-- spot prices and capacity blocks are for other work, and stand apart
costed as (
    select
        w.*,
        w.option as option_id,
        case w.option when 'own' then 'owning' else w.option end as option_name
    from ways as w
    where coalesce(w.usd, w.usd_low) is not null and w.is_apart is not true
),

verdicts as ({{ verdicts_on_costs('costed') }})

select
    o.option,
    v.standing,
    v.verdict,
    o.against_owning,
    {{ open_range('o.usd_low', 'o.usd_high', 'o.usd_low') }} as usd_low,
    o.usd,
    {{ open_range('o.usd_low', 'o.usd_high', 'o.usd_high') }} as usd_high,
    case
        when coalesce(o.usd, o.usd_low) is null then null
        when o.usd_low = o.usd_high then 'as given'
        when o.option <> 'own' and o.n_sellers = 1 then 'one seller'
        when o.option <> 'own' and o.n_sellers is null then 'one published figure'
        when o.option <> 'own' and o.usd_low is null then 'plain median of ' || o.n_sellers || ' sellers: no range'
        when o.option <> 'own' then o.rent_basis
        when o.given_capex_usd is null then {{ owned_uncertainty_basis('o.usd_low') }}
        else 'running cost and residual value, both at their low or both at their high end'
    end as uncertainty_basis,
    case
        when o.usd is not null then null
        when o.option = 'own' and o.usd_low is not null then o.ownership_reason
        when o.option = 'own' then 'no capital price, or no all-in power, of this accelerator is published'
        else 'no recent price under this pricing model'
    end as reason,
    -- what the cost is made of, in words
    case
        when o.usd is null then null
        when o.option = 'own'
            then format(
                '{:,} accelerators in whole machines, {:,} of them idle: purchase ${:,.0f} (${:,.0f} each, {}), interest '
                || '${:,.0f} ({:g} % a year, {}), running ${:,.0f} (${:.4g} an hour each, {}), less ${:,.0f} residual value '
                || '({:.3g} %, {})',
                o.accelerators, o.accelerators_idle, o.purchase_usd, o.capex_usd_per_accelerator, o.capex_words,
                o.interest_usd, o.interest_pct, o.interest_basis, o.running_usd,
                o.running_usd_per_accelerator_hour, o.running_basis, o.residual_usd, o.residual_pct,
                o.residual_basis
            )
        else concat_ws(
            '; ',
            format('{}, ${:.4g} an hour, {}', o.pricing_model, o.rent_usd_per_h, o.rent_basis),
            case
                when o.term_months is null
                    then format('{:.0f} months, {:g} % of the hours paid', o.months_paid, coalesce(o.share_paid_pct, o.utilisation_pct))
                when o.months_paid = o.months and o.months % o.term_months > 0 then format(
                    '{} months committed, the other {} by the hour', o.months - o.months % o.term_months, o.months % o.term_months
                )
                else format('{:.0f} months paid in whole terms', o.months_paid)
            end,
            case o.option
                when 'rent_spot' then 'for work that may be interrupted'
                when 'rent_capacity_block' then 'for work that can be planned: blocks of days, paid in advance'
            end,
            format('cheapest {} ${:.4g}', o.cheapest_provider, o.usd_cheapest),
            format('a third party published ${:.4g}', o.usd_published),
            o.months_to_break_even_note
        )
    end as basis,
    o.accelerator_id,
    o.accelerators,
    o.accelerators_idle,
    o.months,
    o.months_paid::bigint as months_paid,
    o.utilisation_pct,
    {{ open_range('o.break_even_utilisation_pct_low', 'o.break_even_utilisation_pct_high', 'o.months_to_break_even_low') }}
        as months_to_break_even_low,
    o.months_to_break_even,
    {{ open_range('o.break_even_utilisation_pct_low', 'o.break_even_utilisation_pct_high', 'o.months_to_break_even_high') }}
        as months_to_break_even_high,
    o.months_to_break_even_note,
    {{ open_range('o.break_even_utilisation_pct_low', 'o.break_even_utilisation_pct_high', 'o.break_even_utilisation_pct_low') }}
        as break_even_utilisation_pct_low,
    o.break_even_utilisation_pct,
    {{ open_range('o.break_even_utilisation_pct_low', 'o.break_even_utilisation_pct_high', 'o.break_even_utilisation_pct_high') }}
        as break_even_utilisation_pct_high,
    o.pricing_model,
    {{ open_range('o.rent_usd_per_h_low', 'o.rent_usd_per_h_high', 'o.rent_usd_per_h_low') }} as usd_per_accelerator_hour_low,
    o.rent_usd_per_h as usd_per_accelerator_hour,
    {{ open_range('o.rent_usd_per_h_low', 'o.rent_usd_per_h_high', 'o.rent_usd_per_h_high') }} as usd_per_accelerator_hour_high,
    o.rent_basis,
    o.n_sellers,
    o.usd_cheapest as usd_per_accelerator_hour_cheapest,
    o.cheapest_provider,
    o.cheapest_offer_id,
    o.usd_published as usd_per_accelerator_hour_published,
    o.published_source,
    o.price_as_of,
    o.scenario_id,
    o.purchase_usd,
    o.interest_usd,
    o.running_usd,
    o.residual_usd,
    {% for end in ['_low', '', '_high'] -%}
    o.capex_usd_per_accelerator{{ end }},
    o.running_usd_per_accelerator_hour{{ end }},
    o.residual_pct{{ end }},
    {% endfor -%}
    o.capex_basis,
    o.capex_source,
    o.running_basis,
    o.interest_pct,
    o.interest_basis,
    o.residual_basis
from ways as o
left join verdicts as v on o.option = v.option_id
order by coalesce(o.is_apart, false), o.usd nulls last, o.option
