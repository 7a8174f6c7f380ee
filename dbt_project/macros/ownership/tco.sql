{#- Ownership cost: one home for each formula. Rates are in per cent a year, power in watts, money in US dollars.
    A year has 8,760 hours, a month 730. -#}

{% macro hours_per_month() -%} 730 {%- endmacro %}

{#- Share of the capital that is due every year so that it is paid back with interest over its life:
    i(1+i)^n / ((1+i)^n - 1); without interest 1 / n. -#}
{% macro capital_recovery_factor(cost_of_capital_pct, years) -%}
    (case
        when {{ cost_of_capital_pct }} = 0 then 1.0 / {{ years }}
        else ({{ cost_of_capital_pct }} / 100.0) * pow(1 + {{ cost_of_capital_pct }} / 100.0, {{ years }})
            / (pow(1 + {{ cost_of_capital_pct }} / 100.0, {{ years }}) - 1)
    end)
{%- endmacro %}

{% macro tco_capital_usd_per_h(capex_usd, cost_of_capital_pct, years) -%}
    ({{ capex_usd }} * {{ capital_recovery_factor(cost_of_capital_pct, years) }} / 8760)
{%- endmacro %}

{#- Electricity is paid at the meter: IT power × PUE. -#}
{% macro tco_electricity_usd_per_h(it_power_w, pue, electricity_usd_per_kwh) -%}
    ({{ it_power_w }} / 1000.0 * {{ pue }} * {{ electricity_usd_per_kwh }})
{%- endmacro %}

{#- Space and cooling are let by the kW of IT power, at work or not. -#}
{% macro tco_colocation_usd_per_h(it_power_w, colocation_usd_per_kw_month) -%}
    ({{ it_power_w }} / 1000.0 * {{ colocation_usd_per_kw_month }} / {{ hours_per_month() }})
{%- endmacro %}

{% macro tco_maintenance_usd_per_h(capex_usd, maintenance_pct_of_capex_per_year) -%}
    ({{ capex_usd }} * {{ maintenance_pct_of_capex_per_year }} / 100.0 / 8760)
{%- endmacro %}

{% macro tco_staff_usd_per_h(staff_usd_per_accelerator_year) -%}
    ({{ staff_usd_per_accelerator_year }} / 8760.0)
{%- endmacro %}

{#- What an hour costs besides the capital. -#}
{% macro tco_running_usd_per_h(capex_usd, it_power_w, s) -%}
    (
        {{ tco_electricity_usd_per_h(it_power_w, s ~ '.pue', s ~ '.electricity_usd_per_kwh') }}
        + {{ tco_colocation_usd_per_h(it_power_w, s ~ '.colocation_usd_per_kw_month') }}
        + {{ tco_maintenance_usd_per_h(capex_usd, s ~ '.maintenance_pct_of_capex_per_year') }}
        + {{ tco_staff_usd_per_h(s ~ '.staff_usd_per_accelerator_year') }}
    )
{%- endmacro %}

{#- All of it for an hour in which the accelerator is there to be used. `s` is an alias of a row with the parameters
    of a scenario, under their names in the seed tco_scenarios. -#}
{% macro tco_usd_per_accelerator_hour(capex_usd, it_power_w, s) -%}
    ((
        {{ tco_capital_usd_per_h(capex_usd, s ~ '.cost_of_capital_pct', s ~ '.depreciation_years') }}
        + {{ tco_running_usd_per_h(capex_usd, it_power_w, s) }}
    ) / ({{ s }}.availability_pct / 100.0))
{%- endmacro %}

{#- Columns of the parts of that cost. -#}
{% macro tco_parts(capex_usd, it_power_w, s) -%}
    {{ tco_capital_usd_per_h(capex_usd, s ~ '.cost_of_capital_pct', s ~ '.depreciation_years') }} as capital_usd_per_accelerator_hour,
    {{ tco_electricity_usd_per_h(it_power_w, s ~ '.pue', s ~ '.electricity_usd_per_kwh') }} as electricity_usd_per_accelerator_hour,
    {{ tco_colocation_usd_per_h(it_power_w, s ~ '.colocation_usd_per_kw_month') }} as colocation_usd_per_accelerator_hour,
    {{ tco_maintenance_usd_per_h(capex_usd, s ~ '.maintenance_pct_of_capex_per_year') }} as maintenance_usd_per_accelerator_hour,
    {{ tco_staff_usd_per_h(s ~ '.staff_usd_per_accelerator_year') }} as staff_usd_per_accelerator_hour
{%- endmacro %}

{#- Columns of what an hour costs that is not used, is used, or does useful work, from that of an hour of a row `c`. -#}
{% macro tco_of_used_hours(c) -%}
    {{ c }}.usd_per_accelerator_hour * (1 - {{ c }}.availability_pct / 100) as unavailability_usd_per_accelerator_hour,
    {{ c }}.usd_per_accelerator_hour / ({{ c }}.utilisation_pct / 100) as usd_per_utilised_accelerator_hour,
    {{ c }}.usd_per_accelerator_hour / ({{ c }}.utilisation_pct / 100) / ({{ c }}.goodput_pct / 100) as usd_per_useful_accelerator_hour
{%- endmacro %}

{#- The formula above, solved for capex: what an accelerator may have cost for an hour of it to cost so much. -#}
{% macro implied_capex_usd(usd_per_accelerator_hour, it_power_w, s) -%}
    ((
        {{ usd_per_accelerator_hour }} * {{ s }}.availability_pct / 100.0
        - {{ tco_electricity_usd_per_h(it_power_w, s ~ '.pue', s ~ '.electricity_usd_per_kwh') }}
        - {{ tco_colocation_usd_per_h(it_power_w, s ~ '.colocation_usd_per_kw_month') }}
        - {{ tco_staff_usd_per_h(s ~ '.staff_usd_per_accelerator_year') }}
    ) * 8760 / (
        {{ capital_recovery_factor(s ~ '.cost_of_capital_pct', s ~ '.depreciation_years') }}
        + {{ s }}.maintenance_pct_of_capex_per_year / 100.0
    ))
{%- endmacro %}

{#- All-in capex of what was bought at a price, by the ratio of its form (`form`: a row of the seed purchase_forms). -#}
{% macro all_in_capex_usd(purchase_usd, form) -%}
    ({{ purchase_usd }} / {{ form }}.share_of_server * {{ form }}.all_in_usd / {{ form }}.server_usd)
{%- endmacro %}

{#- Order of the bases of capital, the default first: the user's own; what a buyer of servers pays (a hyperscaler has no such
    row); what is published or implied, the newest first; an observed purchase. -#}
{% macro by_default_capex(capex_basis, price_level) -%}
    case {{ capex_basis }} when 'set_by_user' then 0 when 'implied_times_factor' then 1 when 'observed_purchase' then 3 else 2 end,
    {{ price_level }} desc
{%- endmacro %}

{#- How much more work for the same money: ratio of throughputs ÷ ratio of ownership costs. -#}
{% macro perf_per_tco_ratio(throughput_ratio, tco_ratio) -%}
    ({{ throughput_ratio }} / nullif({{ tco_ratio }}, 0))
{%- endmacro %}

{#- Parameters of a scenario, in the order people read them. -#}
{% macro tco_parameters() -%}
    {{ return([
        'cost_of_capital_pct', 'depreciation_years', 'electricity_usd_per_kwh', 'pue', 'colocation_usd_per_kw_month',
        'maintenance_pct_of_capex_per_year', 'staff_usd_per_accelerator_year', 'availability_pct', 'utilisation_pct',
        'goodput_pct',
    ]) }}
{%- endmacro %}

{#- Columns of parameters, of rows with a `parameter` and its `value`. -#}
{% macro parameter_columns(parameters) -%}
    {%- for parameter in parameters %}
    max(value) filter (parameter = '{{ parameter }}') as {{ parameter }}{{ ',' if not loop.last }}
    {%- endfor %}
{%- endmacro %}

{#- The default scenarios of the seed, a column each parameter: a query. What is calibrated or inverted rests on these alone, so that a
    user's own figures never move what is said about published ones. -#}
{% macro default_scenarios() -%}
    select scenario_id, {{ parameter_columns(tco_parameters()) }}
    from {{ ref('tco_scenarios') }}
    group by scenario_id
{%- endmacro %}

{#- The parts of a capex. -#}
{% macro capex_parts() -%}
    {{ return(['all_in_capex_usd', 'server_capex_usd', 'network_capex_usd', 'storage_capex_usd', 'other_capex_usd']) }}
{%- endmacro %}

{#- By what a ratio of two costs of ownership may err, a factor: 1.96 standard deviations of ln(price paid ÷ implied) over parts, by the
    shares that capital and its maintenance have in both. -#}
{% macro error_of_cost_ratio(capital_spread, share, baseline_share) -%}
    exp(1.96 * {{ capital_spread }} * sqrt(pow({{ share }}, 2) + pow({{ baseline_share }}, 2)))
{%- endmacro %}

{#- Ownership of the accelerators of `results` (benchmark_id, accelerator_id) for some owners, a query. A ranking has one basis and one
    month of capital: those that most of the accelerators have; of these that of most defaults, the newest. Capital set by the user has
    no month and is ranked with any. An accelerator without the shared basis keeps its default, with the reason why it is apart. -#}
{% macro ranked_tco(results, owners) -%}
    with shared as (
        select
            p.benchmark_id,
            t.scenario_id,
            t.capex_basis,
            t.price_level
        from (select distinct s.benchmark_id, s.accelerator_id from {{ results }} as s where s.result_id is not null) as p
        inner join {{ ref('mart_tco') }} as t on p.accelerator_id = t.accelerator_id
        where list_contains({{ owners }}, t.scenario_id) and t.price_level is not null and t.usd_per_accelerator_hour is not null
        group by p.benchmark_id, t.scenario_id, t.capex_basis, t.price_level
        qualify row_number() over (
            partition by p.benchmark_id, t.scenario_id
            order by count(*) desc, count(*) filter (t.is_default) desc, t.price_level desc, t.capex_basis asc
        ) = 1
    )

    select
        t.*,
        h.benchmark_id,
        case
            when t.price_level is not null and (t.capex_basis, t.price_level) <> (h.capex_basis, h.price_level) then format(
                'capital on another basis ({} of {}): the ranking is on {} of {}', replace(t.capex_basis, '_', ' '), t.price_level,
                replace(h.capex_basis, '_', ' '), h.price_level
            )
        end as capital_apart_reason
    from {{ ref('mart_tco') }} as t
    inner join shared as h on t.scenario_id = h.scenario_id
    where t.is_default or (t.capex_basis, t.price_level) = (h.capex_basis, h.price_level)
    qualify row_number() over (
        partition by h.benchmark_id, t.scenario_id, t.accelerator_id
        order by t.is_default and t.price_level is null desc, capital_apart_reason is null desc
    ) = 1
{%- endmacro %}

{#- Whether an accelerator is bought by the rack: its scale-up domain fills one. -#}
{% macro is_rack(scale_up_domain_size) -%}
    ({{ scale_up_domain_size }} >= 72)
{%- endmacro %}
