-- Low and high of what owning costs an hour: every input with a documented range (seed tco_input_ranges) at its cheap
-- end, and at its dear end. An input without a documented range, or set by the user, keeps its value. An envelope, no
-- confidence interval.
{% set lower_when_higher = ['depreciation_years', 'availability_pct'] %}
with

assumptions as (select * from {{ ref('int_tco__assumptions') }}),

hardware as (select * from {{ ref('int_tco__hardware') }}),

ranges as (select * from {{ ref('tco_input_ranges') }}),

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
{{ side }} as (
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
{% endfor %}
capex as (
    select
        hardware.cost_id,
        hardware.scenario_id,
        hardware.it_power_w,
        least(hardware.all_in_capex_usd, ranges.low) as capex_low,
        greatest(hardware.all_in_capex_usd, ranges.high) as capex_high,
        (ranges.parameter is not null)::integer as n_capex_ranges
    from hardware
    left join ranges
        on hardware.accelerator_id = ranges.accelerator_id and hardware.capex_price_level = ranges.price_level
        and ranges.parameter = 'all_in_capex_usd'
)

select
    capex.cost_id,
    {{ tco_usd_per_accelerator_hour('capex.capex_low', 'capex.it_power_w', 'cheap') }} as usd_per_accelerator_hour_low,
    {{ tco_usd_per_accelerator_hour('capex.capex_high', 'capex.it_power_w', 'dear') }} as usd_per_accelerator_hour_high,
    {{ tco_running_usd_per_h('capex.capex_low', 'capex.it_power_w', 'cheap') }} as running_usd_per_accelerator_hour_low,
    {{ tco_running_usd_per_h('capex.capex_high', 'capex.it_power_w', 'dear') }} as running_usd_per_accelerator_hour_high,
    cheap.n_inputs_with_range + capex.n_capex_ranges as n_inputs_with_range,
    case
        when cheap.n_inputs_with_range + capex.n_capex_ranges > 0
            then 'documented ranges of inputs, all at their cheap or all at their dear end'
        else 'no input has a documented range'
    end as uncertainty_basis
from capex
inner join cheap on capex.scenario_id = cheap.scenario_id
inner join dear on capex.scenario_id = dear.scenario_id
