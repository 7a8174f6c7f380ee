-- Keeping the accelerators one has, against selling them and renting others that generate the same tokens
with asked as materialized (
    select
        {{ function('benchmark_named') }}(model) as benchmark_id,
        {{ function('ownership_scenario_named') }}(owner) as owner_id,
        h.accelerator_id,
        h.accelerators,
        cast({{ argument('months') }} as integer) as n_months,
        cast({{ argument('utilisation') }} as double) as used_pct
    from {{ function('accelerators_had') }}(have) as h
),

task as materialized (
    select
        s.*,
        k.accelerators * s.tokens_per_day_each as tokens_a_day,
        k.accelerators * s.tokens_per_day_each * k.n_months * {{ hours_per_month() }} / 24 as tokens
    from {{ function('nearest_task') }}(
        (select a.benchmark_id from asked as a), (select a.accelerator_id from asked as a), scenario, (select a.used_pct from asked as a),
        as_of
    ) as s
    cross join asked as k
),

keeping as materialized (
    from {{ function('keeping_costs') }}(
        (select a.accelerator_id from asked as a), (select a.accelerators from asked as a), (select a.owner_id from asked as a),
        age_months, as_of
    )
),

rents as (
    from {{ function('rental_options') }}(
        -- a little less than all of it, so that rounding adds no machine
        [(select t.benchmark_id from task as t)], [(select t.tokens_a_day * (1 - 1e-9) from task as t)], [null],
        (select a.n_months from asked as a), null, scenario, (select a.used_pct from asked as a), as_of
    )
),

ways as (
    select
        'keep' as option,
        'keep' as option_id,
        'keeping' as option_name,
        a.accelerator_id,
        a.accelerators,
        k.running_usd_per_accelerator_hour as usd_per_accelerator_hour,
        k.* exclude (months, accelerator_id, accelerators, running_usd_per_accelerator_hour),
        'running cost, price of the hardware and resale value, all at their low or all at their high end' as uncertainty_basis,
        t.release,
        t.number_format,
        t.output_tokens_per_s_per_accelerator,
        t.result_id,
        case
            when k.months is null then 'no capital price, or no all-in power, of this accelerator is published'
            when t.result_id is null then 'no result of this accelerator in tokens under this scenario'
        end as reason
    from asked as a
    left join keeping as k on a.n_months = k.months
    left join task as t on true
    union all by name
    select
        'sell_and_rent' as option,
        r.accelerator_id as option_id,
        'selling and renting ' || r.accelerator_id as option_name,
        r.accelerator_id,
        r.accelerators::bigint as accelerators,
        r.usd_per_accelerator_hour,
        r.cost_usd_low as usd_low,
        r.cost_usd as usd,
        r.cost_usd_high as usd_high,
        r.uncertainty_basis,
        r.sellers,
        r.release,
        r.number_format,
        r.output_tokens_per_s_per_accelerator,
        r.result_id
    from rents as r
    where r.cost_usd is not null and r.apart_reason is null and r.fit = 'fits'
),

-- renting costs no more than keeping for so many months and any longer time
turns as (
    select
        w.option_id,
        {% for end, keep in [('_low', '_high'), ('', ''), ('_high', '_low')] -%}
        nullif(1 + coalesce(max(k.months) filter (k.usd{{ keep }} < w.usd{{ end }} / a.n_months * k.months), 0),
            1 + {{ var('horizon_months_max') }})::bigint as sell_from_month{{ end }}{{ ',' if not loop.last }}
        {% endfor %}
    from ways as w
    cross join keeping as k
    cross join asked as a
    where w.option = 'sell_and_rent'
    group by w.option_id
),

verdicts as ({{ verdicts_on_costs('ways') }})

select
    w.option,
    w.accelerator_id,
    w.accelerators,
    v.standing,
    v.verdict,
    {% for name in ['usd', 'running_usd'] -%}
    {% for end in ['_low', '', '_high'] -%}
    w.{{ name }}{{ end }},
    w.{{ name }}{{ end }} / t.tokens * 1e6 as {{ name }}_per_output_mtok{{ end }},
    {% endfor -%}
    {% endfor -%}
    u.* exclude (option_id),
    w.electricity_usd,
    w.colocation_usd,
    w.maintenance_usd,
    w.staff_usd,
    w.value_lost_usd,
    w.resale_usd_low,
    w.resale_usd,
    w.resale_usd_high,
    w.resale_basis,
    w.age_months,
    w.usd_per_accelerator_hour,
    w.uncertainty_basis,
    w.sellers,
    w.reason,
    t.task_note,
    t.benchmark_id,
    t.scenario,
    w.release,
    w.number_format,
    w.output_tokens_per_s_per_accelerator,
    w.result_id,
    t.tokens_a_day as tokens_per_day,
    a.n_months as months,
    a.owner_id as owner_scenario_id,
    coalesce(cast(as_of as date), {{ function('newest_price_day') }}()) as price_as_of
from ways as w
cross join asked as a
left join task as t on true
left join turns as u on w.option_id = u.option_id
left join verdicts as v on w.option_id = v.option_id
order by w.option, w.usd, w.accelerator_id
