-- What each way of having so many accelerators costs over the months, and what that of owning them is made of.
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
        c.rented_usd_low as usd_low,
        c.rented_usd as usd,
        c.rented_usd_high as usd_high,
        {% for end in ['_low', '', '_high'] -%}
        c.months_to_break_even{{ end }},
        c.break_even_utilisation_pct{{ end }},
        {% endfor -%}
        c.months_paid,
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
        any_value(i.months) as months_paid
    from costs as c
    cross join inputs as i
),

-- what owning is made of
purchase as (
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
)

select
    w.*,
    i.accelerator_id,
    i.months,
    i.utilisation_pct,
    i.price_as_of,
    i.given_capex_usd,
    i.ownership_reason,
    i.capex_words,
    case when w.option = 'own' then i.n_owned else i.n_rented end as accelerators,
    case when w.option = 'own' then i.n_owned - i.n_rented else 0 end as accelerators_idle,
    p.* exclude (option)
from ways as w
cross join inputs as i
left join purchase as p on w.option = p.option
