{#- Formula of renting or owning over whole months. Money in US dollars, shares in per cent. -#}

{#- What owning one accelerator costs: purchase, interest, running cost of every hour, used or not, less what it sells for.
    Interest is that of the whole purchase price, bound until the end and compounded yearly: price × ((1 + i)^years − 1).
    Neither running cost nor rent bears interest. -#}
{% macro owned_usd(capex_usd, running_usd_per_h, months, interest_pct, residual_pct) -%}
    ({{ capex_usd }} * (pow(1 + {{ interest_pct }} / 100.0, {{ months }} / 12.0) - {{ residual_pct }} / 100.0)
        + {{ running_usd_per_h }} * {{ months }} * {{ hours_per_month() }})
{%- endmacro %}

{#- Months that are paid: of a commitment whole terms, renewed as often as it takes; `term_months` is null without one. -#}
{% macro months_paid(months, term_months) -%}
    (case when {{ term_months }} > 0 then ceil({{ months }} / {{ term_months }}::double) * {{ term_months }} else {{ months }} end)
{%- endmacro %}

{#- Months of the term of a pricing model; null where it is no commitment. -#}
{% macro term_months(pricing_model) -%}
    (try_cast(regexp_extract({{ pricing_model }}, '^reserved_([0-9]+)y', 1) as integer) * 12)
{%- endmacro %}

{#- What renting one accelerator costs: the hours used; under a commitment every hour of its terms, or of its whole terms with the rest
    by the hour, whichever is less. -#}
{% macro rented_usd(usd_per_h, months, utilisation_pct, term_months, rest_usd_per_h='null', rest_utilisation_pct='null') -%}
    least(
        {{ usd_per_h }} * {{ months_paid(months, term_months) }} * {{ hours_per_month() }}
        * case when {{ term_months }} > 0 then 1 else {{ utilisation_pct }} / 100.0 end,
        {{ rented_with_rest_usd(usd_per_h, months, term_months, rest_usd_per_h, rest_utilisation_pct) }}
    )
{%- endmacro %}

{#- Whole terms of a commitment and the rest by the hour; null where the months are whole terms, or less than one. -#}
{% macro rented_with_rest_usd(usd_per_h, months, term_months, rest_usd_per_h, rest_utilisation_pct) -%}
    {%- set paid = months_paid(months, term_months) -%}
    case
        when {{ term_months }} > 0 and {{ paid }} > {{ months }} and {{ paid }} > {{ term_months }} then (
            {{ usd_per_h }} * ({{ paid }} - {{ term_months }})
            + {{ rest_usd_per_h }} * {{ rest_utilisation_pct }} / 100.0 * ({{ months }} - {{ paid }} + {{ term_months }})
        ) * {{ hours_per_month() }}
    end
{%- endmacro %}

{#- An end of the mean rent over months: that of today's price and, in quadrature, that of the mean of a path whose logarithm drifts to
    1.96 standard deviations of so many monthly changes. -#}
{% macro rent_along_its_path(usd, end_usd, months, monthly_change) -%}
    {%- set drift = '(1.96 * ' ~ monthly_change ~ ' * sqrt(' ~ months ~ '))' -%}
    case
        when {{ end_usd }} < {{ usd }}
            then {{ usd }} * exp(-sqrt(pow(ln({{ end_usd }} / {{ usd }}), 2) + pow(ln((1 - exp(-{{ drift }})) / {{ drift }}), 2)))
        else {{ usd }} * exp(sqrt(pow(ln({{ end_usd }} / {{ usd }}), 2) + pow(ln((exp({{ drift }}) - 1) / {{ drift }}), 2)))
    end
{%- endmacro %}

{#- An end of the rent after so many months: that of today's price and, in quadrature, 1.96 standard deviations of so many changes. -#}
{% macro rent_after(usd, end_usd, months, monthly_change) -%}
    ({{ usd }} * exp(
        case when {{ end_usd }} < {{ usd }} then -1 else 1 end
        * sqrt(pow(ln({{ end_usd }} / {{ usd }}), 2) + pow(1.96 * {{ monthly_change }}, 2) * {{ months }})
    ))
{%- endmacro %}

{#- Accelerators that are bought together: a scale-up domain (a rack of 72), or a node where that is larger. -#}
{% macro machine_size(scale_up_domain_size, node_size='null') -%}
    greatest(coalesce({{ scale_up_domain_size }}, 1), coalesce({{ node_size }}, 1))
{%- endmacro %}

{#- Accelerators of the fewest whole machines that have so many. -#}
{% macro in_whole_machines(accelerators, machine_accelerators) -%}
    (ceil({{ accelerators }} / nullif({{ machine_accelerators }}, 0)) * {{ machine_accelerators }})
{%- endmacro %}

{#- Owning against renting, a query over `cases`, one row each: case_id; months, utilisation_pct, interest_pct; term_months
    (null without a commitment); given_residual_pct (null: of the seed); capex_usd, running_usd_per_h and rent_usd_per_h, each
    with _low and _high; n_owned and n_rented accelerators. Low of what favours owning together, high of what does not.
    A residual value is that of the horizon for shorter times, too: who sells early gets no more. The break-even month is the
    first after which owning has cost no more, and the break-even utilisation the share of the hours one must use an owned
    accelerator for it to cost the same as renting for those hours only (over 100: renting is cheaper however much it is
    used); none under a commitment, which is paid for whole terms. -#}
{% macro owned_against_rented(cases, residuals) -%}
    select
        c.case_id,
        {% for end, worth, rent in [('_low', '_high', '_high'), ('', '', ''), ('_high', '_low', '_low')] -%}
        {%- set residual = 'coalesce(c.given_residual_pct, worth.residual_pct' ~ worth ~ ')' -%}
        {%- set owned = 'c.n_owned * ' ~ owned_usd('c.capex_usd' ~ end, 'c.running_usd_per_h' ~ end, 'h.months', 'c.interest_pct', residual) -%}
        max({{ owned }}) filter (h.months = c.months) as owned_usd{{ end }},
        max({{ residual }}) filter (h.months = c.months) as residual_pct{{ worth }},
        any_value(c.n_rented * {{ rented_usd(
            'c.rent_usd_per_h' ~ end, 'c.months', 'c.utilisation_pct', 'c.term_months', 'c.rest_usd_per_h' ~ end, 'c.rest_utilisation_pct'
        ) }}) as rented_usd{{ end }},
        min(h.months) filter (
            c.term_months is null
            and {{ owned }} <= c.n_rented * {{ rented_usd('c.rent_usd_per_h' ~ rent, 'h.months', 'c.utilisation_pct', 'null') }}
        ) as months_to_break_even{{ end }},
        max({{ owned }} / nullif(c.n_rented * {{ rented_usd('c.rent_usd_per_h' ~ rent, 'h.months', '100', 'null') }}, 0) * 100)
            filter (h.months = c.months and c.term_months is null) as break_even_utilisation_pct{{ end }},
        {% endfor -%}
        any_value(case
            when {{ rented_with_rest_usd('c.rent_usd_per_h', 'c.months', 'c.term_months', 'c.rest_usd_per_h', 'c.rest_utilisation_pct') }}
                < c.rent_usd_per_h * {{ months_paid('c.months', 'c.term_months') }} * {{ hours_per_month() }} then c.months
            else {{ months_paid('c.months', 'c.term_months') }}
        end) as months_paid
    from {{ cases }} as c
    cross join {{ residuals }} as h
    inner join {{ residuals }} as worth on greatest(h.months, c.months) = worth.months
    group by c.case_id
{%- endmacro %}

{#- What may be said of renting against owning in a row `f` of owned_against_rented. -#}
{% macro rent_against_owning(f) -%}
    {{ verdict_on_cost(f ~ '.rented_usd', f ~ '.rented_usd_low', f ~ '.rented_usd_high', f ~ '.owned_usd', f ~ '.owned_usd_low', f ~ '.owned_usd_high') }}
{%- endmacro %}

{#- Why a break-even month of a row `f` of owned_against_rented is null; null where none is. -#}
{% macro break_even_note(f, term) -%}
    case
        when {{ term }} is not null then 'a commitment is paid for whole terms'
        when {{ f }}.rented_usd is null or coalesce({{ f }}.owned_usd, {{ f }}.owned_usd_low) is null then null
        when {{ f }}.owned_usd is null then 'the price of the hardware is known as a range alone'
        when {{ f }}.months_to_break_even is null then 'owning does not become cheaper within {{ var('horizon_months_max') }} months'
        when {{ f }}.owned_usd_low + {{ f }}.rented_usd_low is null then null
        when {{ f }}.months_to_break_even_high is null
            then 'at the high end of its cost owning does not become cheaper within {{ var('horizon_months_max') }} months'
    end
{%- endmacro %}

{#- What the low and high of owning rest on. -#}
{% macro owned_uncertainty_basis(owned_low) -%}
    case
        when {{ owned_low }} is null then 'one price of the hardware: no range'
        else 'hardware price, running cost and residual value, all at their low or all at their high end'
    end
{%- endmacro %}

{#- An end of a range that has two ends: what is given by the reader has none. -#}
{% macro open_range(low, high, end) -%}
    case when {{ low }} < {{ high }} then {{ end }} end
{%- endmacro %}
