-- buying, and using what one has: whole machines at the cost of each owner
with loads as (
    select s.*, cast(months as double) * {{ hours_per_month() }} as hours
    from {{ function('serving_loads') }}(benchmark_ids, daily_loads, ttft_limits, scenario, utilisation, as_of) as s
),

machines as (
    select s.*, 'own' as how, s.bought_together as machine_accelerators, cast(null as bigint) as accelerators_had
    from loads as s
    union all by name
    select
        s.* exclude (accelerator_id, max_ttft_ms),
        h.accelerator_id,
        h.max_ttft_ms,
        'have' as how,
        least(s.bought_together, cast(have_count as bigint)) as machine_accelerators,
        cast(have_count as bigint) as accelerators_had
    from (
        select have_accelerator as accelerator_id, unnest(cast(ttft_limits as double[])) as max_ttft_ms
        where have_accelerator is not null
    ) as h
    left join loads as s on h.accelerator_id = s.accelerator_id and h.max_ttft_ms is not distinct from s.max_ttft_ms
),

counts as (
    select
        m.*,
        {{ in_whole_machines('m.accelerators_busy', 'm.machine_accelerators') }} as accelerators,
        {{ offer_fit('m.model_parameters', 'm.number_format', 'm.machine_accelerators', 'true', 'm.memory_gb') }} as fit
    from machines as m
),

tco as ({{ ranked_tco('loads', 'owners') }}),

-- of what one has the capital is spent
ownership as (
    select
        t.*,
        'own' as how,
        t.capex_usd_per_accelerator as purchase_usd_each,
        t.capital_usd_per_accelerator_hour as capital_usd_per_h,
        t.usd_per_accelerator_hour as usd_per_h,
        t.usd_per_accelerator_hour_low as usd_per_h_low,
        t.usd_per_accelerator_hour_high as usd_per_h_high
    from tco as t
    union all
    select
        t.*,
        'have' as how,
        null as purchase_usd_each,
        null as capital_usd_per_h,
        t.running_usd_per_accelerator_hour as usd_per_h,
        t.running_usd_per_accelerator_hour_low as usd_per_h_low,
        t.running_usd_per_accelerator_hour_high as usd_per_h_high
    from tco as t
)

select
    c.*,
    w.asked_owner,
    c.accelerators as accelerators_low,
    c.accelerators as accelerators_high,
    t.scenario_id as owner_scenario_id,
    t.price_level,
    t.capex_basis,
    t.capital_apart_reason,
    t.pue,
    t.depreciation_years * 12 as depreciation_months,
    t.purchase_usd_each * c.accelerators as purchase_usd,
    t.capital_usd_per_h * c.accelerators * c.hours as capital_usd,
    t.running_usd_per_accelerator_hour * c.accelerators * c.hours as running_usd,
    (coalesce(t.purchase_usd_each, 0) + t.running_usd_per_accelerator_hour * c.hours) * c.accelerators as paid_usd,
    t.usd_per_h as usd_per_accelerator_hour,
    t.usd_per_h * c.accelerators * c.hours as cost_usd,
    t.usd_per_h_low * c.accelerators * c.hours as cost_usd_low,
    t.usd_per_h_high * c.accelerators * c.hours as cost_usd_high,
    t.uncertainty_basis,
    case
        when c.result_id is null then 'no result of this accelerator and model'
        when t.accelerator_id is null then 'no capital price, or no all-in power, of this accelerator is published'
    end as no_cost_reason
from counts as c
cross join (select unnest(owners) as asked_owner) as w
left join ownership as t
    on c.benchmark_id = t.benchmark_id and c.accelerator_id = t.accelerator_id and c.how = t.how and w.asked_owner = t.scenario_id
