with asked as materialized (
    select
        {{ function('benchmark_named') }}(model) as benchmark_id,
        {{ function('ownership_scenario_named') }}(owner) as owner_id,
        h.accelerator_id as accelerator_had_id,
        h.accelerators as n_had,
        cast({{ argument('tokens_per_day') }} as double) as daily_load,
        {{ argument('max_ttft_ms') }} as most_ttft_ms,
        {{ argument('months') }} as n_months,
        {{ argument('budget') }} as most_usd,
        {{ argument('utilisation') }} as used_pct
    from {{ function('accelerators_had') }}(have) as h
),

options as (
    from {{ function('serving_options') }}(
        [(select a.benchmark_id from asked as a)], [(select a.daily_load from asked as a)], [(select a.most_ttft_ms from asked as a)],
        (select a.n_months from asked as a), [(select a.owner_id from asked as a)], (select a.most_usd from asked as a), region,
        max_j_per_token, (select a.accelerator_had_id from asked as a), (select a.n_had from asked as a),
        scenario, (select a.used_pct from asked as a), as_of
    )
),

ranked as (
    select
        o.accelerator_id || ' ' || o.how as option_id,
        o.accelerator_id || ' (' || o.how || ')' as option_name,
        o.cost_usd as usd,
        o.cost_usd_low as usd_low,
        o.cost_usd_high as usd_high
    from options as o
    where o.reason is null
),

verdicts as ({{ verdicts_on_costs('ranked') }})

select
    case when j.reason is null then row_number() over (
        partition by j.reason is null order by j.cost_usd, j.paid_usd, j.accelerator_id, j.how
    ) end as rank,
    j.accelerator_id,
    j.how,
    j.accelerators::bigint as accelerators,
    j.machine_accelerators::bigint as machine_accelerators,
    -- machines are bought whole: accelerators beyond what the load needs
    case when j.how = 'own' then (j.accelerators - ceil(j.accelerators_busy))::bigint end as accelerators_idle,
    j.cost_usd_low,
    j.cost_usd,
    j.cost_usd_high,
    v.standing,
    v.verdict,
    j.paid_usd,
    j.purchase_usd,
    j.capital_usd,
    j.running_usd,
    {% for side in ['_low', '', '_high'] -%}
    j.cost_usd{{ side }} / (tokens_per_day * j.hours / 24) * 1e6 as usd_per_output_mtok{{ side }},
    {% endfor -%}
    j.usd_per_accelerator_hour,
    j.uncertainty_basis,
    j.j_per_output_token_modelled,
    j.j_per_output_token_modelled_low,
    j.j_per_output_token_modelled_high,
    j.j_per_output_token_measured,
    j.judged_j as j_per_output_token,
    j.judged_j_basis as energy_basis,
    j.measured_energy_result_id,
    j.pue,
    j.pue_basis,
    j.energy_kwh,
    j.fit,
    j.needed_memory_gb,
    j.machine_memory_gb,
    j.reason,
    j.unknown,
    j.machine_accelerators < j.accelerator_count as is_smaller_than_measured,
    j.size_note,
    j.benchmark_id,
    j.scenario,
    j.benchmark_version,
    j.release,
    j.availability,
    j.is_round_incomplete,
    j.number_format,
    j.output_tokens_per_s_per_accelerator,
    j.accelerators_busy,
    j.ttft_ms_p99,
    j.tpot_ms_p99,
    j.result_id,
    j.submission_id,
    j.submitter,
    j.system_name,
    j.accelerator_count as result_accelerator_count,
    j.source_url as result_source_url,
    j.n_sellers,
    j.sellers,
    j.cost_usd_cheapest,
    j.n_sellers_of_level,
    j.cheapest_provider,
    j.cheapest_region,
    j.cheapest_offer_id,
    j.oldest_price_on,
    j.newest_price_on,
    coalesce(cast(as_of as date), {{ function('newest_price_day') }}()) as price_as_of,
    j.owner_scenario_id,
    j.price_level,
    j.capex_basis
from options as j
left join verdicts as v on j.reason is null and j.accelerator_id || ' ' || j.how = v.option_id
order by rank nulls last, j.cost_usd nulls last, j.accelerator_id, j.how
