"""Expected figures of the warehouse built from real data: upstream's values, or computed by hand from them."""

import json

import pytest
from queries import one


def offline_v51(db, column, accelerator, benchmark="deepseek-r1"):
    return one(
        db,
        f"""
        select {column} from mart_inference_throughput
        where release = 'v5.1' and suite = 'datacenter' and division = 'closed' and variant = 'standard'
            and benchmark_id = '{benchmark}' and scenario = 'Offline' and accelerator_id = '{accelerator}'
        """,
    )


def test_b200_deepseek_is_the_mean_of_five_closed_submissions(warehouse):
    mean, n = offline_v51(warehouse, "throughput_per_accelerator_mean, n_results", "nvidia-b200-sxm-180gb")
    assert (mean, n) == (pytest.approx(3935.8, abs=0.05), 5)
    ratio = offline_v51(warehouse, "throughput_per_accelerator_mean", "nvidia-gb200-186gb") / mean
    assert ratio == pytest.approx(1.02, abs=0.005)


@pytest.mark.parametrize(
    ("benchmark", "system", "result"),
    [
        # 18 nodes of 4; a well-known analysis printed 72,428 an accelerator
        ("deepseek-r1", "accelerator_id = 'nvidia-gb200-186gb'", 289_712),
        ("deepseek-r1", "accelerator_id = 'nvidia-gb300-288gb'", 420_659),
        ("llama3.1-405b", "accelerator_id = 'nvidia-gb200-186gb' and submitter = 'NVIDIA'", 14_774.3),
    ],
)
def test_a_rack_of_72_is_divided_by_72(warehouse, benchmark, system, result):
    value = one(
        warehouse,
        f"""
        select throughput_per_accelerator from fct_inference_result
        where release = 'v5.1' and division = 'closed' and benchmark_id = '{benchmark}' and scenario = 'Offline'
            and {system} and accelerator_count = 72
        """,
    )
    assert value == pytest.approx(result / 72, rel=1e-9)


def test_lenovo_sr780a_joules_per_token_before_pue(warehouse):
    result, watts, joules = one(
        warehouse,
        """
        select result, power_w, j_per_output_token from fct_inference_result
        where release = 'v5.1' and submitter = 'Lenovo' and platform like 'SR780a_V3%'
            and benchmark_id = 'llama3.1-405b' and scenario = 'Offline' and power_w is not null
        """,
    )
    assert result == 1637.11
    assert watts == pytest.approx(9891.76, abs=0.01)
    assert joules == pytest.approx(6.04, abs=0.005)


def test_v51_is_complete(warehouse):
    assert one(warehouse, "select count(*) from fct_inference_result where release = 'v5.1'") == 1448
    assert one(
        warehouse,
        "select records_in, rows_out, rejects from ops_reconciliation where release = 'v5.1' and dialect like 'summary%'",
    ) == (1448, 1448, 0)
    powered = warehouse.execute(
        "select count(power_w), count(energy_j_per_query) from fct_inference_result where release = 'v5.1'"
    ).fetchone()
    assert powered == (16, 8)  # 24 rows with power: 16 in watts, 8 in millijoules


def test_parsed_logs_equal_the_published_results(warehouse):
    counts = dict(
        warehouse.execute(
            "select agreement, count(*) from mart_inference_source_agreement where release = 'v5.1' group by all"
        ).fetchall()
    )
    assert counts["equal"] + counts["equal_within_rounding"] == 1448
    assert counts["equal"] == 1030
    assert counts == {"equal": 1030, "equal_within_rounding": 418, "log_only": 1}
    raw_only = one(
        warehouse, "select location from mart_inference_source_agreement where agreement = 'log_only'"
    )
    assert raw_only.startswith("open/GATEOverflow/") and raw_only.endswith("pointpainting/offline")
    power = dict(
        warehouse.execute(
            """
            select power_agreement, count(*) from mart_inference_source_agreement
            where release = 'v5.1' and power_agreement is not null group by all
            """
        ).fetchall()
    )
    assert power == {"equal_within_rounding": 23, "log_unreadable": 1}


def test_every_entry_of_the_collection_is_published_once(warehouse):
    # distinct (round, division, suite, submitter, platform, model, scenario) of the collection's files,
    # counted without our parsers in tests/ingest/mlperf/test_collection.py
    per_round = dict(
        warehouse.execute(
            "select release, count(*) from fct_inference_result where dialect = 'collection' group by all"
        ).fetchall()
    )
    assert per_round == {"v2.0": 2962, "v2.1": 5265, "v3.0": 7283, "v3.1": 3325, "v4.0": 9474, "v4.1": 937}


def test_every_closed_datacenter_row_has_an_accelerator_or_a_reason(warehouse):
    mapped, cpu_only, mixed, rest = one(
        warehouse,
        """
        select
            count(*) filter (accelerator_id is not null),
            count(*) filter (accelerator_id is null and invalid_reason = 'no accelerator: CPU only'),
            count(*) filter (accelerator_id is null and invalid_reason = 'several accelerator models in one system'),
            count(*)
        from fct_inference_result where division = 'closed' and suite_published like '%datacenter%'
        """,
    )
    assert mapped + cpu_only + mixed == rest > 4000


def test_units_are_never_mixed_and_latencies_never_divided(warehouse):
    assert one(
        warehouse,
        "select count(*) from mart_inference_throughput where result_unit not in ('tokens/s', 'samples/s', 'queries/s', 'tasks/s')",
    ) == 0  # fmt: skip
    assert one(
        warehouse,
        "select count(throughput_per_accelerator) from fct_inference_result where result_unit = 'latency_ms'",
    ) == 0  # fmt: skip
    # whisper (37) and llama3.1-8b Interactive (8) are tokens/s with a wrong unit
    assert one(
        warehouse, "select count(*) from fct_inference_result where release = 'v5.1' and unit_basis = 'corrected'"
    ) == 37 + 8  # fmt: skip


def test_a_run_published_twice_is_counted_once(warehouse):
    pairs, same = one(
        warehouse,
        """
        with pairs as (
            select low.is_same_run_as_99_9
            from fct_inference_result as low
            inner join fct_inference_result as high
                on low.release = high.release and low.division = high.division
                and low.suite_published = high.suite_published and low.submitter = high.submitter
                and low.platform = high.platform and low.scenario = high.scenario
                and low.benchmark_family = high.benchmark_family
                and low.benchmark_id like '%-99' and high.benchmark_id like '%-99.9'
                and regexp_replace(low.model_published, '-99$', '') = regexp_replace(high.model_published, '-99.9$', '')
            where low.release = 'v5.1'
        )
        select count(*), count(*) filter (is_same_run_as_99_9) from pairs
        """,
    )
    assert (pairs, same) == (127, 95)
    by_model, by_benchmark = one(
        warehouse,
        """
        select
            (select sum(n_results) from mart_inference_throughput_by_model where release = 'v5.1'),
            (select sum(n_results) from mart_inference_throughput where release = 'v5.1')
        """,
    )
    twins = one(
        warehouse,
        """
        select count(*) from fct_inference_result
        where release = 'v5.1' and is_same_run_as_99_9 and is_per_accelerator_valid and not is_derived
        """,
    )
    assert by_benchmark - by_model == twins > 0


def test_derived_rows_of_v51(warehouse):
    derived = dict(
        warehouse.execute(
            "select scenario, count(*) from fct_inference_result where release = 'v5.1' and is_derived group by all"
        ).fetchall()
    )
    assert derived == {"MultiStream": 270, "Offline": 266}


def test_the_published_analysis_is_recomputed_next_to_its_printed_values(warehouse):
    assert one(warehouse, "select count(*) from mart_published_analysis_check") == 76
    printed, its_way, right, factor = one(
        warehouse,
        """
        select avg_per_accelerator_printed, avg_per_accelerator_its_way, right_throughput_per_accelerator, printed_over_right
        from mart_published_analysis_check
        where benchmark_id = 'deepseek-r1' and accelerator_printed = 'NVIDIA GB200' and scenario = 'Offline'
        """,
    )
    assert printed == its_way == 72_428
    assert right == pytest.approx(4023.8, abs=0.05) and factor == pytest.approx(18)
    # a row that its own arithmetic does not reproduce must name the missing data
    unexplained = warehouse.execute(
        """
        select row_id, cause_of_difference from mart_published_analysis_check
        where not coalesce(is_reproduced, false)
            and not regexp_matches(cause_of_difference, 'round_not_available|unit_not_in_collection|pooled_releases')
        """
    ).fetchall()
    assert unexplained == []
    assert one(warehouse, "select count(*) from mart_published_analysis_check where is_reproduced") >= 32


def test_number_formats_have_one_spelling(warehouse, mlperf_data):
    """INT8 and int8 are one format, a dict names one per sub-network, UNSET names none."""
    entries = json.loads((mlperf_data / "inference_v5.1/summary_results.json").read_text())
    words = [entry["weight_data_types"] for entry in entries]
    counts = dict(
        warehouse.execute(
            "select weight_number_formats, count(*) from fct_inference_result where release = 'v5.1' group by all"
        ).fetchall()
    )
    assert counts["int8"] == sum(word.lower() == "int8" for word in words)
    assert counts[None] == words.count("UNSET")
    assert counts["fp32,fp8"] == sum("clip1" in word and "int8" not in word for word in words)


def test_every_row_names_its_payload(warehouse):
    assert one(
        warehouse,
        """
        select count(*) from fct_inference_result
        where not regexp_matches(payload_sha256, '^[0-9a-f]{64}$')
            or source_url not like 'https://github.com/mlcommons/inference_results_' || release || '/tree/main/%'
            or payload_url not like 'https://github.com/mlcommons/%' or payload_record is null or fetched_at is null
        """,
    ) == 0  # fmt: skip


def test_the_warehouse_has_no_trace_of_the_build_machine(warehouse):
    views = warehouse.execute("select sql from duckdb_views() where not internal").fetchall()
    assert views and not [sql for (sql,) in views if "/" in sql or "read_parquet" in sql]


def test_public_names_are_unchanged(warehouse):
    promised = {
        "fct_inference_result": "release, submission_id, submitter, division, suite, availability, system_name, "
        "benchmark_id, scenario, accelerator_name_published, accelerator_id, accelerator_count, accelerator_count_basis, "
        "result, result_unit, throughput_per_accelerator, result_unit_published, is_per_accelerator_valid, invalid_reason, "
        "is_derived, is_inferred_published, model_published, power_w, software, source_url, payload_sha256",
        "mart_inference_throughput": "release, benchmark_id, scenario, division, accelerator_id, result_unit, n_results, "
        "throughput_per_accelerator_min, throughput_per_accelerator_median, throughput_per_accelerator_max, "
        "best_submission_id",
        "mart_source_health": "source, last_success_at, age_days, payloads, rows, rejects, status",
        "fct_training_run": "release, submitter, system_name, benchmark_id, run_index, converged, minutes, samples, "
        "global_batch_size, energy_j",
        "fct_training_result": "release, submitter, division, system_name, benchmark_id, accelerator_id, "
        "accelerator_count, n_runs, n_converged, score_minutes, rcp_scaling_factor, energy_j, samples_per_s, "
        "trained_tokens_per_s_per_accelerator, mfu_pct, number_format, accelerator_hours, source_url",
        "mart_training_scaling": "release, submitter, benchmark_id, accelerator_id, accelerator_count, "
        "base_accelerator_count, scaling_efficiency",
        "ops_reconciliation": "source, payload_sha256, records_in, rows_out, rejects",
    }
    for table, columns in promised.items():
        # with the public schema's name, and without a schema
        warehouse.execute(f"select {columns} from accelmart.accelmart.{table} limit 0")
        warehouse.execute(f"select {columns} from {table} limit 0")


def test_every_public_column_is_described(warehouse):
    columns = warehouse.execute(
        "select table_name || '.' || column_name, comment from duckdb_columns() where schema_name = 'main' and not internal"
    ).fetchall()
    assert len(columns) > 1500
    assert [name for name, comment in columns if not comment] == []
