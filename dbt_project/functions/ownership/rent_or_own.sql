with inputs as (
    from {{ function('owned_inputs') }}(
        accelerator, gpus, months, utilisation, scenario, price_each := price_each, price_is := price_is, running := running,
        residual_pct := residual_pct, interest_pct := interest_pct, as_of := as_of
    )
),

options as (
    from {{ function('ways_of_renting') }}(accelerator, months, rent := rent, rent_1y := rent_1y, rent_3y := rent_3y, as_of := as_of)
),

cases as (
    select
        i.* exclude (utilisation_pct),
        coalesce(o.share_paid_pct, i.utilisation_pct) as utilisation_pct,
        i.utilisation_pct as rest_utilisation_pct,
        o.option as case_id,
        o.*
    from inputs as i
    cross join options as o
),

costs as ({{ owned_against_rented('cases', ref('int_tco__residual_values')) }}),

-- owning is the same in each
ways as (
    select
        o.*,
        c.* exclude (case_id, owned_usd, owned_usd_low, owned_usd_high, rented_usd, rented_usd_low, rented_usd_high),
        c.rented_usd as usd,
        c.rented_usd_low as usd_low,
        c.rented_usd_high as usd_high,
        {{ break_even_note('c', 'o.term_months') }} as months_to_break_even_note,
        {{ rent_against_owning('c') }} as against_owning
    from costs as c
    inner join options as o on c.case_id = o.option
    union all by name
    select
        'own' as option,
        any_value(c.owned_usd) as usd,
        any_value(c.owned_usd_low) as usd_low,
        any_value(c.owned_usd_high) as usd_high,
        any_value(c.residual_pct) as residual_pct,
        any_value(c.residual_pct_low) as residual_pct_low,
        any_value(c.residual_pct_high) as residual_pct_high,
        any_value(i.months) as months_paid
    from costs as c
    cross join inputs as i
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

verdicts as ({{ verdicts_on_costs('costed') }}),

ordered as (
    select
        w.*,
        v.standing,
        v.verdict
    from ways as w
    left join verdicts as v on w.option = v.option_id
)

select
    o.option,
    o.standing,
    o.verdict,
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
        when i.given_capex_usd is null then {{ owned_uncertainty_basis('o.usd_low') }}
        else 'running cost and residual value, both at their low or both at their high end'
    end as uncertainty_basis,
    case
        when o.usd is not null then null
        when o.option = 'own' and o.usd_low is not null then i.ownership_reason
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
                i.n_owned, i.n_owned - i.n_rented, own.purchase_usd, own.capex_usd_per_accelerator, i.capex_words,
                own.interest_usd, own.interest_pct, own.interest_basis, own.running_usd,
                own.running_usd_per_accelerator_hour, own.running_basis, own.residual_usd, own.residual_pct,
                own.residual_basis
            )
        else concat_ws(
            '; ',
            format('{}, ${:.4g} an hour, {}', o.pricing_model, o.rent_usd_per_h, o.rent_basis),
            case
                when o.term_months is null
                    then format('{:.0f} months, {:g} % of the hours paid', o.months_paid, coalesce(o.share_paid_pct, i.utilisation_pct))
                when o.months_paid = i.months and i.months % o.term_months > 0 then format(
                    '{} months committed, the other {} by the hour', i.months - i.months % o.term_months, i.months % o.term_months
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
    i.accelerator_id,
    case when o.option = 'own' then i.n_owned else i.n_rented end as accelerators,
    case when o.option = 'own' then i.n_owned - i.n_rented else 0 end as accelerators_idle,
    i.months,
    o.months_paid::bigint as months_paid,
    i.utilisation_pct,
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
    i.price_as_of,
    own.* exclude (option)
from ordered as o
cross join inputs as i
-- what owning is made of
left join (
    select
        'own' as option,
        given.scenario_id,
        given.capex_usd * given.n_owned as purchase_usd,
        {{ owned_usd('given.capex_usd', '0', 'given.months', 'given.interest_pct', '100') }} * given.n_owned as interest_usd,
        given.running_usd_per_h * given.months * {{ hours_per_month() }} * given.n_owned as running_usd,
        given.capex_usd * given.n_owned * c.residual_pct / 100 as residual_usd,
        {% for end in ['_low', '', '_high'] -%}
        given.capex_usd{{ end }} as capex_usd_per_accelerator{{ end }},
        given.running_usd_per_h{{ end }} as running_usd_per_accelerator_hour{{ end }},
        c.residual_pct{{ end }},
        {% endfor -%}
        given.capex_basis,
        given.capex_source,
        given.running_basis,
        given.interest_pct,
        given.interest_basis,
        given.residual_basis
    from inputs as given
    cross join costs as c
    where c.case_id = 'rent_always_on'
) as own on o.option = own.option
order by coalesce(o.is_apart, false), o.usd nulls last, o.option
