-- Low and high of what owning costs an hour. On one basis of capital: every input with a documented range (seed
-- tco_input_ranges), and the capex, at its cheap end and at its dear end; an input without a range, or set by the user,
-- keeps its value. Over the bases: the newest row of each basis of an accelerator and the published rate of the tier; a
-- capex of the user's stands by itself. An envelope, no confidence interval; null where its ends do not differ.
{% set lower_when_higher = ['depreciation_years', 'availability_pct'] %}
with

assumptions as (select * from {{ ref('int_tco__assumptions') }}),

hardware as (select * from {{ ref('int_tco__hardware') }}),

ranges as (select * from {{ ref('tco_input_ranges') }}),

rates as (
    select accelerator_id, tier, usd_per_accelerator_hour
    from {{ ref('tco_published_rates') }}
    where not is_placeholder
    qualify row_number() over (partition by accelerator_id, tier order by price_level desc, as_of desc) = 1
),

bounded as (
    select
        assumptions.scenario_id,
        assumptions.parameter,
        least(assumptions.value, ranges.low) as low,
        greatest(assumptions.value, ranges.high) as high,
        ranges.parameter is not null as has_range
    from assumptions
    left join ranges
        on assumptions.based_on = ranges.scenario_id and assumptions.parameter = ranges.parameter
        and not assumptions.is_overridden
),

{% for side, normal, inverted in [('cheap', 'low', 'high'), ('dear', 'high', 'low')] %}
{{ side }}_inputs as (
    select
        scenario_id,
        {%- for parameter in tco_parameters() %}
        max({{ inverted if parameter in lower_when_higher else normal }}) filter (where parameter = '{{ parameter }}')
            as {{ parameter }},
        {%- endfor %}
        count(*) filter (where has_range) as n_inputs_with_range
    from bounded
    group by scenario_id
),

{{ side }} as (
    select
        hardware.* exclude (hardware.availability_pct),
        inputs.* exclude (inputs.scenario_id)
            replace (coalesce(hardware.availability_pct_{{ inverted }}, hardware.availability_pct) as availability_pct)
    from hardware
    inner join {{ side }}_inputs as inputs on hardware.scenario_id = inputs.scenario_id
),
{% endfor %}
on_basis as (
    select
        cheap.cost_id,
        cheap.scenario_id,
        cheap.accelerator_id,
        cheap.capex_basis,
        cheap.is_newest_of_basis,
        cheap.all_in_capex_usd_low as capex_low,
        dear.all_in_capex_usd_high as capex_high,
        {{ tco_usd_per_accelerator_hour('cheap.all_in_capex_usd_low', 'cheap.it_power_w', 'cheap') }} as hour_low,
        {{ tco_usd_per_accelerator_hour('dear.all_in_capex_usd_high', 'dear.it_power_w', 'dear') }} as hour_high,
        {{ tco_running_usd_per_h('cheap.all_in_capex_usd_low', 'cheap.it_power_w', 'cheap') }} as running_low,
        {{ tco_running_usd_per_h('dear.all_in_capex_usd_high', 'dear.it_power_w', 'dear') }} as running_high,
        cheap.n_inputs_with_range + (cheap.availability_pct_low is not null)::integer
            + (cheap.all_in_capex_usd_low < cheap.all_in_capex_usd_high)::integer as n_inputs_with_range
    from cheap
    inner join dear using (cost_id)
),

over_bases as (
    select
        on_basis.scenario_id,
        on_basis.accelerator_id,
        count(*) as n_bases,
        max(rates.usd_per_accelerator_hour) as published_rate,
        {%- for figure in ['capex', 'running'] %}
        min({{ figure }}_low) as {{ figure }}_low,
        max({{ figure }}_high) as {{ figure }}_high,
        {%- endfor %}
        least(min(on_basis.hour_low), published_rate) as hour_low,
        greatest(max(on_basis.hour_high), published_rate) as hour_high
    from on_basis
    left join rates on on_basis.accelerator_id = rates.accelerator_id and on_basis.scenario_id = rates.tier
    where on_basis.is_newest_of_basis and on_basis.capex_basis <> 'set_by_user'
    group by on_basis.scenario_id, on_basis.accelerator_id
),

joined as (
    select
        on_basis.*,
        coalesce(over_bases.n_bases, 1) as n_bases,
        over_bases.published_rate,
        {%- for figure in ['capex', 'running', 'hour'] %}
        coalesce(over_bases.{{ figure }}_low, on_basis.{{ figure }}_low) as {{ figure }}_lowest,
        coalesce(over_bases.{{ figure }}_high, on_basis.{{ figure }}_high) as {{ figure }}_highest{{ "," if not loop.last }}
        {%- endfor %}
    from on_basis
    left join over_bases
        on on_basis.scenario_id = over_bases.scenario_id and on_basis.accelerator_id = over_bases.accelerator_id
        and on_basis.is_newest_of_basis and on_basis.capex_basis <> 'set_by_user'
)

select
    cost_id,
    {%- for figure, column in [
        ('capex', 'capex_usd_per_accelerator'), ('running', 'running_usd_per_accelerator_hour'),
        ('hour', 'usd_per_accelerator_hour'),
    ] %}
    case when {{ figure }}_lowest < {{ figure }}_highest then {{ figure }}_lowest end as {{ column }}_low,
    case when {{ figure }}_lowest < {{ figure }}_highest then {{ figure }}_highest end as {{ column }}_high,
    {%- endfor %}
    case when hour_low < hour_high then hour_low end as usd_per_accelerator_hour_on_basis_low,
    case when hour_low < hour_high then hour_high end as usd_per_accelerator_hour_on_basis_high,
    n_inputs_with_range,
    concat_ws(
        '; ',
        case when n_bases > 1 then n_bases || ' bases of capital' else 'one basis of capital' end,
        case when published_rate is not null then 'published rate of the tier' end,
        case when n_inputs_with_range > 0
            then 'documented ranges of inputs, all at their cheap or all at their dear end'
        else 'no input has a documented range' end
    ) as uncertainty_basis
from joined
