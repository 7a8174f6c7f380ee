"""Queries of the pages that help to choose: options within a budget, parts side by side, and all offers."""

from __future__ import annotations

CHOOSING: dict[str, str] = {
    # specifications of mapped accelerators
    "parts": """
        select accelerator_id, memory_gb, memory_type, memory_bandwidth_gb_s, tdp_w, scale_up_domain_size,
            fp64_tflops, bf16_dense_tflops, fp8_dense_tflops, fp4_dense_tflops, int8_dense_tops,
            source_url
        from dim_accelerator where is_mapped order by accelerator_id
    """,
    "model_sizes": """
        select distinct benchmark_id, model_parameters from mart_token_throughput order by benchmark_id
    """,
    # further columns of results that the macro choose needs, beside those of `results`
    "serving": """
        select result_id, number_format, accelerators_per_node, ttft_ms_p99, tpot_ms_p99
        from fct_inference_result
        where division = 'closed' and suite = 'datacenter' and variant = 'standard' and is_per_accelerator_valid
            and is_derived is not true and is_peer_outlier is not true and output_tokens_per_s_per_accelerator > 0
        qualify software_class = 'optimised' or not bool_or(software_class = 'optimised') over (
            partition by benchmark_id, scenario, release, accelerator_id, availability
        )
        order by result_id
    """,
    "rent_offers": """
        select accelerator_id, provider, vote, offer_id, country, region, usd_per_accelerator_hour,
            machine_accelerators, size_basis, price_standing,
            least(cast(last_seen_at as date), price_as_of) as seen_on, source_url
        from price_on(newest_price_day()) where pricing_model = 'on_demand'
        order by accelerator_id, provider, offer_id
    """,
    # trained tokens per second at the sizes of model and system that "Train a model" offers, with the power and site of
    # each accelerator: the parts of estimate_training that do not scale with the tokens
    "training_speeds": """
        with models as (
            select size.billions, m.*
            from (select unnest([1, 3, 8, 13, 34, 70, 175, 405, 671, 1000]) as billions) as size,
                lateral training_model(size.billions * 1e9) as m
        )

        select m.billions, g.gpus, a.accelerator_id, m.model, s.tokens_per_s, s.tokens_per_s_low, s.tokens_per_s_high,
            s.number_format, s.mfu_pct, s.uncertainty_basis,
            array_to_string(s.extrapolated, ', ') as extrapolated,
            accelerators_that_hold(training_state_bytes(m.held), a.memory_gb) as fewest_accelerators
        from models as m
        cross join (select unnest([8, 64, 256, 1024, 4096, 16384]) as gpus) as g
        inner join dim_accelerator as a on a.accelerator_id in (
            select accelerator_id from fct_training_result
            where division = 'closed' and availability = 'available' and trained_tokens_per_s_per_accelerator > 0
        ) and a.bf16_dense_tflops is not null,
            lateral training_speed(a.accelerator_id, m.active, m.held, m.flops_per_token, g.gpus) as s
        order by all
    """,
    "training_power": """
        select a.accelerator_id, h.watts_per_accelerator, h.pue
        from (select distinct accelerator_id from mart_rental_price_level) as a,
            lateral hardware_and_site(a.accelerator_id) as h
        order by all
    """,
    # prices of two accelerators at the sellers of both, as of the newest day
    "same_seller_ratios": """
        select accelerator_id, other_accelerator_id, pricing_model, ratio_median, ratio_low, ratio_high, n_sellers,
            sellers
        from mart_same_seller_ratio order by all
    """,
    # what renting and owning costs over months: rates, inputs of owners, shares of the price that hardware sells for
    "rent_rates": "from rent_rates() where pricing_model in ('on_demand', 'reserved_1y', 'reserved_3y') order by all",
    "owner_inputs": """
        select distinct columns('^(accelerator_id|scenario_id|capex_(usd|basis)|running_|maintenance_|interest_)')
        from mart_build_vs_rent order by all
    """,
    "residual_values": "from intermediate.int_tco__residual_values order by months",
    # ownership on every basis and level of capital prices, so that accelerators can be compared on a common one
    "tco_levels": """
        select scenario_id, price_level, accelerator_id, usd_per_accelerator_hour, usd_per_accelerator_hour_low,
            usd_per_accelerator_hour_high, capex_usd_per_accelerator, capex_basis, is_default, it_power_w
        from mart_tco order by all
    """,
    # the last observation of each offer, comparable or not
    "all_offers": """
        select o.offer_id, o.provider, o.accelerator_id, o.accelerator_published, o.instance_type, o.pricing_model,
            o.variant, o.operating_system, o.region, o.country, o.machine_accelerators, o.size_basis,
            o.usd_per_accelerator_hour, o.price, o.currency, o.price_unit, o.valid_from, o.last_seen_at,
            o.observed_precision,
            date_diff('day', cast(least(o.last_seen_at, newest_price_day()) as date), newest_price_day())
                as days_before,
            o.valid_to, o.ended_because, o.is_comparable, o.exclusion_reason, o.is_unusual, o.source, o.source_url,
            o.payload_sha256
        from fct_price_interval as o
        qualify row_number() over (partition by o.offer_id order by o.valid_from desc) = 1
        order by o.usd_per_accelerator_hour nulls last, o.offer_id
    """,
}
