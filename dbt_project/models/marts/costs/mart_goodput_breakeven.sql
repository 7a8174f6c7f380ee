-- One row per benchmark of a round, pair of accelerators, scenario, basis of capital and price level.
with

pairs as (select * from {{ ref('mart_perf_per_tco') }} where perf_per_tco_ratio is not null),

accelerators as (
    select accelerator_id, try_cast(release_date as date) as released_on from {{ ref('dim_accelerator') }}
),

scenarios as (select * from {{ ref('int_tco__scenarios') }}),

-- the newer part against the older one
newer as (
    select
        pairs.*,
        new.released_on,
        old.released_on as baseline_released_on,
        scenarios.goodput_pct as baseline_goodput_pct
    from pairs
    inner join accelerators as new on pairs.accelerator_id = new.accelerator_id
    inner join accelerators as old on pairs.baseline_accelerator_id = old.accelerator_id
    inner join scenarios using (scenario_id)
    where new.released_on > old.released_on
),

goodput as (
    select
        *,
        {{ break_even_goodput_pct('baseline_goodput_pct', 'perf_per_tco_ratio') }} as break_even_goodput_pct,
        {{ break_even_goodput_pct('baseline_goodput_pct', 'perf_per_tco_ratio_high') }} as break_even_goodput_pct_low,
        {{ break_even_goodput_pct('baseline_goodput_pct', 'perf_per_tco_ratio_low') }} as break_even_goodput_pct_high
    from newer
)

select
    benchmark_id,
    suite_kind,
    release,
    scenario,
    result_unit,
    accelerator_id,
    baseline_accelerator_id,
    scenario_id,
    capex_basis,
    price_level,
    is_default,
    released_on,
    baseline_released_on,
    throughput_ratio,
    tco_ratio,
    tco_ratio as break_even_throughput_ratio,
    perf_per_tco_ratio,
    baseline_goodput_pct,
    break_even_goodput_pct,
    break_even_goodput_pct_low,
    break_even_goodput_pct_high,
    is_round_incomplete,
    n_results,
    baseline_n_results,
    uncertainty_basis,
    break_even_goodput_pct <= 100 as can_break_even,
    tco_ratio_basis,
    result_id,
    baseline_result_id
from goodput
