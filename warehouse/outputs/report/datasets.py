"""Data sets of the report: one query each, over public tables only, in a compact form.

Figures are read, never computed: formulas are in the dbt project; `formulas` translates them for a reader's numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import pairwise
from typing import Any

import duckdb

from warehouse.storage.database import records_of

_CONTROLS = dict.fromkeys(code for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n")

# accelerators of which "TPU or GPU" shows the tasks, and regions of which "One accelerator" lists offers
_FAMILIES = ("TPU", "Instinct", "Gaudi")
_REGIONS = ("EU", "Europe", "North America", "Asia")

QUERIES: dict[str, str] = {
    "generation": "select generation_id, built_at, code_version from ops_generation",
    "releases": """
        select suite_kind, release, is_incomplete from dim_release order by suite_kind, release_number
    """,
    "accelerators": """
        select accelerator_id, vendor, product_name, release_date
        from dim_accelerator where is_mapped order by accelerator_id
    """,
    "benchmarks": """
        select benchmark_id, benchmark_version, model_name, accuracy_target, model_parameters
        from dim_benchmark where is_mapped order by suite_kind, benchmark_id
    """,
    "providers": "select provider, provider_name, segment from dim_provider where is_mapped order by provider",
    # best measured output tokens per second, the denominator of token costs
    "token_throughput": """
        select benchmark_id, scenario, release, accelerator_id, n_results, output_tokens_per_s_per_accelerator,
            output_tokens_per_s_per_accelerator_median, result_id, availability, apart_reason, is_representative,
            newest_release, newest_release_median, newest_release_n_results
        from mart_token_throughput order by all
    """,
    "throughput": """
        select benchmark_id, scenario, release, accelerator_id, result_unit, n_results,
            throughput_per_accelerator_min, throughput_per_accelerator_median, throughput_per_accelerator_max,
            best_result_id, availability, apart_reason, is_representative, benchmark_version, newest_release,
            newest_release_median, newest_release_n_results
        from mart_inference_throughput
        where division = 'closed' and suite = 'datacenter' and variant = 'standard'
            and accelerator_id is not null and throughput_per_accelerator_max is not null
        order by all
    """,
    # evidence: every result in tokens, and the best result of each cell in other units
    "results": """
        select result_id, submission_id, submitter, division, suite, availability, system_name, benchmark_id, scenario,
            release, accelerator_id, accelerator_count, result, result_unit,
            throughput_per_accelerator, output_tokens_per_s_per_accelerator, number_format, ttft_ms_p99, tpot_ms_p99,
            apart_reason, software, notes, source_url, payload_sha256
        from fct_inference_result
        where division = 'closed' and suite = 'datacenter' and variant = 'standard'
            and accelerator_id is not null and is_per_accelerator_valid
            and is_derived is not true and is_peer_outlier is not true
            and (
                output_tokens_per_s_per_accelerator > 0
                or result_id in (select best_result_id from mart_inference_throughput)
            )
        order by result_id
    """,
    "energy": """
        select result_id, suite_kind, release, benchmark_id, scenario, accelerator_id, accelerator_count, submitter,
            submission_id, system_name, power_basis, power_scope, watts_per_accelerator, pue,
            result_unit, j_per_unit_before_pue, j_per_output_token_before_pue, j_per_output_token_measured,
            j_per_output_token_modelled, j_per_output_token_modelled_low, j_per_output_token_modelled_high,
            source_url, apart_reason
        from mart_energy left join (select result_id, apart_reason from fct_inference_result) using (result_id)
        where division = 'closed' and not is_derived and variant = 'standard'
            and suite_kind = 'inference' and suite = 'datacenter'
            and (power_basis = 'measured' or j_per_output_token_modelled is not null)
        order by energy_id
    """,
    # day of the prices, and the number of days for which a price is current
    "defaults": """
        select newest_price_day() as price_as_of, price_current_days() as current_days, default_owner() as owner
    """,
    # one figure per cell and pricing model: at the price level, with the cheapest offer and the plain median beside it
    "cost_headlines": """
        select benchmark_id, scenario, release, accelerator_id, pricing_model, usd_per_output_mtok_at_level,
            usd_per_output_mtok_at_level_low, usd_per_output_mtok_at_level_high, n_sellers_of_level, level_reason,
            level_moved_since_oldest_pct, n_sellers, usd_per_output_mtok_cheapest, usd_per_output_mtok_low,
            usd_per_output_mtok_median, usd_per_output_mtok_high, usd_per_accelerator_hour_median, cheapest_provider,
            cheapest_offer_id, oldest_price_on, size_note, reason, is_representative
        from mart_cost_headline where apart_reason is null order by all
    """,
    # cost of owning for the default owner of the report, on the default basis of capital
    "owned_costs": """
        select benchmark_id, scenario, release, accelerator_id, usd_per_output_mtok, usd_per_output_mtok_low,
            usd_per_output_mtok_high, capex_basis, price_level, n_capex_figures
        from mart_owned_cost_per_mtok
        where scenario_id = default_owner() and is_default and apart_reason is null
            and usd_per_output_mtok is not null
        order by all
    """,
    # what an average neocloud would charge for an accelerator-hour, and how expensive each seller is, on the newest
    "price_levels": """
        select accelerator_id, pricing_model, as_of, usd_per_accelerator_hour, usd_per_accelerator_hour_low,
            usd_per_accelerator_hour_high, seller_price_low, seller_price_high, discount, relative_to_h100,
            relative_to_h100_low, relative_to_h100_high, n_sellers,
            sellers, far_sellers, oldest_days_before,
            case when is_moved_since_oldest then moved_since_oldest_pct end as moved_since_oldest_pct,
            usd_median_plain, n_sellers_plain, usd_cheapest,
            cheapest_provider, cheapest_offer_id, reason
        from mart_rental_price_level where as_of <= newest_price_day()
        qualify as_of = max(as_of) over (partition by pricing_model)
        order by accelerator_id, pricing_model
    """,
    # the same on the first day of every month, and on the newest day
    "price_history": """
        select accelerator_id, pricing_model, as_of, usd_per_accelerator_hour, usd_per_accelerator_hour_low,
            usd_per_accelerator_hour_high, n_sellers, sellers, usd_median_plain, n_sellers_plain, reason
        from mart_rental_price_level
        where as_of <= newest_price_day() and (day(as_of) = 1 or as_of = newest_price_day())
        order by accelerator_id, pricing_model, as_of
    """,
    "calibration": "from mart_calibration order by estimator, case_kind, held_out",
    "seller_levels": """
        from mart_seller_price_level where as_of <= newest_price_day() and reason is null
        qualify as_of = max(as_of) over (partition by pricing_model)
        order by pricing_model, factor, provider
    """,
    # the cheapest price of each cell without such a figure: shown with the reason, never ranked
    "unranked_costs": """
        select costs.benchmark_id, costs.scenario, costs.release, costs.accelerator_id, costs.pricing_model,
            costs.provider, costs.usd_per_output_mtok, costs.usd_per_accelerator_hour, costs.price_standing,
            costs.price_days_before, costs.fit, costs.size_note, costs.offer_id
        from mart_cost_per_mtok as costs
        inner join mart_cost_headline as headline
            using (benchmark_id, scenario, release, accelerator_id, availability, pricing_model)
        where headline.n_sellers = 0 and headline.apart_reason is null
        qualify row_number() over (
            partition by costs.benchmark_id, costs.scenario, costs.release, costs.accelerator_id, costs.pricing_model
            order by costs.usd_per_output_mtok, costs.offer_id
        ) = 1
        order by all
    """,
    # cheapest, median and most expensive offer of each seller, with the evidence of the cheapest
    "offers": """
        select current.accelerator_id, current.provider, current.segment, current.pricing_model,
            current.usd_per_accelerator_hour_min, current.usd_per_accelerator_hour_median,
            current.usd_per_accelerator_hour_max, current.n_offers, current.observed_at, current.age_days,
            current.observed_precision, current.price_standing, current.best_days_before as days_before,
            current.rank_reason, current.best_offer_id as offer_id, current.best_instance_type as instance_type,
            current.best_region as region, offer.country,
            current.source, current.best_source_url as source_url, offer.payload_sha256
        from mart_price_current as current
        left join lateral (
            select * from fct_price_interval as interval_of
            where interval_of.offer_id = current.best_offer_id
            order by interval_of.valid_from desc limit 1
        ) as offer on true
        where current.segment is distinct from 'aggregate'
        order by current.accelerator_id, current.provider, current.pricing_model
    """,
    "price_index": """
        select month, accelerator_id, pricing_model, index, low, high, uncertainty_basis, base_month, n_sellers,
            n_matched, is_marked, moved_by, tpd_check, reason
        from mart_price_index
        order by accelerator_id, pricing_model, month
    """,
    # each accelerator on its default basis of capital
    "tco": """
        select * exclude (
            based_on, purchase_form, is_purchase_old, capex_server_usd_per_accelerator,
            capex_network_usd_per_accelerator, capex_storage_usd_per_accelerator, capex_other_usd_per_accelerator,
            n_inputs_with_range, assumption_ids
        )
        from mart_tco where is_default
        order by scenario_id, accelerator_id
    """,
    "tco_assumptions": "from mart_tco_assumptions order by kind, scenario_id, accelerator_id, parameter",
    # owning against rent at the price level: one row an accelerator, owner and pricing model
    "build_vs_rent": """
        select distinct accelerator_id, scenario_id, pricing_model, horizon_months, owned_usd_per_accelerator_hour,
            level_usd_per_accelerator_hour, level_usd_per_accelerator_hour_low, level_usd_per_accelerator_hour_high,
            break_even_utilisation_pct_at_level, break_even_utilisation_pct_at_level_low,
            break_even_utilisation_pct_at_level_high, against_owning_at_level
        from mart_build_vs_rent where break_even_utilisation_pct_at_level is not null order by all
    """,
    # against the H100; "Side by side" compares any parts
    "perf_per_tco": """
        select benchmark_id, suite_kind, release, scenario, result_unit, accelerator_id, scenario_id, throughput_ratio,
            tco_ratio, perf_per_tco_ratio, n_results, baseline_n_results, accelerator_count, baseline_accelerator_count,
            capex_basis, price_level, tco_ratio_basis, result_id, baseline_result_id
        from mart_perf_per_tco
        where is_default and perf_per_tco_ratio is not null and baseline_accelerator_id = 'nvidia-h100-sxm-80gb'
        order by all
    """,
    "software_progress": """
        from mart_software_progress order by suite_kind, benchmark_id, scenario, accelerator_id, release, submitter_id
    """,
    "best_of_round": """
        select suite_kind, release, previous_release, benchmark_id, scenario, accelerator_id, accelerator_count, unit,
            value, previous_value, gain_ratio, n_results, best_result_id
        from mart_best_of_round where availability = 'available' and previous_release is not null
        order by suite_kind, benchmark_id, scenario, accelerator_id, release
    """,
    "spec_value": """
        select accelerator_id, product_line, generation, previous_accelerator_id, bf16_ratio, memory_ratio,
            memory_bandwidth_ratio, tdp_ratio, w_per_bf16_tflop_s_ratio, usd_per_hour_per_bf16_pflop_s_ratio
        from mart_spec_value where previous_accelerator_id is not null
        order by product_line, generation
    """,
    # available systems, newest version of each task
    "training": """
        select result_id, release, submitter, system_name, benchmark_id, accelerator_id, accelerator_count, n_runs,
            n_counted, score_minutes, accelerator_hours, trained_tokens_per_s_per_accelerator, number_format,
            number_format_basis, mfu_pct, mfu_reason, bf16_equivalent_pct,
            energy_j, software, notes, source_url, payload_sha256
        from fct_training_result
        where division = 'closed' and score_minutes is not null and not starts_with(accelerator_id, 'unmapped:')
            and accelerator_count > 0 and availability = 'available'
        qualify benchmark_version = max(benchmark_version) over (partition by benchmark_id)
        order by result_id
    """,
    # in the order in which compare prefers them: the newest version of the task, then the smallest size
    "training_speeds_of_sizes": """
        select benchmark_id, benchmark_version, scale_class, result_unit, accelerator_id, accelerator_count, release,
            throughput_per_accelerator, number_format
        from intermediate.int_training__speeds where is_best_of_size
        order by benchmark_version desc, scale_class, benchmark_id, result_unit, accelerator_id
    """,
    "trained_tokens": """
        select result_id, owned_usd_per_trained_mtok, owned_usd_per_trained_mtok_low, owned_usd_per_trained_mtok_high,
            rented_usd_per_trained_mtok, rented_usd_per_trained_mtok_low, rented_usd_per_trained_mtok_high,
            j_per_trained_token_modelled, j_per_trained_token_measured_before_pue
        from mart_trained_tokens order by result_id
    """,
    "frontier_cost": "from mart_frontier_cost_check order by model, price_basis desc",
    "training_scaling": """
        select release, submitter, benchmark_id, accelerator_id, accelerator_count, base_accelerator_count,
            score_minutes, scaling_efficiency, throughput_scaling_efficiency, result_id
        from mart_training_scaling where division = 'closed'
        order by benchmark_id, accelerator_id, release, submitter, accelerator_count
    """,
    # what tokens cost to produce and what providers charge for them
    "token_costs_and_prices": """
        select * exclude (system_name, submission_id, discount_pct)
        from intermediate.token_costs_and_prices(
            (select list(distinct benchmark_id) from mart_token_cost_and_price)
        )
    """,
    # electricity and rent of tokens where accelerators are offered; the page multiplies it by the figures of the grid
    "electricity_of_tokens": """
        select benchmark_id, place, accelerator_id, columns('^(kwh|usd)_per_output_mtok|_per_kwh'), provider, sites,
            price_seen_on, grid_basis, grid_year_high, pue, release, submitter, result_id, reason
        from intermediate.electricity_of_tokens(
            (select list(distinct benchmark_id) from mart_token_throughput where scenario = 'Server'),
            (
                select list(distinct country) || ['EU', 'Europe', 'Asia']
                from fct_price_interval where is_comparable and country is not null
            ),
            'Server', 'on_demand'
        )
    """,
    # measured outside of MLPerf, on pages of their own
    "serving_frontiers": """
        select source, model_id, accelerator_id, number_format, framework, workload, tokens_per_s_per_user,
            output_tokens_per_s_per_accelerator, rent_usd_per_output_mtok, rent_usd_per_output_mtok_low,
            rent_usd_per_output_mtok_high, owned_usd_per_output_mtok, owned_usd_per_output_mtok_low,
            owned_usd_per_output_mtok_high, j_per_output_token_measured, energy_scope, ttft_ms, input_tokens,
            output_tokens, concurrency, n_accelerators_all, speculation, measured_on, point_id, source_url
        from mart_serving_frontier where row_kind = 'point' and axis = 'tokens_per_s_per_user' order by all
    """,
    "serving_reads": """
        select source, model_id, accelerator_id, number_format, framework, workload, tokens_per_s_per_user,
            output_tokens_per_s_per_accelerator, rent_usd_per_output_mtok, rent_usd_per_output_mtok_low,
            rent_usd_per_output_mtok_high, owned_usd_per_output_mtok, owned_usd_per_output_mtok_low,
            owned_usd_per_output_mtok_high, j_per_output_token_measured, energy_scope, basis, reason, rent_reason,
            owned_reason, rent_basis, n_sellers, oldest_price_on, point_id_below, point_id_above
        from mart_serving_frontier where row_kind = 'read' order by all
    """,
    "measurement_check": """
        from mart_measurement_check
        order by quantity, model_id, accelerator_id, scenario, other_number_format
    """,
    "grids": """
        select coalesce('US-' || us_state, country, grid_level) as grid, grid_level as level, place,
            kg_co2e_per_kwh, kg_co2e_per_kwh_low, kg_co2e_per_kwh_high, year, basis, source_url
        from dim_grid where is_active and grid_level in ('world', 'country', 'us_state') order by all
    """,
    "claims": """
        select claim_id, claimed_by, claim_date, statement_short, subject_accelerator_id, claimed_value, unit,
            measured_value, measured_quantity, ratio, verdict, reason, n_cases, release, in_file, label_mismatch,
            array_to_string(subject_ids, ', ') as subject_ids, array_to_string(baseline_ids, ', ') as baseline_ids,
            source_url
        from mart_claim_check order by claim_id
    """,
    "findings": """
        select finding_id, accelerator_id, baseline_accelerator_id, finding, found_on, found_by, impact, stands,
            agreement, contradiction, open, n_agree, n_contradict, n_open, economics,
            array_to_string(source_urls, ' ') as source_urls
        from mart_findings order by finding_id
    """,
    "published_values": """
        select value_id, document_title, kind, subject, attribute, value_printed, printed_value, unit,
            ours, coalesce(ours_text, '') as ours_text, difference_pct, status, cause, cause_note, source_url
        from mart_published_values order by value_id
    """,
    "published_tables": """
        select row_id, model, precision, gpus, metric, theirs, ours, unit, difference_pct,
            cause, cause_note, consistent, reproduced, own_value, own_value_low, own_value_high, own_difference_pct,
            own_basis, own_note, source_url
        from mart_published_tables order by row_id
    """,
    "published_analysis": """
        select row_id, benchmark_id, scenario, accelerator_printed, avg_per_accelerator_printed, right_release,
            right_unit, right_n_results, right_throughput_per_accelerator, printed_over_right, cause_of_difference,
            cause_note, source_url
        from mart_published_analysis_check order by row_id
    """,
    "source_health": "from mart_source_health order by source",
    "reconciliation": "from ops_reconciliation order by source, payload_key, release, dialect",
    "rejects": """
        from ops_reject
        order by severity <> 'reject', severity <> 'warning', source, payload_key, payload_member, payload_record,
            problem
    """,
    "coverage": """
        select 'inference' as suite_kind, release, count(*) as results,
            count(*) filter (where not starts_with(accelerator_id, 'unmapped:')) as with_accelerator,
            count(*) filter (where is_per_accelerator_valid) as per_accelerator,
            count(*) filter (where output_tokens_per_s_per_accelerator is not null) as in_tokens,
            count(*) filter (where power_w is not null) as with_power
        from fct_inference_result group by release
        union all
        select 'training', release, count(*), count(*) filter (where not starts_with(accelerator_id, 'unmapped:')),
            count(*) filter (where accelerator_count > 0),
            count(*) filter (where trained_tokens_per_s_per_accelerator is not null),
            count(*) filter (where energy_j is not null)
        from fct_training_result group by release
        order by suite_kind, release
    """,
    "spec_agreement": """
        select attribute, count(*) filter (where agreement = 'agree') as agree,
            count(*) filter (where agreement = 'single source') as single_source,
            count(*) filter (where agreement = 'conflict') as conflict
        from mart_spec_agreement where is_datacenter group by attribute order by attribute
    """,
    # specifications of mapped accelerators
    "parts": """
        select accelerator_id, memory_gb, memory_type, memory_bandwidth_gb_s, tdp_w, scale_up_domain_size,
            fp64_tflops, bf16_dense_tflops, fp8_dense_tflops, fp4_dense_tflops, int8_dense_tops,
            source_url
        from dim_accelerator where is_mapped order by accelerator_id
    """,
    # the cheapest offer behind each price level
    "cheapest_offers": """
        select offer_id, provider, machine_accelerators, size_basis,
            least(cast(last_seen_at as date), price_as_of) as seen_on
        from price_on(newest_price_day())
        where offer_id in (select cheapest_offer_id from mart_rental_price_level) order by offer_id
    """,
    # a month of each option of choose, at the loads, owners and limits on the time to first token that the page offers;
    # ttft_limits: the limits for which a row counts
    "serving_options": """
        select benchmark_id, accelerator_id, how, asked_owner as owner,
            cast(tokens_per_day / 1e6 as integer) as mtokens,
            string_agg(coalesce(cast(cast(max_ttft_ms as integer) as varchar), 'none'), ' ' order by max_ttft_ms)
                as ttft_limits,
            result_id, cast(accelerators as bigint) as accelerators, cost_usd, cost_usd_low, cost_usd_high,
            cost_usd_cheapest, cost_usd_median, usd_per_accelerator_hour, purchase_usd, running_usd, size_note,
            j_per_output_token_modelled as j_modelled, j_per_output_token_measured as j_measured, energy_kwh,
            needed_memory_gb, machine_memory_gb, n_sellers, n_sellers_of_level, sellers, oldest_price_on,
            newest_price_on, price_level, capex_basis, depreciation_months, reason, unknown
        from intermediate.serving_options(
            (select list(distinct benchmark_id) from mart_token_throughput where scenario = 'Server'),
            [1e6, 2e6, 5e6, 1e7, 2e7, 5e7, 1e8, 2e8, 5e8, 1e9, 2e9, 5e9, 1e10],
            [null, 500, 1000, 2000, 4000, 6000], 1, (select list(distinct scenario_id) from mart_tco),
            null, null, null, null, null, 'Server', 60, null
        )
        group by all order by benchmark_id, accelerator_id, how, mtokens, result_id, owner, ttft_limits
    """,
    # 64 accelerators that one has for two years: a row of keep_or_sell for each with a result and a cost of ownership
    "kept_machines": """
        select h.accelerator_id as had,
            k.* exclude (reason, task_note, price_as_of, scenario, owner_scenario_id)
        from (
            select distinct r.accelerator_id, r.benchmark_id
            from fct_inference_result as r inner join mart_tco as o on r.accelerator_id = o.accelerator_id
            where r.scenario = 'Server' and r.division = 'closed' and r.suite = 'datacenter'
                and r.availability = 'available' and o.scenario_id = default_owner()
                and r.benchmark_id in (select benchmark_id from mart_token_throughput)
        ) as h, lateral keep_or_sell(h.benchmark_id, h.accelerator_id || ':64') as k
        where k.usd is not null and k.task_note is null
        order by all
    """,
    # what power limits carry, at the limits and owners that the page offers
    "power_options": """
        select * exclude (owner_scenario_id, scenario, provisioned_megawatts, drawn_w_basis, grid_id, kg_co2e_per_kwh,
            n_sellers, capital_apart_reason, drawn_watts_per_accelerator_low, drawn_watts_per_accelerator_high),
            owner_scenario_id as owner
        from intermediate.power_options(
            (select list(distinct benchmark_id) from mart_token_throughput where scenario = 'Server'),
            [1, 2, 5, 10, 20, 50, 100], null, (select list(distinct scenario_id) from mart_tco), 'Server', 60, null
        )
        order by all
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
    "same_seller_ratios": "from mart_same_seller_ratio order by all",
    # what renting and owning costs over months: rates, inputs of owners, shares of the price that hardware sells for
    "rent_rates": """
        select r.*, m.monthly_change from rent_rates() as r, intermediate.int_price__monthly_change as m
        where r.pricing_model in ('on_demand', 'reserved_1y', 'reserved_3y', 'spot', 'capacity_block') order by all
    """,
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
    "alternatives": " union all ".join(
        f"select '{word}' as asked, a.* from alternatives('{word}') as a where a.is_main"  # noqa: S608  constants
        for word in _FAMILIES
    ),
    # the cheapest offer of each seller, anywhere and in each region
    "seller_offers": " union all ".join(
        f"select {place} as asked_region, o.* "  # noqa: S608  constants
        f"from seller_offers(null, pricing := null, region := {place}) as o"
        for place in ("cast(null as varchar)", *(f"'{region}'" for region in _REGIONS))
    ),
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

# the first table of the report: it is there without JavaScript too
FIRST_TABLE = """
    select b.model_name, h.scenario, newest_price_day() as price_as_of,
        a.vendor || ' ' || a.product_name as accelerator,
        h.release, h.usd_per_output_mtok_at_level as usd, h.usd_per_output_mtok_at_level_low as usd_low,
        h.usd_per_output_mtok_at_level_high as usd_high, h.n_sellers_of_level as n_sellers,
        h.output_tokens_per_s_per_accelerator as tokens_per_s
    from mart_cost_headline as h
    inner join dim_accelerator as a using (accelerator_id)
    inner join dim_benchmark as b using (benchmark_id, benchmark_version)
    where h.benchmark_id = 'llama3.1-405b' and h.scenario = 'Server' and h.pricing_model = 'on_demand'
        and h.is_representative and h.usd_per_output_mtok_at_level is not null
    order by usd, accelerator
"""


def read(db: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    """Return all data sets of an open warehouse file.

    Returns:
        ``{"words": […], "sets": {name: {"n": rows, "columns": {name: values}}}}``. A column of text is
        ``{"at": steps}``: the sums of the steps are indices into ``words``, which holds each text once, and -1 for
        null.

    Raises:
        duckdb.Error: the file lacks a public table or column.
    """
    places: dict[str | None, int] = {None: -1}
    sets = {name: _columnar(db, statement, places) for name, statement in QUERIES.items()}
    return {"words": [*places][1:], "sets": sets}


def read_first_table(db: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """Return the rows of the table that is shown without JavaScript.

    Raises:
        duckdb.Error: the file lacks a public table or column.
    """
    return [{name: _plain(value) for name, value in row.items()} for row in records_of(db, FIRST_TABLE)]


def _columnar(db: duckdb.DuckDBPyConnection, statement: str, places: dict[str | None, int]) -> dict[str, Any]:
    done = db.execute(statement)
    names = [column[0] for column in done.description or []]
    rows = done.fetchall()
    columns = zip(*rows, strict=True) if rows else ([] for _ in names)
    return {
        "n": len(rows),
        "columns": {name: _packed(column, places) for name, column in zip(names, columns, strict=True)},
    }


def _plain(value: Any) -> Any:
    """Return a value that JSON can represent, text without control characters; infinity and NaN become None."""
    if isinstance(value, str):
        return value if value.isprintable() else value.translate(_CONTROLS)
    if isinstance(value, float):
        return _shortened(value) if math.isfinite(value) else None
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%MZ")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return _shortened(float(value))
    return value


def _shortened(value: float) -> float | int:
    """Return a number to nine significant digits, which is more than any source publishes."""
    short = float(f"{value:.9g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def _packed(values: Iterable[Any], places: dict[str | None, int]) -> Any:
    """Return a column as JSON can represent it; of text the steps between the places of its words, which are added."""
    column = [*map(_plain, values)]
    if {*map(type, column)} - {type(None)} != {str}:
        return column
    at = [places.setdefault(word, len(places) - 1) for word in column]
    return {"at": [here - before for before, here in pairwise([0, *at])]}
