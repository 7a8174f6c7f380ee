"""Results read one by one from a round that cannot be had whole: the real table of v5.0, and made lines of each kind."""

from __future__ import annotations

import csv
import io

import pytest
from mlperf_payloads import explains

from ingest.core.errors import PayloadRejected
from ingest.mlperf.read_singly import is_read_singly, parse_read_singly
from ingest.mlperf.registry import MLPERF_INFERENCE, source_named, summary_name

FOLDER = "closed/ACME/results/box_x8/llama2-70b-99/Server"
LINE = {
    "release": "v5.0",
    "division": "closed",
    "suite": "datacenter",
    "submitter": "ACME",
    "system": "box_x8",
    "accelerator": "ACME X1",
    "accelerators_per_node": "8",
    "number_of_nodes": "2",
    "benchmark": "llama2-70b-99",
    "scenario": "Server",
    "result": "30086.52",
    "unit": "Tokens/s",
    "validity": "VALID",
    "ttft_p99_ms": "1936.541021",
    "tpot_p99_ms": "",
    "path": f"{FOLDER}/performance/run_1/mlperf_log_summary.txt",
    "note": "",
}


def table(*lines: dict) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, LINE)
    writer.writeheader()
    writer.writerows(LINE | line for line in lines)
    return out.getvalue().encode()


def parse(*lines: dict, release: str = "v5.0"):
    return parse_read_singly(table(*lines), where="t.csv", release=release)


def one(**line):
    (row,) = parse(line).rows
    return row


@pytest.fixture(scope="module")
def published(mlperf_data):
    payload = (mlperf_data / "inference_v5.0_partial" / "results_read_singly.csv").read_bytes()
    return payload, list(csv.DictReader(io.StringIO(payload.decode())))


def test_every_line_of_v50_is_a_row_with_its_figure_and_the_path_of_its_log(published):
    payload, lines = published
    assert is_read_singly(payload) and summary_name(payload) == "results_read_singly.csv"
    (part,) = source_named(MLPERF_INFERENCE).parse([("", io.BytesIO(payload))], key="v5.0")
    assert part.dialect == "read_singly" and part.parsed.rejects == []
    assert len(part.parsed.rows) == len(lines) == 302
    for row, line in zip(part.parsed.rows, lines, strict=True):
        assert (row.result, row.member) == (float(line["result"]), line["path"])
        assert (row.model_published, row.scenario) == (line["benchmark"], line["scenario"])
        assert row.location.split("/")[:4] == ["closed", line["submitter"], "results", line["system"]]
        nodes, accelerators = line["number_of_nodes"], int(line["accelerators_per_node"])
        total = (
            row.total_accelerators_published
            if nodes == ""
            else row.number_of_nodes * row.accelerators_per_node
        )
        assert total == accelerators * int(nodes or 1)
    assert sum(row.member != "" for row in part.parsed.rows) == 243


def test_a_line_keeps_what_its_log_says():
    row = one(note="Completed samples per second 306.30; summary stored at 99 only (shared with 99.9)")
    assert (row.result, row.result_published, row.result_unit_published) == (30086.52, "30086.52", "Tokens/s")
    assert (row.ttft_ms_p99, row.tpot_ms_p99, row.log_validity) == (1936.541021, None, "VALID")
    assert (row.log_samples_per_s, row.location) == (306.3, FOLDER)
    assert row.provenance_note.endswith("summary stored at 99 only (shared with 99.9)")
    assert (row.number_of_nodes, row.accelerators_per_node, row.total_accelerators_published) == (2, 8, None)


def test_without_a_path_the_folder_is_the_one_that_the_names_make():
    row = one(path="")
    assert (row.member, row.location) == ("", FOLDER) and row.source_url.endswith(f"v5.0/tree/main/{FOLDER}")


@pytest.mark.parametrize(
    ("unit", "printed"),
    [
        ("Tokens/s (printed as Queries/s)", "Queries/s"),
        ("Samples/s (printed as Frames/s)", "Frames/s"),
        ("Tokens/s (inferred)", "Tokens/s"),
        ("kTokens/s", "kTokens/s"),
        ("", None),
    ],
)
def test_the_unit_is_the_word_of_the_log(unit, printed):
    assert one(unit=unit).result_unit_published == printed


def test_without_a_number_of_nodes_the_accelerators_are_those_of_the_system():
    row = one(number_of_nodes="", accelerators_per_node="72")
    assert (row.number_of_nodes, row.accelerators_per_node, row.total_accelerators_published) == (
        None,
        None,
        72,
    )
    cpu = one(accelerator="N/A", accelerators_per_node="0", number_of_nodes="1")
    assert (cpu.accelerators_per_node, cpu.total_accelerators_published) == (0, None)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ({"validity": "INVALID"}, "its log has 'INVALID', not VALID"),
        ({"validity": ""}, "its log has '', not VALID"),
        ({"release": "v4.1"}, "is of v4.1, not v5.0"),
        ({"result": "-1"}, "'-1', which no measurement can give"),
        ({"result": "n/a"}, "n/a"),
        ({"submitter": ""}, "lacks Organization"),
        ({"division": "closd"}, "division 'closd'"),
        ({"benchmark": "bert-99", "result": "7"}, "contradicts"),
    ],
)
def test_a_line_that_is_no_result_is_named_and_its_neighbours_stay(line, problem):
    parsed = parse({"benchmark": "bert-99"}, line, {"benchmark": "rnnt"})
    assert [row.model_published for row in parsed.rows] == ["bert-99", "rnnt"]
    (reject,) = parsed.rejects
    assert reject.record == "[2]" and problem in reject.problem and parsed.records_in == 3


def test_a_line_cut_short_and_one_too_long_are_named():
    payload = table({}) + b"v5.0,closed\n" + table({"benchmark": "rnnt"}).splitlines()[1] + b",more\n"
    parsed = parse_read_singly(payload, where="t.csv", release="v5.0")
    assert len(parsed.rows) == 1 and [r.record for r in parsed.rejects] == ["[2]", "[3]"]
    assert all(explains(r, "more or fewer columns than the header") for r in parsed.rejects)
    with pytest.raises(PayloadRejected, match="not UTF-8"):
        parse_read_singly(table({"note": "é"}).replace("é".encode(), b"\xe9"), where="t.csv", release="v5.0")
