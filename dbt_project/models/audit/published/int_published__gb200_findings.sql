-- What the values of the findings on GB200 (2025-08) are recomputed from; results are those of MLPerf.
-- Each is a named expression; names are those of int_published__known.
with

known as (
    select * from {{ ref('int_published__known') }} where document = 'gb200_findings_2025-08'
),

-- against the part of the column, at ownership costs of the month of the text
compared as (
    select
        median(perf_per_tco_ratio) filter (baseline_accelerator_id = 'nvidia-h100-sxm-80gb') as gb200_perf_per_tco,
        max(accelerator_count) filter (baseline_accelerator_id = 'nvidia-h100-sxm-80gb') as gb200_405b_accelerators
    from {{ ref('mart_perf_per_tco') }}
    where accelerator_id = 'nvidia-gb200-186gb' and benchmark_id = 'llama31_405b' and release = 'v5.0'
        and scenario_id = 'hyperscaler' and price_level = '2025-08'
),

against_h200 as (
    select median(throughput_ratio) as gb200_h200_405b
    from {{ ref('mart_perf_per_tco') }}
    where accelerator_id = 'nvidia-gb200-186gb' and baseline_accelerator_id = 'nvidia-h200-sxm-141gb'
        and benchmark_id = 'llama31_405b' and release = 'v5.0'
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
        known.*,
        compared.*,
        against_h200.*,
        counted.*,
        claims.*,
        known.part['nvidia-h100-sxm-80gb'] as h100,
        known.part['nvidia-gb200-186gb'] as gb200,
        known.part['huawei-ascend-910c'] as ascend_910c
    from known
    cross join compared
    cross join against_h200
    cross join counted
    cross join claims
)

select unnest([
    -- GB200 and H100, Llama 3.1 405B: accelerators of the comparison
    {{ recomputed('V228', 'results', 'gb200_405b_accelerators') }},
    -- GB200 against H100: performance per ownership cost by May 2025, at most
    {{ recomputed('V235', 'results', 'gb200_perf_per_tco') }},
    -- GB200: accelerators of the largest MLPerf training run of v5.0
    {{ recomputed('V237', 'results', 'gb200_largest_v50') }},
    -- DGX H100: accelerators pooled
    {{ recomputed('V238', 'specification', 'h100.scale_up_domain_size') }},
    -- GB200 NVL72: accelerators pooled
    {{ recomputed('V239', 'specification', 'gb200.scale_up_domain_size') }},
    -- GB200 NVL72 against DGX H100: pooling
    {{ recomputed('V240', 'specification', 'gb200.scale_up_domain_size / h100.scale_up_domain_size') }},
    -- gpt-oss-120b: context window
    {{ recomputed('V243', 'specification', "architecture['gpt_oss_120b'].context_length") }},
    -- CloudMatrix 384: accelerators
    {{ recomputed('V245', 'specification', 'ascend_910c.scale_up_domain_size') }},
    -- GB200 NVL72: accelerators of a rack
    {{ recomputed('V246', 'specification', 'gb200.scale_up_domain_size') }},
    -- CloudMatrix 384 against GB200 NVL72: dense BF16 compute, above
    {{ recomputed('V247', 'specification', '384 * ascend_910c.bf16_dense_tflops / (72 * gb200.bf16_dense_tflops)') }},
    -- GB200 against H100: contradiction: speed-up against ownership cost
    {{ recomputed('V248', 'results', 'gb200_perf_per_tco') }},
    -- cost per token of customers: gap: case studies with a figure
    {{ recomputed('V249', 'results', 'customer_token_costs') }},
    -- GB200 against H200: gap: statements on training
    {{ recomputed('V250', 'results', 'gb200_h200_training_claims') }},
    -- GB200 against H200, Llama 3.1 405B on 512: what fills the gap: training speed
    {{ recomputed('V251', 'results', 'gb200_h200_405b') }},
    -- GB200: gap: MLPerf results with measured power
    {{ recomputed('V252', 'results', 'gb200_power_results') }},
    -- GB200: gap: MLPerf benchmarks beyond language models
    {{ recomputed('V253', 'results', 'gb200_other_benchmarks') }}
], recursive := true)
from named
