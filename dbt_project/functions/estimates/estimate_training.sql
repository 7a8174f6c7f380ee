with asked as materialized (
    select
        d.accelerator_id,
        d.memory_gb,
        cast({{ argument('tokens') }} as double) as tokens_trained,
        cast({{ argument('gpus') }} as bigint) as fleet,
        n.note
    from {{ function('resolve_name') }}('accelerator', accelerator) as n
    inner join {{ ref('dim_accelerator') }} as d
        on d.accelerator_id = case when n.problem is null then n.id else error(cast(n.problem as varchar)) end
),

model as materialized (
    from {{ function('training_model') }}(params, total_params := total_params, layers := layers, hidden := hidden,
        sequence_length := sequence_length)
),

run as (
    select
        a.*,
        m.* exclude (basis),
        s.* exclude (basis, uncertainty_basis),
        r.* exclude (accelerator_id, basis),
        h.* exclude (basis),
        {{ function('accelerators_bought') }}(a.accelerator_id, a.fleet) as bought,
        {{ function('training_hours') }}(a.tokens_trained, s.tokens_per_s, a.fleet) as hours,
        {{ function('j_per_token') }}(h.watts_per_accelerator, 1, s.tokens_per_s) as joules_before_pue,
        {{ function('j_per_token') }}(h.watts_per_accelerator, h.pue, s.tokens_per_s) as joules,
        {{ function('training_state_bytes') }}(m.held) as state_bytes,
        -- the range of the speed widens that of the price; either may have none
        case when coalesce(s.tokens_per_s_high, r.usd_per_accelerator_hour_low) is not null
            then coalesce(s.tokens_per_s_high, s.tokens_per_s) end as fast,
        case when coalesce(s.tokens_per_s_low, r.usd_per_accelerator_hour_high) is not null
            then coalesce(s.tokens_per_s_low, s.tokens_per_s) end as slow,
        coalesce(r.usd_per_accelerator_hour_low, r.usd_per_accelerator_hour) as usd_low,
        coalesce(r.usd_per_accelerator_hour_high, r.usd_per_accelerator_hour) as usd_high,
        e.watts_per_accelerator as measured_watts,
        e.result_id as powered_result_id,
        concat(s.uncertainty_basis, '; ', case when r.usd_per_accelerator_hour_low is null then 'one price' else 'range of the ' || r.price_basis end)
            as uncertainty,
        [m.basis] || s.basis || [r.basis] || h.basis as choices,
        e.basis as measured
    from asked as a
    cross join model as m
    cross join {{ function('training_speed') }}(
        (select asked.accelerator_id from asked), (select model.active from model), (select model.held from model),
        (select model.flops_per_token from model), gpus, sequence_length := sequence_length, mfu := mfu, number_format := number_format
    ) as s
    cross join {{ function('hourly_rate') }}(
        (select asked.accelerator_id from asked), price := price, provider := provider, pricing := pricing, scenario := scenario,
        region := region
    ) as r
    cross join {{ function('hardware_and_site') }}(
        (select asked.accelerator_id from asked), scenario := scenario, capex := capex, pue := pue, electricity := electricity, grid := grid,
        region := region
    ) as h
    left join {{ function('measured_energy') }}((select asked.accelerator_id from asked)) as e on true
),

sized as (
    select
        r.*,
        r.hardware_usd_per_accelerator * r.bought as hardware_usd,
        {{ function('creation_outlay_usd') }}(r.hardware_usd_per_accelerator * r.bought) as outlay_usd,
        {{ function('accelerators_that_hold') }}(r.state_bytes, r.memory_gb) as fewest
    from run as r
)

select
    r.model,
    r.active as params,
    r.held as total_params,
    r.tokens_trained as tokens,
    r.accelerator_id as accelerator,
    r.fleet as gpus,
    r.n_layers as layers,
    r.width as hidden,
    r.sequence_tokens as sequence_length,
    r.number_format,
    r.mfu_pct,
    r.dense_peak_tflops,
    r.usd_per_accelerator_hour,
    r.usd_per_accelerator_hour_low,
    r.usd_per_accelerator_hour_high,
    r.price_basis,
    r.hardware_usd_per_accelerator,
    r.power_basis,
    r.watts_per_accelerator,
    r.pue,
    r.electricity_usd_per_kwh,
    r.grid_id,
    r.kg_co2e_per_kwh,
    r.flops_per_token,
    r.flops_per_token * r.tokens_trained as flops,
    r.tokens_per_s as trained_tokens_per_s_per_accelerator,
    r.tokens_per_s_low as trained_tokens_per_s_per_accelerator_low,
    r.tokens_per_s_high as trained_tokens_per_s_per_accelerator_high,
    r.hours / 24 as days,
    {{ function('training_hours') }}(r.tokens_trained, r.tokens_per_s_high, r.fleet) / 24 as days_low,
    {{ function('training_hours') }}(r.tokens_trained, r.tokens_per_s_low, r.fleet) / 24 as days_high,
    r.hours * r.fleet as accelerator_hours,
    {{ function('usd_per_trained_mtok') }}(r.usd_per_accelerator_hour, r.tokens_per_s) as usd_per_trained_mtok,
    {{ function('usd_per_trained_mtok') }}(r.usd_low, r.fast) as usd_per_trained_mtok_low,
    {{ function('usd_per_trained_mtok') }}(r.usd_high, r.slow) as usd_per_trained_mtok_high,
    r.hours * r.fleet * r.usd_per_accelerator_hour as rental_usd,
    {{ function('training_accelerator_hours') }}(r.tokens_trained, r.fast) * r.usd_low as rental_usd_low,
    {{ function('training_accelerator_hours') }}(r.tokens_trained, r.slow) * r.usd_high as rental_usd_high,
    r.bought as accelerators_bought,
    r.bought - r.fleet as accelerators_idle,
    r.hardware_usd as outlay_hardware_usd,
    r.hardware_usd * {{ estimate_constant('gpu_share_of_hardware_pct') }} / 100 as outlay_of_which_accelerators_usd,
    r.outlay_usd * {{ estimate_constant('creation_staff_pct') }} / 100 as outlay_staff_usd,
    r.outlay_usd * {{ estimate_constant('creation_power_pct') }} / 100 as outlay_power_usd,
    r.outlay_usd,
    {{ function('amortised_usd') }}(
        r.hardware_usd, r.hours, coalesce({{ argument('depreciation_years') }}, {{ estimate_constant('hardware_life_years') }})
    ) as amortised_hardware_usd,
    r.joules_before_pue as j_per_trained_token_before_pue,
    r.joules as j_per_trained_token,
    r.tokens_trained * r.joules / 3.6e6 as kwh,
    r.tokens_trained * r.joules / 3.6e6 * r.electricity_usd_per_kwh as electricity_usd,
    {{ function('tokens_per_household_year') }}(r.joules) as trained_tokens_per_household_year,
    {{ function('household_years') }}(r.tokens_trained, r.joules) as household_years,
    {{ function('kg_co2e_per_mtok') }}(r.joules, r.kg_co2e_per_kwh) * r.tokens_trained / 1e6 as kg_co2e,
    r.held * {{ estimate_constant('weight_bytes') }} / 1e9 as weights_gb,
    r.held * {{ estimate_constant('gradient_bytes') }} / 1e9 as gradients_gb,
    r.held * {{ estimate_constant('optimiser_bytes') }} / 1e9 as optimiser_gb,
    r.state_bytes / 1e9 as state_gb,
    r.fewest as fewest_accelerators,
    r.fewest <= r.fleet as fits,
    r.measured_watts as measured_watts_per_accelerator_before_pue,
    r.uncertainty as uncertainty_basis,
    [x for x in r.choices || [
        'Time is of training alone: failures, restarts and evaluations beyond MLPerf''s are not counted.',
        'Memory is weights, gradients and optimiser of mixed-precision Adam (16 bytes a parameter, experts included), sharded over all '
        'accelerators; activations and buffers come on top. GB are 1e9 bytes.',
        'Outlay is the hardware bought for the run at 80 % of creation, staff 18 %, power 2 % (shares of a public cost breakdown of 2023); '
        'rental and outlay are two ways to count, never added.',
        {{ idle_words('r.bought', 'r.fleet') }},
        r.measured,
        case when r.fewest > r.fleet then format(
            'It does not fit: {:,} accelerators of {:g} GB cannot hold {:,.0f} GB; the fewest are {:,}.', r.fleet, r.memory_gb,
            r.state_bytes / 1e9, r.fewest
        ) end
    ] if x is not null] as basis,
    r.extrapolated,
    r.extrapolations,
    case when r.result_id is null then [] else [r.result_id] end as rests_on,
    [x for x in [r.result_id, r.powered_result_id] if x is not null] as results,
    [x for x in [r.note] if x is not null] as notes
from sized as r
