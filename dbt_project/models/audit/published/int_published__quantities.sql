{{ config(materialized = 'ephemeral') }}
-- One row per name that values of published texts are recomputed from: the facts of int_published__known, and quantities that follow
-- from them and from results, prices, claims and costs. `name_low` and `name_high` are the ends of a range.
with

facts as (select map_from_entries(list((name, value))) as known from {{ ref('int_published__known') }} where document is null),

constants as (select name as constant_id, value from {{ ref('int_published__known') }}),

-- commitments of three years to an A100 that were in force on the day of the report on frontier training
commitments as (
    select
        median(usd_per_accelerator_hour) as committed_usd,
        min(usd_per_accelerator_hour) as committed_usd_low,
        max(usd_per_accelerator_hour) as committed_usd_high
    from {{ ref('fct_price_interval') }}
    where accelerator_id in ('nvidia-a100-sxm-40gb', 'nvidia-a100-sxm-80gb') and pricing_model = 'reserved_3y'
        and is_comparable and coalesce(country, 'US') = 'US'
        and valid_from <= date '2023-08-31' and coalesce(valid_to, last_seen_at) >= date '2023-08-31'
),

-- on demand and spot of one seller, instance type and region, as held last
pairs as (
    select
        provider, instance_type, region, source, accelerator_count,
        min(usd_per_accelerator_hour) filter (where pricing_model = 'on_demand') as on_demand_usd,
        min(usd_per_accelerator_hour) filter (where pricing_model = 'spot') as spot_usd
    from {{ ref('fct_price_interval') }}
    where is_comparable and pricing_model in ('on_demand', 'spot') and valid_to is null
    group by all
),

savings as (
    select
        quantile_cont(100 * (1 - spot_usd / nullif(on_demand_usd, 0)), 0.1) as spot_saving_pct_low,
        quantile_cont(100 * (1 - spot_usd / nullif(on_demand_usd, 0)), 0.9) as spot_saving_pct_high
    from pairs
    where on_demand_usd is not null and spot_usd is not null
),

-- the server in the all-in capital of an H100
capital as (
    select
        100 * any_value(value) filter (parameter = 'server_capex_usd')
            / any_value(value) filter (parameter = 'all_in_capex_usd') as server_share_pct
    from {{ ref('tco_hardware') }}
    where accelerator_id = 'nvidia-h100-sxm-80gb'
    group by price_level
    having server_share_pct is not null
    qualify price_level = max(price_level) over ()
),

analysis as (select count(distinct benchmark_id) as analysis_models from {{ ref('published_analysis_inference') }}),

-- GB200 against H100 at ownership costs of the month of the findings, and against H200
economics as (
    select
        median(perf_per_tco_ratio) filter (
            baseline_accelerator_id = 'nvidia-h100-sxm-80gb' and scenario_id = 'hyperscaler' and price_level = '2025-08'
        ) as gb200_perf_per_tco,
        max(accelerator_count) filter (
            baseline_accelerator_id = 'nvidia-h100-sxm-80gb' and scenario_id = 'hyperscaler' and price_level = '2025-08'
        ) as gb200_405b_accelerators,
        median(throughput_ratio) filter (baseline_accelerator_id = 'nvidia-h200-sxm-141gb') as gb200_h200_405b
    from {{ ref('mart_perf_per_tco') }}
    where accelerator_id = 'nvidia-gb200-186gb' and benchmark_id = 'llama31_405b' and release = 'v5.0'
),

results as (
    select 'training' as suite, release, benchmark_id, accelerator_count, energy_j is not null as has_power
    from {{ ref('fct_training_result') }}
    where accelerator_id = 'nvidia-gb200-186gb'
    union all
    select 'inference', release, benchmark_id, accelerator_count, power_w is not null
    from {{ ref('fct_inference_result') }}
    where accelerator_id = 'nvidia-gb200-186gb'
),

counted as (
    select
        count(*) filter (has_power) as gb200_power_results,
        max(accelerator_count) filter (suite = 'training' and release = 'v5.0') as gb200_largest_v50,
        count(distinct benchmark_id) filter (
            regexp_matches(benchmark_id, '^(rgat|stable_diffusion|retinanet|dlrm|flux1|wan|whisper)')
        ) as gb200_other_benchmarks
    from results
),

claims as (
    select
        count(*) filter (
            metric = 'training_throughput_ratio' and starts_with(baseline_accelerator_id, 'nvidia-h200')
        ) as gb200_h200_training_claims,
        count(*) filter (metric like 'usd_per_million_tokens%') as customer_token_costs
    from {{ ref('mart_claim_check') }}
    where subject_accelerator_id = 'nvidia-gb200-186gb'
),

named as (
    select
        facts.*,
        commitments.*,
        savings.*,
        capital.*,
        analysis.*,
        economics.*,
        counted.*,
        claims.*,
        -- a run of the compute printed on A100 at 40 % MFU
        facts.known['V072'] / (0.4 * facts.known['nvidia-a100-sxm-80gb.bf16_dense_tflops'] * 1e12) / 3600 as run_hours,
        {{ training_state_bytes(1, 'constants') }} as training_state_bytes,
        -- Llama 2 and 3 of 70 billion parameters have the same layers and key-value heads
        {{ kv_cache_bytes_per_token("facts.known['llama2_70b.layers']", "facts.known['llama2_70b.kv_heads']",
            "facts.known['llama2_70b.head_dim']", 2) }} as kv_cache_bytes_70b
    from facts
    cross join commitments
    cross join savings
    cross join capital
    cross join analysis
    cross join economics
    cross join counted
    cross join claims
),

figures as (
    select
        gb200_perf_per_tco,
        gb200_405b_accelerators,
        gb200_h200_405b,
        gb200_power_results,
        gb200_largest_v50,
        gb200_other_benchmarks,
        gb200_h200_training_claims,
        customer_token_costs,
        analysis_models,
        {{ var('published_analysis_rounds') | length }} as analysis_rounds,
        training_state_bytes,
        -- electricity of the run against the outlay of which its hardware is a share
        100 * known['nvidia-a100-sxm-80gb.electricity_usd_per_accelerator_hour'] * run_hours / known['V073']
            / {{ creation_outlay_usd("known['nvidia-a100-sxm-80gb.capex_usd_per_accelerator']", "known['creation_hardware_pct']") }}
            as run_power_share_pct,
        run_hours * committed_usd / 1e6 as rented_run_musd,
        run_hours * committed_usd_low / 1e6 as rented_run_musd_low,
        run_hours * committed_usd_high / 1e6 as rented_run_musd_high,
        -- of a server, and of a supercomputer, of which a fifth is no server
        100 * (1 - known['V340'] / (known['V341'] - known['V342'])) as node_other_share_pct,
        100 * (1 - known['V340'] / ((known['V341'] - known['V342']) * 5 / 4)) as supercomputer_other_share_pct,
        server_share_pct * known['V047.rest'] as accelerator_share_pct,
        server_share_pct * known['V047.rest'] as accelerator_share_pct_low,
        server_share_pct as accelerator_share_pct_high,
        100 * (1 - 1 / known['V396']) as testing_share_pct,
        {{ accelerator_hours_for('100e9', trained_tokens_per_s(
            '50', model_flops_per_token('8e9', '32', '4096', '8192'), "known['nvidia-a100-sxm-80gb.bf16_dense_tflops']")) }} / 8 / 24 as llama3_8b_days,
        spot_saving_pct_low as spot_saving_pct,
        spot_saving_pct_low,
        spot_saving_pct_high,
        1 - (spot_saving_pct_low + spot_saving_pct_high) / 2 / 100 as spot_price_share,
        known['V189'] as price_gap_of_the_text_pct,
        known['V189'] as price_gap_of_the_text_pct_low,
        known['V191'] as price_gap_of_the_text_pct_high,
        date_diff('month', date '2024-01-01', date '2025-01-01') as months_of_2024,
        known['V204'] + known['V203'] / 12 as years_to_december_2024,
        12 * known['V204'] + date_diff('month', date '2024-01-01', date '2025-04-01') as months_to_april_2025,
        70e9 * known['weight_bytes'] + kv_cache_bytes_70b * 8192 as llama2_70b_with_a_context_bytes,
        (known['nvidia-h200-sxm-141gb.memory_gb'] * 1e9 - 70e9 * known['weight_bytes']) / kv_cache_bytes_70b as h200_tokens_beside_70b,
        -- weights and gradients of one byte
        (training_state_bytes - known['weight_bytes'] / 2 - known['weight_bytes'] / 2) / training_state_bytes as fp8_state_share
    from named
),

doubles as (select cast(columns(*) as double) from figures),

words as (
    select
        '{{ var('published_analysis_rounds')[0] }}' as analysis_first_round,
        case when known['nvidia-a100-sxm-80gb.tf32_dense_tflops'] > 0 and known['nvidia-v100-sxm2-32gb.tf32_dense_tflops'] is null then 'A100' end
            as tf32_first_accelerator,
        concat_ws(', ', case when known['nvidia-h100-sxm-80gb.fp8_dense_tflops'] > 0 then 'Hopper' end,
            case when known['nvidia-b200-sxm-180gb.fp8_dense_tflops'] > 0 then 'Blackwell' end) as fp8_architectures,
        case when known['nvidia-b200-sxm-180gb.fp4_dense_tflops'] > 0 and known['nvidia-h100-sxm-80gb.fp4_dense_tflops'] is null
            then 'Blackwell' end as fp4_first_architecture
    from facts
)

select name, value from doubles unpivot include nulls (value for name in (columns(*)))
union all by name
select name, value_text from words unpivot include nulls (value_text for name in (columns(*)))
union all by name
select * from {{ ref('int_published__known') }}
