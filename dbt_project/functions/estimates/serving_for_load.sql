{%- set extrapolated = ['model', 'accelerator', 'format', 'scale', 'machine'] -%}
with load as materialized (
    from {{ function('serving_fleet') }}(
        model, tokens_per_day, accelerator, price := price, provider := provider, pricing := pricing, scenario := scenario,
        mlperf_scenario := mlperf_scenario, utilisation := utilisation, params := params, weights := weights, kv_cache := kv_cache,
        context_length := context_length, sequences := sequences, pue := pue, electricity := electricity, grid := grid, region := region,
        capex := capex, depreciation_years := depreciation_years
    )
),

-- a seller's machine that is smaller than the measured system
machine as (
    select {{ function('size_note') }}([f.machine_accelerators], l.accelerator_count) as size_note
    from load as l
    inner join {{ ref('mart_price_current') }} as c
        on l.accelerator = c.accelerator_id and c.provider = provider and c.pricing_model = pricing
    inner join {{ ref('fct_price_interval') }} as f on c.best_offer_id = f.offer_id
    order by f.valid_from desc
    limit 1
),

worded as (
    select
        l.*,
        m.size_note,
        case when l.accelerator_id <> l.accelerator then format(
            'To another accelerator: measured on {}, taken to {} in proportion to memory bandwidth (x {:.3f}), which bounds decoding; it is not '
            'measured there.', l.accelerator_id, l.accelerator, l.ratio
        ) end as to_another_accelerator,
        case when l.by_format < 1 then format(
            'To another number format: measured with weights in {}, taken to {} in inverse proportion to their bytes (x {:.3g}).',
            l.weight_number_formats, l.held_as, l.by_format
        ) end as to_another_format,
        case when l.n <> l.accelerator_count then format(
            'To another scale: measured on a system of {:,}, used for {:,} as replicas of {:,} at the same throughput per accelerator.',
            l.accelerator_count, l.n, coalesce(l.fewest, 1)
        ) end as to_another_scale,
        'To another machine: ' || m.size_note || '.' as to_another_machine
    from load as l
    left join machine as m on true
)

select
    w.model,
    w.benchmark_id,
    w.params,
    cast(tokens_per_day as double) as tokens_per_day,
    w.accelerator,
    w.mlperf_scenario,
    cast(utilisation as double) as utilisation_pct,
    w.held_as as weights,
    cast(kv_cache as varchar) as kv_cache,
    cast(context_length as bigint) as context_length,
    cast(sequences as bigint) as sequences,
    w.usd_per_accelerator_hour,
    w.usd_per_accelerator_hour_low,
    w.usd_per_accelerator_hour_high,
    w.price_basis,
    w.hardware_usd_per_accelerator,
    w.power_basis,
    w.watts_per_accelerator,
    w.pue,
    w.electricity_usd_per_kwh,
    w.grid_id,
    w.kg_co2e_per_kwh,
    w.speed as output_tokens_per_s_per_accelerator,
    w.busy as accelerators_busy,
    w.n as accelerators,
    100 * {{ function('accelerators_for_load') }}(cast(tokens_per_day as double), w.speed, 100) / w.n as utilisation_of_fleet_pct,
    w.n * 24e0 as accelerator_hours_per_day,
    {%- for name, usd in [
        ('usd_per_output_mtok_at_full_use', usd_per_output_mtok('w.usd_per_accelerator_hour', 'w.speed')),
        ('usd_per_output_mtok', 'w.usd_per_day / cast(tokens_per_day as double) * 1e6'),
        ('rental_usd_per_day', 'w.usd_per_day'),
    ] %}
    {{ usd }} as {{ name }},
    {{ usd }} * w.usd_per_accelerator_hour_low / w.usd_per_accelerator_hour as {{ name }}_low,
    {{ usd }} * w.usd_per_accelerator_hour_high / w.usd_per_accelerator_hour as {{ name }}_high,
    {%- endfor %}
    w.bought as accelerators_bought,
    w.bought - w.n as accelerators_idle,
    w.bought * w.hardware_usd_per_accelerator as outlay_hardware_usd,
    w.bought * w.hardware_usd_per_accelerator * {{ estimate_constant('gpu_share_of_hardware_pct') }} / 100 as outlay_of_which_accelerators_usd,
    {{ function('amortised_usd') }}(
        w.bought * w.hardware_usd_per_accelerator, 24e0,
        coalesce({{ argument('depreciation_years') }}, {{ estimate_constant('hardware_life_years') }})
    ) as amortised_hardware_usd_per_day,
    {{ function('j_per_token') }}(w.watts_per_accelerator, 1, w.speed) as j_per_output_token_before_pue_at_full_use,
    {{ function('j_per_token') }}(w.watts_per_accelerator, w.pue, w.speed) as j_per_output_token_at_full_use,
    w.joules as j_per_output_token,
    w.kwh as kwh_per_day,
    w.kwh * w.electricity_usd_per_kwh as electricity_usd_per_day,
    {{ function('tokens_per_household_year') }}(w.joules) as output_tokens_per_household_year,
    {{ function('household_years') }}(cast(tokens_per_day as double) * 365, w.joules) as households,
    w.kwh * w.kg_co2e_per_kwh as kg_co2e_per_day,
    w.held_bytes / 1e9 as weights_gb,
    w.kv_bytes as kv_cache_bytes_per_token,
    case when w.kv_bytes is not null then w.cache_bytes / 1e9 end as kv_cache_gb,
    (w.held_bytes + w.cache_bytes) / 1e9 as memory_gb,
    w.fewest as fewest_accelerators,
    w.measured_watts as measured_watts_per_accelerator_before_pue,
    w.measured_joules as measured_j_per_output_token_before_pue,
    'one result; ' || case when w.usd_per_accelerator_hour_low is null then 'one price' else 'range of the ' || w.price_basis end
        as uncertainty_basis,
    w.size_note,
    [x for x in w.choices || [
        case when w.stated is distinct from w.held_as
            then 'The result does not say the format of its weights: fp16 is assumed for memory.' end,
        case
            when w.layers is null then format(
                'Memory of a replica: weights in {} alone; the model''s dimensions are not known, its KV cache comes on top.', w.held_as
            )
            else format(
                'Memory of a replica: weights in {}, KV cache in {} for {:,} sequences of {:,} tokens (dimensions: {}); activations come on '
                'top. GB are 1e9 bytes.', w.held_as, cast(kv_cache as varchar), cast(sequences as bigint), cast(context_length as bigint),
                w.architecture_url
            )
        end
    ] || w.assumed || [
        {{ idle_words('w.bought', 'w.n') }},
        'A replica is the fewest accelerators that hold it; whole replicas are paid and powered all day at full draw, so energy per token is an '
        'upper bound at low utilisation.',
        w.powered
    ] if x is not null] as basis,
    [x for x in [
        {%- for what in extrapolated %}
        w.to_another_{{ what }}{{ ',' if not loop.last }}
        {%- endfor %}
    ] if x is not null] as extrapolations,
    [x for x in [
        {%- for what in extrapolated %}
        case when w.to_another_{{ what }} is not null then '{{ what }}' end{{ ',' if not loop.last }}
        {%- endfor %}
    ] if x is not null] as extrapolated,
    [w.result_id] as rests_on,
    [x for x in [w.result_id, w.powered_result_id] if x is not null] as results,
    w.notes
from worded as w
