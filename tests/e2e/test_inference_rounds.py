"""Every bundled inference round in the warehouse, compared with MLCommons' published results and logs."""

from __future__ import annotations

import csv
import json
import re
import tarfile

import pytest
from queries import rows

from warehouse.report.datasets import QUERIES

CLOSED = "division = 'closed' and suite = 'datacenter'"


def test_every_round_since_2018_is_listed_with_its_number_of_results(warehouse):
    known = dict(rows(warehouse, "select release, n_results from dim_release where suite_kind = 'inference'"))
    assert list(known) and len(known) == 14
    # records of the summaries and the collection, and of the trees that have no summary
    expected = {
        "v4.1": 937,
        "v5.1": 1448,
        "v6.0": 520,
        "v6.1": 492,
        "v0.5": 589,
        "v0.7": 1205,
        "v1.1": 1814,
    } | {"v1.0": 1994, "v5.0": 302}
    assert {r: known[r] for r in expected} == expected
    assert (
        rows(warehouse, "select release from dim_release where not is_held and suite_kind = 'inference'")
        == []
    ), "every round is held"
    assert rows(
        warehouse, "select count(*) from dim_release where is_held and not_held_reason is not null"
    ) == [(0,)]


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


def test_best_deepseek_r1_offline_of_v61_and_of_all_rounds(warehouse):
    best = dict(
        rows(
            warehouse,
            "select accelerator_id, throughput_per_accelerator from best_result('deepseek-r1', 'Offline', release := 'v6.1')",
        )
    )
    # by hand from summary.csv of v6.1
    for part, figure in {
        "nvidia-vr200-288gb": 16435.1, "nvidia-gb300-288gb": 9629.0, "nvidia-b300-sxm-270gb": 9055.6,
        "nvidia-gb200-186gb": 7528.8, "nvidia-b200-sxm-180gb": 7364.2, "amd-mi355x": 5667.9,
    }.items():  # fmt: skip
        assert best[part] == pytest.approx(figure, abs=0.0501), part
    ever = rows(
        warehouse,
        "select release, throughput_per_accelerator, availability from best_result('deepseek-r1', 'Offline', "
        "accelerator := 'nvidia-gb300-288gb')",
    )
    assert ever == [("v6.0", pytest.approx(9820.5, abs=0.05), "available")]
    # a preview system has no rank: it comes last in its round, and without a round there is the reason alone
    preview = "select release, availability, system_name, reason from best_result('deepseek-r1', 'Offline', "
    (in_its_round,) = rows(warehouse, preview + "accelerator := 'nvidia-vr200-288gb', release := 'v6.1')")
    assert in_its_round[:2] == ("v6.1", "preview") and "NVL72" in in_its_round[2]
    assert in_its_round[3] == "preview system" and list(best)[-1] == "nvidia-vr200-288gb"
    assert rows(warehouse, preview + "accelerator := 'nvidia-vr200-288gb')") == [
        (None, None, None, "no available result; preview system in v6.1: 16435.1 tokens/s")
    ]


def test_a_tpu_v3_of_2019_counts_chips_not_cores(warehouse):
    observed = rows(
        warehouse,
        """
        select accelerator_count, throughput_per_accelerator from fct_inference_result
        where release = 'v0.5' and platform = 'tpu-v3.8x1' and benchmark_id = 'resnet' and scenario = 'Offline'
        """,
    )
    assert observed == [(4, 8179.0)]
    counts = rows(
        warehouse,
        "select distinct platform, accelerator_count from fct_inference_result where release = 'v0.5' "
        "and accelerator_id = 'google-tpu-v3' order by 2, 1",
    )
    assert counts[-1] == ("tpu-v3.8x32", 128)


class TestDefectsOfV60:
    def test_eight_rows_of_nodes_that_are_not_full(self, warehouse):
        observed = rows(
            warehouse,
            """
            select platform, accelerator_count, total_accelerators_published, count(*) from fct_inference_result
            where release = 'v6.0' and accelerator_count_basis = 'name' group by all order by 2
            """,
        )
        assert [(n, total, k) for _, n, total, k in observed] == [(87, 88, 6), (94, 96, 2)]

    def test_whisper_is_in_tokens(self, warehouse):
        observed = rows(
            warehouse,
            """
            select result_unit_published, result_unit, unit_basis, count(*) from fct_inference_result
            where release = 'v6.0' and benchmark_id = 'whisper' and scenario = 'Offline' group by all
            """,
        )
        assert observed == [("Samples/s", "tokens/s", "corrected", 37)]

    def test_a_hundred_flags_are_wrong_and_two_results_are_derived(self, warehouse):
        observed = rows(
            warehouse,
            """
            select count(*) filter (is_inferred_published), count(*) filter (is_inferred_published and not is_derived),
                count(*) filter (is_derived), count(*) filter (is_derived is null)
            from fct_inference_result where release = 'v6.0'
            """,
        )
        assert observed == [(102, 100, 2, 0)]

    def test_every_figure_comes_out_of_its_log(self, warehouse, mlperf_data):
        observed = dict(
            rows(
                warehouse,
                "select agreement, count(*) from mart_inference_source_agreement where release = 'v6.0' group by 1",
            )
        )
        assert observed["equal"] + observed["equal_within_rounding"] == 520
        assert set(observed) <= {"equal", "equal_within_rounding"}


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


def test_number_formats_of_v61(warehouse, mlperf_data):
    observed = dict(
        rows(
            warehouse,
            "select coalesce(number_format, 'none'), count(*) from fct_inference_result where release = 'v6.1' group by 1",
        )
    )
    # counted by hand in the table: fp4 281, mxfp4 8, MXFP4 4, nvfp4 6, and six wordings with an FP8 cache or FP8 block scales
    fp4 = 281 + 8 + 4 + 6 + (7 + 6 + 4 + 3 + 3 + 2) + 2
    assert (observed["fp4"], observed["fp8"], observed["int8"]) == (fp4, 53 + 2, 46)
    assert "none" not in observed


def test_outliers_are_far_from_the_median_of_their_peers(warehouse):
    wrong = rows(
        warehouse,
        """
        with peers as (
            select release, division, benchmark_id, scenario, accelerator_id, result_unit,
                list(throughput_per_accelerator) as figures
            from fct_inference_result
            where is_per_accelerator_valid and is_derived is not true and software_class = 'optimised'
            group by all
        )
        select count(*) filter (is_peer_outlier), count(*) filter (
            len(figures) >= 3 and is_peer_outlier <> (
                (
                    throughput_per_accelerator < list_aggregate(figures, 'quantile_cont', 0.5) / 3
                    or throughput_per_accelerator > list_aggregate(figures, 'quantile_cont', 0.5) * 3
                )
            )
        )
        from fct_inference_result inner join peers using (release, division, benchmark_id, scenario, accelerator_id, result_unit)
        where is_per_accelerator_valid
        """,
    )
    ((n_outliers, n_wrong),) = wrong
    assert n_outliers > 0 and n_wrong == 0


def test_medians_of_optimised_software_exclude_reference_implementations(warehouse):
    ((n,),) = rows(warehouse, "select count(*) from fct_inference_result where software_class = 'reference'")
    assert n > 0
    mixed = rows(
        warehouse,
        """
        select count(*) from mart_inference_throughput as cells
        inner join fct_inference_result as results on cells.best_result_id = results.result_id
        where results.software_class = 'reference' and exists (
            from fct_inference_result as peers
            where peers.software_class = 'optimised' and peers.is_per_accelerator_valid and peers.is_derived is not true
                and (peers.release, peers.suite, peers.division, peers.benchmark_id, peers.scenario, peers.accelerator_id,
                    peers.variant, peers.result_unit)
                = (cells.release, cells.suite, cells.division, cells.benchmark_id, cells.scenario, cells.accelerator_id,
                    cells.variant, cells.result_unit)
        )
        """,
    )
    assert mixed == [(0,)]


def test_results_of_unknown_derivation_are_published_and_counted(warehouse):
    observed = rows(
        warehouse,
        """
        select sum(n_results_derivation_unknown) from mart_inference_throughput
        where release = 'v6.1' and benchmark_id = 'wan-2.2-t2v-a14b' and division = 'closed'
        """,
    )
    assert observed[0][0] > 0


def test_the_warehouse_has_no_local_path(warehouse):
    urls = rows(warehouse, "select distinct payload_url from fct_inference_result")
    assert urls and all(url.startswith("https://github.com/mlcommons/") for (url,) in urls)


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


def test_rounds_of_the_report_reach_from_v100_and_tpu_v3_to_vera_rubin(warehouse):
    shown = {(part, release) for _, _, release, part, *_ in rows(warehouse, QUERIES["throughput"])}
    for expected in (
        ("google-tpu-v3", "v0.5"), ("nvidia-t4", "v0.5"), ("nvidia-a100-sxm-40gb", "v0.7"),
        ("nvidia-v100s-pcie-32gb", "v1.1"), ("nvidia-gb300-288gb", "v6.0"), ("nvidia-vr200-288gb", "v6.1"),
    ):  # fmt: skip
        assert expected in shown


def test_best_of_round_names_the_round_of_each_figure(warehouse):
    observed = rows(
        warehouse,
        """
        select release, max(value) from mart_best_of_round
        where benchmark_id = 'deepseek-r1' and scenario = 'Offline' and accelerator_id = 'nvidia-gb300-288gb'
        group by release order by release
        """,
    )
    # by hand: 48,047 / 8 (CoreWeave, v5.1), 78,564 / 8 (CoreWeave, v6.0), and the best of v6.1
    assert [release for release, _ in observed] == ["v5.1", "v6.0", "v6.1"]
    assert [figure for _, figure in observed] == pytest.approx([6005.9, 9820.5, 9629.0], abs=0.06)


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

    def test_its_units_are_the_true_ones(self, warehouse):
        """One Server row of Llama 3.1 405B has queries/s printed where its figure is in tokens/s."""
        (row,) = rows(
            warehouse,
            "select result, result_unit, result_unit_published, unit_basis, output_tokens_per_s from fct_inference_result "
            "where release = 'v5.0' and benchmark_id = 'llama3.1-405b' and submitter = 'GigaComputing' "
            "and scenario = 'Server'",
        )
        assert row == (288.601, "tokens/s", "Queries/s", "corrected", 288.601)
        assert rows(
            warehouse,
            "select distinct result_unit from fct_inference_result where release = 'v5.0' "
            "and benchmark_family in ('gptj', 'llama2-70b', 'llama2-70b-interactive', 'llama3.1-405b', 'mixtral-8x7b')",
        ) == [("tokens/s",)]

    def test_systems_without_an_accelerator_have_no_figure(self, warehouse):
        assert rows(
            warehouse,
            "select distinct submitter, accelerator_id, throughput_per_accelerator, invalid_reason "
            "from fct_inference_result where release = 'v5.0' and not is_per_accelerator_valid order by all",
        ) == [(name, None, None, "no accelerator: CPU only") for name in ("Intel", "Quanta_Cloud_Technology")]

    def test_it_is_called_incomplete_with_the_number_of_its_results(self, warehouse):
        ((note,),) = rows(
            warehouse,
            "select incomplete_note from dim_release where is_incomplete and (suite_kind, release) = ('inference', 'v5.0')",
        )
        assert note.startswith("incomplete: 302 results, read one by one")
        assert rows(
            warehouse, "select count(*) from dim_release where is_incomplete or incomplete_note is not null"
        ) == [(1,)]

    def test_every_figure_of_it_has_the_mark(self, warehouse):
        marked = rows(
            warehouse,
            "select table_name from duckdb_columns() where schema_name = 'main' and column_name = 'is_round_incomplete'",
        )
        assert len(marked) >= 10
        for (table,) in marked:
            suite = (
                "and suite_kind = 'inference'" if table in ("mart_best_of_round", "mart_perf_per_tco") else ""
            )
            suite = suite or ("and suite_kind = 'inference'" if table == "mart_goodput_breakeven" else "")
            ((unlike, n),) = rows(
                warehouse,
                f"select count(*) filter (is_round_incomplete <> (release = 'v5.0' {suite})), "
                f"count(*) filter (is_round_incomplete) from {table}",
            )
            # the availability of the round's systems is not known: no comparison rests on them
            only_available = table in ("mart_perf_per_tco", "mart_goodput_breakeven")
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

    def test_published_figures_of_the_round_are_reproduced(self, warehouse):
        """NVIDIA printed 98,858 for 8 B200 on Llama 2 70B, and 30 times for the rack on Llama 3.1 405B."""
        assert rows(
            warehouse,
            "select result from fct_inference_result where release = 'v5.0' and submitter = 'NVIDIA' "
            "and platform = 'B200-SXM-180GBx8_TRT' and benchmark_id = 'llama2-70b-99.9' and scenario = 'Offline'",
        ) == [(98858.0,)]
        verdicts = dict(
            rows(
                warehouse,
                "select claim_id, verdict || ': ' || reason from mart_claim_check where claim_id in ('C050', 'C052')",
            )
        )
        assert verdicts["C050"].startswith("holds: Measured 30.07") and "held in part" in verdicts["C050"]
        assert verdicts["C052"].startswith("not comparable: ") and "held in part" in verdicts["C052"]
        assert rows(warehouse, "select count(*) from mart_published_analysis_check where is_reproduced") == [
            (45,)
        ]


def test_cpu_systems_of_v30_have_the_nodes_of_their_own_files(warehouse):
    """MLCommons' collection has two nodes for some; their names and descriptions have one."""
    contradicted = rows(
        warehouse,
        "select distinct release, submitter, platform, number_of_nodes from fct_inference_result "
        r"where try_cast(regexp_extract(platform, '^(\d+)-node', 1) as bigint) <> number_of_nodes",
    )
    assert contradicted == []
    assert rows(
        warehouse,
        "select distinct number_of_nodes from fct_inference_result where release = 'v3.0' and submitter = 'Intel'",
    ) == [(1,)]
