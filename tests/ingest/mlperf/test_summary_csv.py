"""Summaries as tables: the whole round v6.1 in chosen columns, the official form, and results read one by one."""

from __future__ import annotations

import csv
import io
import json

import pytest
from mlperf_payloads import explains, has

from ingest.core.errors import PayloadRejected
from ingest.mlperf.published import parse_summary
from ingest.mlperf.registry import MLPERF_INFERENCE, MLPERF_SOURCES, summary_name
from ingest.mlperf.summary_csv import parse_summary_csv

SOURCE = MLPERF_SOURCES[MLPERF_INFERENCE]
WHERE = "summary.csv"
# header of summary.csv in mlcommons/inference_results_v6.1
OFFICIAL = [
    "Organization",
    "Availability",
    "Division",
    "SystemType",
    "SystemName",
    "Platform",
    "Model",
    "MlperfModel",
    "Scenario",
    "Result",
    "Accuracy",
    "number_of_nodes",
    "host_processor_model_name",
    "host_processors_per_node",
    "host_processor_core_count",
    "accelerator_model_name",
    "accelerators_per_node",
    "total_accelerators",
    "Location",
    "framework",
    "operating_system",
    "notes",
    "compliance",
    "errors",
    "version",
    "inferred",
    "has_power",
    "Units",
    "weight_data_types",
    "design_power_watts",
    "PrivateID",
]
FOLDER = "closed/ACME/results/box_x8/llama2-70b-99/Server"
LINE = {
    "release": "v5.0", "division": "closed", "suite": "datacenter", "submitter": "ACME", "system": "box_x8",
    "accelerator": "ACME X1", "accelerators_per_node": "8", "number_of_nodes": "2", "benchmark": "llama2-70b-99",
    "scenario": "Server", "result": "30086.52", "unit": "Tokens/s", "validity": "VALID", "ttft_p99_ms": "1936.541021",
    "tpot_p99_ms": "", "path": f"{FOLDER}/performance/run_1/mlperf_log_summary.txt", "note": "",
}  # fmt: skip


@pytest.fixture(scope="module")
def core_bytes(mlperf_data):
    return (mlperf_data / "inference_v6.1/summary_core.csv").read_bytes()


@pytest.fixture(scope="module")
def core(core_bytes):
    return parse_summary_csv(core_bytes, where=WHERE, release="v6.1")


def official(entries) -> bytes:
    """A table as upstream's exporter writes it: every value quoted."""
    lines = [",".join(OFFICIAL)]
    lines += [
        ",".join(f'"{"" if entry[name] is None else entry[name]}"' for name in OFFICIAL) for entry in entries
    ]
    return ("\n".join(lines) + "\n").encode()


class TestTheWholeRoundInChosenColumns:
    def test_every_row_says_what_the_table_says(self, core, core_bytes):
        dialect, parsed = core
        assert dialect.name == "summary_core" and has(parsed, records_in=492, rejects=[], duplicates=0)
        table = csv.DictReader(io.StringIO(core_bytes.decode()))
        for row, line in zip(parsed.rows, table, strict=True):
            assert has(
                row,
                submitter=line["Organization"],
                platform=line["Platform"],
                model_published=line["Model"],
                benchmark_published=line["MlperfModel"],
                result=float(line["Result"]),
                result_unit_published=line["Units"],
                total_accelerators_published=int(line["total_accelerators"]),
                tokens_per_sample=float(line["TokensPerSample"]) if line["TokensPerSample"] else None,
                provenance_note="copied from summary.csv, chosen columns",
            )

    def test_rows_agree_with_the_official_json(self, core, v61_sample):
        by_location = {row.location: row for row in core[1].rows}
        rows = parse_summary(json.dumps(v61_sample).encode(), where="summary.json", release="v6.1").rows
        for row in rows:
            other = by_location[row.location]
            names = (
                "submitter",
                "result_unit_published",
                "scenario",
                "accelerators_per_node",
                "software",
                "source_url",
            )
            assert has(other, **{name: getattr(row, name) for name in names})
            # the two files of upstream round differently in the eleventh digit
            assert other.result == pytest.approx(row.result, rel=1e-10)
            assert other.tokens_per_sample == pytest.approx(row.tokens_per_sample)

    def test_best_deepseek_r1_offline_per_accelerator(self, core):
        """The round's headline figures."""
        best: dict[str, float] = {}
        for row in core[1].rows:
            if (row.division, row.benchmark_published, row.scenario) == ("closed", "deepseek-r1", "Offline"):
                name = row.accelerator_name_published
                best[name] = max(best.get(name, 0), row.result / row.total_accelerators_published)
        assert best["NVIDIA Vera Rubin"] == pytest.approx(16435.1, abs=0.05)
        assert best["NVIDIA GB300"] == pytest.approx(9629.0, abs=0.05)


class TestTheOfficialForm:
    def test_the_table_and_the_object_give_the_same_rows(self, v61_sample):
        dialect, table = parse_summary_csv(official(v61_sample.values()), where=WHERE, release="v6.1")
        objects = parse_summary(json.dumps(v61_sample).encode(), where=WHERE, release="v6.1")
        assert dialect.name == "summary_csv"
        for a, b in zip(table.rows, objects.rows, strict=True):
            assert vars(a) | {"dialect": "", "record": ""} == vars(b) | {"dialect": "", "record": ""}

    def test_a_note_that_breaks_its_line_is_one_reject(self, v61_sample):
        entries = list(v61_sample.values())[:3]
        entries[1] = entries[1] | {"notes": 'the "new", faster one'}
        _, parsed = parse_summary_csv(official(entries), where=WHERE, release="v6.1")
        assert (parsed.records_in, len(parsed.rows)) == (3, 2)
        assert explains(parsed.rejects[0], "[2]", "columns, the header has 31")

    @pytest.mark.parametrize("payload", [b"", b"a,b\n1,2\n", b"\xff\xfeO"])
    def test_what_is_no_summary_is_rejected(self, payload):
        with pytest.raises(PayloadRejected):
            parse_summary_csv(payload, where=WHERE, release="v6.1")


def test_forms_of_summaries_are_parts_of_their_own(core_bytes, v61_sample):
    assert summary_name(core_bytes) == summary_name(b"\xef\xbb\xbf" + core_bytes) == "summary.csv"
    assert (summary_name(b' {"0": {}}'), summary_name(b"[]")) == ("summary.json", "summary_results.json")
    (core,) = SOURCE.parts([("", io.BytesIO(core_bytes))], key="v6.1")
    assert (core.dialect, len(core.parsed.rows)) == ("summary_core", 492)
    files = {"summary.csv": official(v61_sample.values()), "summary.json": json.dumps(v61_sample).encode()}
    parts = SOURCE.parts([(name, io.BytesIO(content)) for name, content in files.items()], key="v6.1")
    assert [(p.dialect, len(p.parsed.rows)) for p in parts] == [("summary_dict", 14), ("summary_csv", 14)]
    # one that cannot be read is one reject
    (bad,) = SOURCE.parts([("summary.csv", io.BytesIO(b"a,b\n1,2\n"))], key="v6.1")
    assert (bad.dialect, bad.parsed.records_in, len(bad.parsed.rejects)) == ("summary_csv", 1, 1)


class TestResultsReadSingly:
    """Of a round that cannot be had whole."""

    @staticmethod
    def table(*lines: dict) -> bytes:
        out = io.StringIO()
        writer = csv.DictWriter(out, LINE)
        writer.writeheader()
        writer.writerows(LINE | line for line in lines)
        return out.getvalue().encode()

    def parse(self, *lines: dict):
        dialect, parsed = parse_summary_csv(self.table(*lines), where="t.csv", release="v5.0")
        assert dialect.name == "read_singly"
        return parsed

    def one(self, **line):
        (row,) = self.parse(line).rows
        return row

    def test_every_line_of_v50_is_a_row_with_its_figure_and_the_path_of_its_log(self, mlperf_data):
        payload = (mlperf_data / "inference_v5.0_partial/results_read_singly.csv").read_bytes()
        lines = list(csv.DictReader(io.StringIO(payload.decode())))
        assert summary_name(payload) == "results_read_singly.csv"
        (part,) = SOURCE.parse([("", io.BytesIO(payload))], key="v5.0")
        assert part.dialect == "read_singly" and part.parsed.rejects == []
        assert len(lines) == 302 and sum(row.member != "" for row in part.parsed.rows) == 243
        for row, line in zip(part.parsed.rows, lines, strict=True):
            assert has(row, result=float(line["result"]), member=line["path"], scenario=line["scenario"])
            assert row.location.split("/")[:4] == ["closed", line["submitter"], "results", line["system"]]
            total = row.total_accelerators_published or row.number_of_nodes * row.accelerators_per_node
            assert total == int(line["accelerators_per_node"]) * int(line["number_of_nodes"] or 1)

    @pytest.mark.parametrize(
        ("change", "expected"),
        [
            (
                {"note": "Completed samples per second 306.30; summary stored at 99 only"},
                {
                    "result": 30086.52, "result_published": "30086.52", "ttft_ms_p99": 1936.541021, "tpot_ms_p99": None,
                    "log_validity": "VALID", "log_samples_per_s": 306.3, "location": FOLDER, "record": "[1]",
                    "number_of_nodes": 2, "accelerators_per_node": 8, "total_accelerators_published": None,
                    "provenance_note": "read by itself from the round's files; "
                    "Completed samples per second 306.30; summary stored at 99 only",
                },
            ),
            ({"path": ""}, {"member": "", "location": FOLDER}),
            ({"number_of_nodes": "", "accelerators_per_node": "72"},
             {"number_of_nodes": None, "accelerators_per_node": None, "total_accelerators_published": 72}),
            ({"accelerator": "N/A", "accelerators_per_node": "0"},
             {"accelerators_per_node": 0, "total_accelerators_published": None}),
            # the unit is the word of the log
            *(({"unit": unit}, {"result_unit_published": printed}) for unit, printed in [
                ("Tokens/s (printed as Queries/s)", "Queries/s"), ("Samples/s (printed as Frames/s)", "Frames/s"),
                ("Tokens/s (inferred)", "Tokens/s"), ("kTokens/s", "kTokens/s"), ("", None)]),
        ],
    )  # fmt: skip
    def test_a_line_keeps_what_its_log_says(self, change, expected):
        assert has(self.one(**change), **expected)

    @pytest.mark.parametrize(
        ("line", "problem"),
        [
            ({"validity": "INVALID"}, "its log has 'INVALID', not VALID"),
            ({"validity": ""}, "its log has '', not VALID"),
            ({"release": "v4.1"}, "is of v4.1, not v5.0"),
            ({"result": "-1"}, "'-1', which no measurement can give"),
            ({"submitter": ""}, "lacks submitter"),
            ({"division": "closd"}, "division 'closd'"),
            ({"benchmark": "bert-99", "result": "7"}, "contradicts"),
        ],
    )
    def test_a_line_that_is_no_result_is_named_and_its_neighbours_stay(self, line, problem):
        parsed = self.parse({"benchmark": "bert-99"}, line, {"benchmark": "rnnt"})
        assert [row.model_published for row in parsed.rows] == ["bert-99", "rnnt"]
        (reject,) = parsed.rejects
        assert explains(reject, "[2]", problem) and parsed.records_in == 3

    def test_a_line_cut_short_and_one_too_long_are_named(self):
        payload = (
            self.table({}) + b"v5.0,closed\n" + self.table({"benchmark": "rnnt"}).splitlines()[1] + b",more\n"
        )
        _, parsed = parse_summary_csv(payload, where="t.csv", release="v5.0")
        assert len(parsed.rows) == 1 and [r.record for r in parsed.rejects] == ["[2]", "[3]"]
        assert all("columns, the header has 17" in r.problem for r in parsed.rejects)
