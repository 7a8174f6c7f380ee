-- What keeping so many accelerators costs for each number of months, at what they would sell for today: value lost with interest, and
-- running cost. Price of the hardware and share of it are at their low or high ends together.
with part as (
    select
        d.accelerator_id,
        -- old enough to be sold, or as old as the accelerator can be
        greatest(1, coalesce(cast({{ argument('age_months') }} as integer), least(
            {{ var('machine_age_months') }},
            date_diff(
                'month', cast(left(d.release_date || '-01-01', 10) as date),
                coalesce(cast(as_of as date), {{ function('newest_price_day') }}())
            )
        ))) as age
    from {{ ref('dim_accelerator') }} as d
    where d.accelerator_id = accelerator
),

kept as (
    select
        t.*,
        a.age,
        {% for end in ['_low', '', '_high'] -%}
        w.residual_pct{{ end }} as worth_pct{{ end }},
        coalesce(t.capex_usd_per_accelerator{{ end }}, t.capex_usd_per_accelerator) * w.residual_pct{{ end }} / 100 as worth_usd{{ end }},
        coalesce(t.running_usd_per_accelerator_hour{{ end }}, t.running_usd_per_accelerator_hour)
            as running_usd_per_h{{ end }}{{ ',' if not loop.last }}
        {% endfor %}
    from part as a
    inner join {{ ref('mart_tco') }} as t on a.accelerator_id = t.accelerator_id and t.scenario_id = owner and t.is_default
    inner join {{ ref('int_tco__residual_values') }} as w on a.age = w.months
),

lost as (
    select
        k.*,
        h.months,
        {% for end in ['_low', '', '_high'] -%}
        {{ owned_usd('k.worth_usd' ~ end, '0', 'h.months', 'k.cost_of_capital_pct',
            '(100 * later.residual_pct' ~ end ~ ' / nullif(k.worth_pct' ~ end ~ ', 0))') }} as lost_usd{{ end }},
        k.running_usd_per_h{{ end }} * h.months * {{ hours_per_month() }} as running_usd{{ end }}{{ ',' if not loop.last }}
        {% endfor %}
    from kept as k
    cross join {{ ref('int_tco__residual_values') }} as h
    inner join {{ ref('int_tco__residual_values') }} as later on later.months = least(k.age + h.months, {{ var('horizon_months_max') }})
)

select
    l.accelerator_id,
    l.months,
    l.age as age_months,
    cast(accelerators as bigint) as accelerators,
    accelerators * (l.running_usd_low + least(l.lost_usd_low, l.lost_usd, l.lost_usd_high)) as usd_low,
    accelerators * (l.running_usd + l.lost_usd) as usd,
    accelerators * (l.running_usd_high + greatest(l.lost_usd_low, l.lost_usd, l.lost_usd_high)) as usd_high,
    accelerators * l.lost_usd as value_lost_usd,
    {% for end in ['_low', '', '_high'] -%}
    accelerators * l.running_usd{{ end }} as running_usd{{ end }},
    accelerators * l.worth_usd{{ end }} as resale_usd{{ end }},
    {% endfor -%}
    {% for part in ['electricity', 'colocation', 'maintenance', 'staff'] -%}
    accelerators * l.{{ part }}_usd_per_accelerator_hour * l.months * {{ hours_per_month() }} as {{ part }}_usd,
    {% endfor -%}
    l.running_usd_per_accelerator_hour,
    format(
        '{:.3g} to {:.3g} % of the price at {} months (seed residual_values), of ${:,.0f} each ({})', l.worth_pct_low, l.worth_pct_high,
        l.age, l.capex_usd_per_accelerator, {{ capital_words('l') }}
    ) as resale_basis
from lost as l
