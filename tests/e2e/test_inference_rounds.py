"""Every bundled inference round in the warehouse, compared with MLCommons' published results and logs."""

from __future__ import annotations

import csv
import re
import tarfile

import pytest
from queries import rows


def test_llm_server_results_have_their_token_latencies(warehouse, mlperf_data):
    """All of v6.0, with the logs read a second time by a regular expression."""
    held = {
        location: values
        for location, *values in rows(
            warehouse,
            """
            select split_part(source_url, '/tree/main/', 2), ttft_ms_p50, ttft_ms_p99, tpot_ms_p50, tpot_ms_p99
            from fct_inference_result where release = 'v6.0' and ttft_ms_p50 is not null
            """,
        )
    }
    checked = 0
    with tarfile.open(mlperf_data / "releases" / "inference_results_v6.0.tar.gz") as tar:
        for member in tar:
            m = re.match(
                r"[^/]+/((?:open|closed)/[^/]+/results/[^/]+/[^/]+/[^/]+)/performance/run_1/mlperf_log_summary.txt$",
                member.name,
            )
            text = tar.extractfile(member).read().decode("utf-8", "replace") if m else ""
            if "first token latency" not in text or "Result is : VALID" not in text:
                continue
            stated = [
                int(re.search(rf"^{percent}\.00 percentile {words} \(ns\)\s+: (\d+)", text, re.MULTILINE)[1])
                / 1e6
                for words in ("first token latency", "time to output token")
                for percent in (50, 99)
            ]
            assert held.pop(m[1]) == pytest.approx(stated), m[1]
            checked += 1
    assert checked == 217 and not held


def test_round_v61_equals_the_published_table(warehouse, mlperf_data):
    with (mlperf_data / "inference_v6.1" / "summary_core.csv").open(encoding="utf-8", newline="") as f:
        table = {
            f"{r['Division']}/{r['Organization']}/results/{r['Platform']}/{r['Model']}/{r['Scenario']}": float(
                r["Result"]
            )
            * (1000 if r["Units"] == "Latency (s)" else 1)
            for r in csv.DictReader(f)
        }
    held = rows(
        warehouse,
        "select replace(split_part(source_url, '/tree/main/', 2), '%20', ' '), result from fct_inference_result "
        "where release = 'v6.1' and not starts_with(result_unit, 'unmapped')",
    )
    assert len(table) == 492 and dict(held) == pytest.approx(table)


def test_offline_rates_of_v10_are_those_of_its_logs(warehouse, mlperf_data):
    """Read here by a pattern; results without such a line were run as single streams."""
    logged = {}
    with tarfile.open(mlperf_data / "releases" / "inference_results_v1.0.tar.gz") as archive:
        for member in archive:
            folder, run, _ = member.name.partition("/performance/run_1/mlperf_log_summary.txt")
            if run and folder.lower().endswith("/offline"):
                text = archive.extractfile(member).read().decode()
                if rate := re.search(r"^Samples per second\s*: (\S+)", text, re.MULTILINE):
                    logged[folder.split("/", 1)[1]] = rate[1]
    held = rows(
        warehouse,
        "select replace(split_part(source_url, '/tree/main/', 2), '%20', ' '), result_published from fct_inference_result "
        "where release = 'v1.0' and scenario = 'Offline'",
    )
    assert dict(held).items() >= logged.items() and len(logged) > 500


def test_every_line_of_v50_is_a_result_with_its_log(warehouse, mlperf_data):
    """The round is held in part: its results were read singly."""
    held = {
        tuple(of): tuple(figures)
        for *of, figures in rows(
            warehouse,
            "select submitter, platform, model_published, scenario, [result::varchar, coalesce(accelerator_count, 0)::varchar, "
            "coalesce(payload_member, ''), coalesce(ttft_ms_p99, 0)::varchar] from fct_inference_result "
            "where release = 'v5.0' and dialect = 'read_singly'",
        )
    }
    file = mlperf_data / "inference_v5.0_partial" / "results_read_singly.csv"
    lines = list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
    assert len(held) == len(lines) == 302
    for line in lines:
        result, count, member, ttft = held[
            line["submitter"], line["system"], line["benchmark"], line["scenario"]
        ]
        stated = int(line["accelerators_per_node"]) * int(line["number_of_nodes"] or 1)
        assert (float(result), int(count), member) == (float(line["result"]), stated, line["path"])
        assert float(ttft) == float(line["ttft_p99_ms"] or 0)


def test_every_figure_of_an_incomplete_round_has_the_mark(warehouse):
    marked = rows(
        warehouse,
        "select table_name from duckdb_columns() where schema_name = 'main' and column_name = 'is_round_incomplete'",
    )
    # inference v5.0, whose systems state no availability, so that no comparison depends on them; and training v6.0
    of_training = {
        *(
            "fct_training_result",
            "mart_training_efficiency",
            "mart_training_scaling",
            "mart_trained_tokens",
            "mart_cost_to_train",
        ),
    }
    of_both = {"mart_perf_per_tco", "mart_throughput_ratio", "mart_best_of_round", "mart_task_cost"}
    assert len(marked) >= 14 and of_training | of_both <= {table for (table,) in marked}
    for (table,) in marked:
        suite = "suite_kind" if table in of_both else "'training'" if table in of_training else "'inference'"
        ((unlike, n),) = rows(
            warehouse,
            "select count(*) filter (is_round_incomplete <> ((kind, release) in (('inference', 'v5.0'), ('training', 'v6.0')))), "
            f"count(*) filter (is_round_incomplete) from (select *, {suite} as kind from {table})",
        )
        assert unlike == 0 and n > 0, table
    of_round = rows(
        warehouse,
        "select is_round_incomplete, reason from best_result('mixtral-8x7b', 'Offline', release := 'v5.0')",
    )
    assert {*of_round} == {(True, "availability of the system is not stated")}
