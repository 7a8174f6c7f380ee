with chosen as materialized (
    from {{ function('serving_result') }}(
        model, params, mlperf_scenario, accelerator, price := price, provider := provider, pricing := pricing, scenario := scenario,
        region := region
    )
),

-- the format asked for, else the smallest of the accelerator from that of the result on
stated as materialized (
    select
        c.*,
        d.memory_gb as memory_gb_each,
        case
            when weights is not null then weights
            when c.weight_number_formats is null then null
            when c.weight_number_formats not in ('fp4', 'mxfp4', 'fp8') then c.weight_number_formats
            when c.weight_number_formats <> 'fp8' and d.fp4_dense_tflops is not null then c.weight_number_formats
            when d.fp8_dense_tflops is not null then 'fp8'
            else 'fp16'
        end as stated,
        {{ bytes_per_weight('c.weight_number_formats') }} as measured_bytes,
        {{ bytes_per_weight('kv_cache') }} as cache_value_bytes
    from chosen as c
    inner join {{ ref('dim_accelerator') }} as d on c.accelerator = d.accelerator_id
),

formatted as materialized (
    select
        s.*,
        coalesce({{ bytes_per_weight('s.stated') }}, 2) as weight_bytes,
        coalesce(
            {{ function('kv_cache_bytes_per_token') }}(s.layers, s.kv_heads, s.head_dim, s.cache_value_bytes),
            1e0 * s.layers * s.kv_latent_values * s.cache_value_bytes
        ) as kv_bytes
    from stated as s
),

run as materialized (
    select
        f.*,
        h.* exclude (basis),
        case when f.weight_bytes = {{ bytes_per_weight('f.stated') }} then f.stated else 'fp16' end as held_as,
        -- more bytes to read for each token; fewer are not counted as a gain
        least(f.measured_bytes / f.weight_bytes, 1e0) as by_format,
        f.output_tokens_per_s_per_accelerator * f.ratio * f.factor * coalesce(least(f.measured_bytes / f.weight_bytes, 1e0), 1) as speed,
        f.params * f.weight_bytes as held_bytes,
        coalesce(1e0 * f.kv_bytes * {{ argument('context_length') }} * {{ argument('sequences') }}, 0) as cache_bytes,
        e.watts_per_accelerator as measured_watts,
        e.j_per_output_token_before_pue as measured_joules,
        e.result_id as powered_result_id,
        h.basis as assumed,
        e.basis as powered
    from formatted as f
    cross join {{ function('hardware_and_site') }}(
        (select chosen.accelerator from chosen), scenario := scenario, capex := capex, pue := pue, electricity := electricity, grid := grid,
        region := region
    ) as h
    left join {{ function('measured_energy') }}(
        (select chosen.accelerator from chosen), benchmark := (select chosen.benchmark_id from chosen),
        mlperf_scenario := (select chosen.mlperf_scenario from chosen)
    ) as e on true
),

replicas as materialized (
    select
        r.*,
        {{ function('accelerators_that_hold') }}(r.held_bytes + r.cache_bytes, r.memory_gb_each) as fewest,
        {{ function('accelerators_for_load') }}(
            cast({{ argument('tokens_per_day') }} as double), r.speed, {{ argument('utilisation') }}
        ) as busy
    from run as r
),

fleet as materialized (
    select
        r.*,
        cast(ceil(r.busy / coalesce(r.fewest, 1)) as bigint) * coalesce(r.fewest, 1) as n
    from replicas as r
)

select
    f.*,
    -- an extrapolated result says nothing about the nodes of this accelerator
    {{ function('accelerators_bought') }}(
        f.accelerator, f.n, node_size := case when f.accelerator_id = f.accelerator then f.accelerators_per_node end
    ) as bought,
    f.n * 24e0 * f.usd_per_accelerator_hour as usd_per_day,
    f.n * f.watts_per_accelerator * f.pue * 24 / 1000 as kwh,
    f.n * f.watts_per_accelerator * f.pue * 86400 / cast(tokens_per_day as double) as joules
from fleet as f
