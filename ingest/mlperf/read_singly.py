"""Results read one by one from the files of a round that cannot be had whole.

The table is our own: a line per result, with the folder's names, the figure as its log prints it, and the path of that
log (``mlperf_log_summary.txt``) where it is known. ``note`` says how a line was read. Lines without a number of nodes
state the accelerators of the whole system.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ingest.core import values
from ingest.core.errors import decode_utf8
from ingest.core.records import Parsed
from ingest.mlperf.published import SUMMARY_DICT, Entry, parse_entries
from ingest.mlperf.records import InferenceResult

READ_SINGLY = replace(SUMMARY_DICT, name="read_singly")
FILE_NAME = "results_read_singly.csv"

_COLUMNS = frozenset(
    {
        "release", "division", "suite", "submitter", "system", "accelerator", "accelerators_per_node",
        "number_of_nodes", "benchmark", "scenario", "result", "unit", "validity", "path", "note",
    }
)  # fmt: skip
_BASIS = "read by itself from the round's files"
# "Tokens/s (printed as Queries/s)" and "Tokens/s (inferred)": the file's own word is what it printed
_PRINTED = re.compile(r"\(printed as ([^)]+)\)")
_REMARK_ON_UNIT = re.compile(r"\s*\([^)]*\)\s*$")
_SAMPLES_PER_S = re.compile(r"samples per second:? ([0-9.]+[0-9])", re.IGNORECASE)


def is_read_singly(payload: bytes) -> bool:
    """Whether a file is such a table: its first line names the columns."""
    head = payload.removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0]
    return set(head.decode("utf-8", "replace").strip().split(",")) >= _COLUMNS


def parse_read_singly(payload: bytes, *, where: str, release: str) -> Parsed[InferenceResult]:
    """Rows of such a table.

    Args:
        payload: the file's bytes, UTF-8, with the columns that `is_read_singly` asks for.
        where: its name, for messages.
        release: the round it was fetched as; lines of another round are rejected.

    Returns:
        One row a line whose log has ``VALID``; ``member`` is the path of the log, empty where it is not known.

    Raises:
        PayloadRejected: not UTF-8.
    """
    text = decode_utf8(payload, where)
    lines = list(csv.DictReader(io.StringIO(text, newline="")))
    parsed = parse_entries(_entries(lines, where), READ_SINGLY, release=release).get(release, Parsed())
    parsed.rows[:] = [_with_log(row, lines[int(row.record[1:-1]) - 1]) for row in parsed.rows]
    return parsed


def _entries(lines: list[dict[str, Any]], where: str) -> Iterator[Entry]:
    for number, line in enumerate(lines, start=1):
        record = f"[{number}]"
        if None in line or None in line.values():
            yield Entry(where, record, None, problem="has more or fewer columns than the header")
        elif line["validity"] != "VALID":
            yield Entry(where, record, None, problem=f"its log has {line['validity']!r}, not VALID")
        else:
            yield Entry(line["path"], record, _body(line))


def _body(line: dict[str, str]) -> dict[str, str | None]:
    """Return a line under the keys of `SUMMARY_DICT`."""
    folder = "/".join(
        (line["division"], line["submitter"], "results", line["system"], line["benchmark"], line["scenario"])
    )
    printed = _PRINTED.search(line["unit"])
    nodes, accelerators = line["number_of_nodes"] or None, line["accelerators_per_node"] or None
    return {
        "version": line["release"] or None,
        "Organization": line["submitter"] or None,
        "Division": line["division"] or None,
        "SystemType": line["suite"] or None,
        "SystemName": line["system"],
        "Platform": line["system"] or None,
        "Model": line["benchmark"] or None,
        "MlperfModel": line["benchmark"] or None,
        "Scenario": line["scenario"] or None,
        "Location": line["path"].removesuffix("/mlperf_log_summary.txt") or folder,
        "Result": line["result"],
        "Units": printed[1] if printed else _REMARK_ON_UNIT.sub("", line["unit"]) or None,
        "accelerator_model_name": line["accelerator"],
        "number_of_nodes": nodes,
        "accelerators_per_node": accelerators if nodes else None,
        "total_accelerators": None if nodes else accelerators,
    }


def _with_log(row: InferenceResult, line: dict[str, str]) -> InferenceResult:
    """Return the row with what its log has beside the result, and how it was read."""
    samples = _SAMPLES_PER_S.search(line["note"])
    return replace(
        row,
        log_validity=line["validity"],
        log_samples_per_s=values.number(samples[1]) if samples else None,
        ttft_ms_p99=values.number(line.get("ttft_p99_ms")),
        tpot_ms_p99=values.number(line.get("tpot_p99_ms")),
        provenance_note="; ".join(filter(None, (_BASIS, line["note"]))),
    )
