"""Every bundled inference round in the warehouse, compared with MLCommons' published results and logs."""

from __future__ import annotations

import csv
import json
import re
import tarfile

import pytest
from queries import rows

CLOSED = "division = 'closed' and suite = 'datacenter'"


def test_every_accelerator_of_a_closed_datacenter_result_is_known(warehouse):
    unnamed = rows(
        warehouse,
        f"""
        select release, platform, invalid_reason from fct_inference_result
        where {CLOSED} and accelerator_name_published is not null and accelerator_id is null
            and invalid_reason not like 'no accelerator%'
        group by all order by all
        """,
    )
    mixed = "several accelerator models in one system"
    assert unnamed == [
        ("v5.1", "16xMI325X_8xMI300X_2xEPYC_9575F", mixed),
        ("v5.1", "32xMI300X_2xEPYC_9534_16xMI325X_2xEPYC_9655", mixed),
        ("v6.0", "8xMI300X_2xEPYC_9534_8xMI325X_2xEPYC_9655_8xMI355X_2xEPYC_9965", mixed),
        ("v6.1", "2x8xMI355X_2x8xMI300X", mixed),
        ("v6.1", "Cisco_UCS_H200x8_MI350Xx8_G200_2x2_TOR", mixed),
    ]


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
            f"{r['Division']}/{r['Organization']}/results/{r['Platform']}/{r['Model']}/{r['Scenario']}": r
            for r in csv.DictReader(f)
        }
    held = rows(
        warehouse,
        """
        select split_part(source_url, '/tree/main/', 2), result, result_unit, provenance_note, payload_url, dialect
        from fct_inference_result where release = 'v6.1'
        """,
    )
    assert len(held) == len(table) == 492
    for location, result, unit, note, url, dialect in held:
        published = table[location.replace("%20", " ")]
        seconds = 1000 if published["Units"] == "Latency (s)" else 1
        assert result == pytest.approx(float(published["Result"]) * seconds), location
        assert unit and not unit.startswith("unmapped"), location
        assert (note, dialect) == ("copied from summary.csv, chosen columns", "summary_core")
        assert url.startswith("https://github.com/mlcommons/inference_results_v6.1")


@pytest.mark.parametrize("name", ["inference_v5.1/summary_results.json"])
def test_an_earlier_round_equals_the_published_results(warehouse, mlperf_data, name):
    published = json.loads((mlperf_data / name).read_bytes())
    held = dict(
        rows(
            warehouse,
            "select split_part(source_url, '/tree/main/', 2), result_published from fct_inference_result where release = 'v5.1'",
        )
    )
    assert held == {entry["Location"]: str(entry["Performance_Result"]) for entry in published}


def test_v10_is_whole_and_every_name_of_it_is_known(warehouse, mlperf_data):
    """Each figure is the line of its log that counts, read here by a pattern."""
    held = dict(
        rows(
            warehouse,
            "select replace(split_part(source_url, '/tree/main/', 2), '%20', ' '), result_published from fct_inference_result "
            "where release = 'v1.0' and scenario = 'Offline'",
        )
    )
    logged = {}
    with tarfile.open(mlperf_data / "releases" / "inference_results_v1.0.tar.gz") as archive:
        for member in archive:
            folder, run, _ = member.name.partition("/performance/run_1/mlperf_log_summary.txt")
            if run and folder.lower().endswith("/offline"):
                text = archive.extractfile(member).read().decode()
                # the others were run as single streams
                if rate := re.search(r"^Samples per second\s*: (\S+)", text, re.MULTILINE):
                    logged[folder.split("/", 1)[1]] = rate[1]
    assert held.items() >= logged.items() and len(logged) > 500
    assert rows(warehouse, "select count(*) from ops_unmapped") == [(0,)]
    assert rows(
        warehouse,
        "select count(distinct submitter), count(*) from fct_inference_result where release = 'v1.0'",
    ) == [(17, 1994)]


class TestARoundThatIsHeldInPart:
    def test_every_line_of_v50_is_a_result_with_its_log(self, warehouse, mlperf_data):
        held = {
            (submitter, platform, model, scenario): (result, accelerators or 0, member)
            for submitter, platform, model, scenario, result, accelerators, member in rows(
                warehouse,
                "select submitter, platform, model_published, scenario, result, accelerator_count, payload_member "
                "from fct_inference_result where release = 'v5.0' and dialect = 'read_singly'",
            )
        }
        with (mlperf_data / "inference_v5.0_partial" / "results_read_singly.csv").open(
            encoding="utf-8"
        ) as file:
            lines = list(csv.DictReader(file))
        assert len(held) == len(lines) == 302
        for line in lines:
            assert held[line["submitter"], line["system"], line["benchmark"], line["scenario"]] == (
                float(line["result"]),
                int(line["accelerators_per_node"]) * int(line["number_of_nodes"] or 1),
                line["path"],
            )

    def test_every_figure_of_it_has_the_mark(self, warehouse):
        marked = rows(
            warehouse,
            "select table_name from duckdb_columns() where schema_name = 'main' and column_name = 'is_round_incomplete'",
        )
        assert len(marked) >= 10
        for (table,) in marked:
            of_both = (
                "mart_best_of_round",
                "mart_perf_per_tco",
                "mart_goodput_breakeven",
                "mart_throughput_ratio",
            )
            suite = "and suite_kind = 'inference'" if table in of_both else ""
            ((unlike, n),) = rows(
                warehouse,
                f"select count(*) filter (is_round_incomplete <> (release = 'v5.0' {suite})), "
                f"count(*) filter (is_round_incomplete) from {table}",
            )
            # the availability of the round's systems is not known: no comparison rests on them
            only_available = table in of_both[1:]
            assert unlike == 0 and (n > 0) is not only_available, table
        best = rows(
            warehouse,
            "select accelerator_id, release, is_round_incomplete from best_result('mixtral-8x7b', 'Offline')",
        )
        assert {release == "v5.0" for _, release, _ in best} == {False}
        of_round = rows(
            warehouse,
            "select is_round_incomplete, reason from best_result('mixtral-8x7b', 'Offline', release := 'v5.0')",
        )
        assert {*of_round} == {(True, "availability of the system is not stated")}


def test_accuracy_tells_the_configured_formats_apart(warehouse):
    """The accuracy script saw the quantised model: FP16 scores as in rounds with published formats, FP8 otherwise."""
    scored = rows(
        warehouse,
        r"""
        select benchmark_id, number_format, number_format_basis,
            coalesce(try_cast(accuracy_published as double), regexp_extract(accuracy_published, '"f1": ([0-9.]+)', 1)::double)
        from fct_inference_result
        where division = 'closed' and accelerator_id like 'nvidia-%' and submitter in ('NVIDIA', 'Dell', 'Supermicro')
            and ((number_format_basis = 'configuration' and (benchmark_id = 'bert-99.9' or benchmark_id like 'gptj-99%'))
                or (number_format_basis = 'published' and benchmark_id = 'bert-99.9' and release in ('v1.0', 'v1.1')))
        """,
    )

    def scores(benchmark, number_format, basis):
        return [s for b, f, k, s in scored if b.startswith(benchmark) and (f, k) == (number_format, basis)]

    published = scores("bert", "fp16", "published")
    bert16, bert8 = scores("bert", "fp16", "configuration"), scores("bert", "fp8", "configuration")
    assert len(published) > 80 and len(bert16) == 70 and len(bert8) == 39
    lowest, highest = min(published) - 0.002, max(published) + 0.002
    assert all(lowest <= score <= highest for score in bert16)
    assert not any(lowest <= score <= highest for score in bert8)
    gptj16, gptj8 = scores("gptj", "fp16", "configuration"), scores("gptj", "fp8", "configuration")
    assert len(gptj16) == 4 and len(gptj8) == 125
    assert max(gptj16) < min(gptj8)


def test_names_agree_with_published_formats(warehouse):
    """Where both exist: of 451 results 443 agree; six are mixed, and one model named fp8 is published as fp16."""
    families = {"uint8": "int8", "nvfp4": "fp4", "mxfp4": "fp4", "bfloat16": "bf16"}
    named = rows(
        warehouse,
        """
        select number_format, list_distinct(regexp_extract_all(
            lower(concat_ws(' ', platform, system_name, notes, model_published)),
            '(?:mx|nv)?fp4|fp8|u?int8|bfloat16|bf16|fp16|tf32|fp32|int4'
        )) as named
        from fct_inference_result where number_format_basis = 'published' and len(named) > 0
        """,
    )
    agreeing = [{families.get(n, n) for n in names} == {published} for published, names in named]
    assert len(agreeing) == 451 and sum(agreeing) == 443
