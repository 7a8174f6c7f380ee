-- One row: quantities that values of single texts are recomputed from, beside those of int_published__known.
with

-- power and space as a share of the ownership cost, over all accelerators and scenarios
power_shares as (
    select
        min(power_and_space_share_pct) as power_share_low,
        max(power_and_space_share_pct) as power_share_high
    from {{ ref('mart_tco') }}
    where is_default
),

-- commitments of three years to an A100 that were in force on the day of the report on frontier training
commitments as (
    select {
        low: min(usd_per_accelerator_hour), middle: median(usd_per_accelerator_hour), high: max(usd_per_accelerator_hour)
    } as a100_committed
    from {{ ref('fct_price_interval') }}
    where accelerator_id in ('nvidia-a100-sxm-40gb', 'nvidia-a100-sxm-80gb') and pricing_model = 'reserved_3y'
        and is_comparable and coalesce(country, 'US') = 'US'
        and valid_from <= date '2023-08-31' and coalesce(valid_to, last_seen_at) >= date '2023-08-31'
),

-- the server in the all-in capital of an H100
capital as (
    select
        100 * any_value(value) filter (parameter = 'server_capex_usd')
            / any_value(value) filter (parameter = 'all_in_capex_usd') as server_share
    from {{ ref('tco_hardware') }}
    where accelerator_id = 'nvidia-h100-sxm-80gb'
    group by price_level
    having server_share is not null
    qualify price_level = max(price_level) over ()
),

-- a row of the published analysis: throughput per accelerator as printed, and as measured in the newest round
cells as (
    select
        map_from_entries(list((row_id, {
            per_accelerator: avg_per_accelerator_printed, measured: right_throughput_per_accelerator
        }))) as cell,
        count(distinct benchmark_id) as n_models
    from {{ ref('mart_published_analysis_check') }}
),

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
)

select power_shares.*, commitments.*, capital.*, cells.*, economics.*, counted.*, claims.*
from power_shares
cross join commitments
cross join capital
cross join cells
cross join economics
cross join counted
cross join claims
