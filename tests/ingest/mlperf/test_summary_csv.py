"""Summaries as tables: the whole round v6.1 in chosen columns, the official form, and results read one by one."""

from __future__ import annotations

import csv
import io
import json

import pytest
from mlperf_payloads import explains, has

from ingest.mlperf.published import parse_summary
from ingest.mlperf.registry import MLPERF_INFERENCE, MLPERF_SOURCES, summary_name
from ingest.mlperf.summary_csv import parse_summary_csv

SOURCE = MLPERF_SOURCES[MLPERF_INFERENCE]
WHERE = "summary.csv"
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
    lines = [",".join(entries[0])]
    for entry in entries:
        lines.append(",".join(f'"{"" if value is None else value}"' for value in entry.values()))
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
                # `Model` flips its meaning in v6.1: it is the old `UsedModel`
                benchmark_published=line["MlperfModel"],
                number_of_nodes=int(line["number_of_nodes"]),
                software=line["framework"].strip() or None,
                result=float(line["Result"]),
                result_unit_published=line["Units"],
                total_accelerators_published=int(line["total_accelerators"]),
                tokens_per_sample=float(line["TokensPerSample"]) if line["TokensPerSample"] else None,
                provenance_note="copied from summary.csv, chosen columns",
            )


class TestTheOfficialForm:
    def test_the_table_and_the_object_give_the_same_rows(self, v61_sample):
        dialect, table = parse_summary_csv(official([*v61_sample.values()]), where=WHERE, release="v6.1")
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


def test_forms_of_summaries_are_parts_of_their_own(core_bytes, v61_sample):
    assert summary_name(core_bytes) == summary_name(b"\xef\xbb\xbf" + core_bytes) == "summary.csv"
    assert (summary_name(b' {"0": {}}'), summary_name(b"[]")) == ("summary.json", "summary_results.json")
    (core,) = SOURCE.parts([("", io.BytesIO(core_bytes))], key="v6.1")
    assert (core.dialect, len(core.parsed.rows)) == ("summary_core", 492)
    files = {"summary.csv": official([*v61_sample.values()]), "summary.json": json.dumps(v61_sample).encode()}
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

    def test_a_line_keeps_what_its_log_says(self):
        row = self.one(note="Completed samples per second 306.30; summary stored at 99 only")
        assert has(
            row, result=30086.52, result_published="30086.52", log_samples_per_s=306.3, tpot_ms_p99=None
        )
        assert has(
            row, log_validity="VALID", location=FOLDER, record="[1]", total_accelerators_published=None
        )
        whole = self.one(number_of_nodes="", accelerators_per_node="72", unit="")
        assert has(whole, number_of_nodes=None, accelerators_per_node=None, total_accelerators_published=72)
        assert whole.result_unit_published is None
        assert summary_name(self.table(LINE)) == "results_read_singly.csv"

    @pytest.mark.parametrize(
        ("line", "problem"),
        [
            ({"validity": "INVALID"}, "its log has 'INVALID', not VALID"),
            ({"result": "-1"}, "'-1', which no measurement can give"),
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
