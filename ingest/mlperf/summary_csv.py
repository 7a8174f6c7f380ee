"""A round's summary as a table: ``summary.csv``, our reduced copy of it, and results read one by one.

MLCommons' exporter quotes every value and does not double quotes inside of it, so a note that holds a quote and a
comma breaks its line; such a line is rejected by the number of its columns. ``summary_core.csv`` holds chosen
columns of the same file under the same names, and `TokensPerSample` in place of `Accuracy`.

A round that cannot be had whole has a table of our own: a line per result, with the folder's names, the figure as its
log prints it, and the path of that log (``mlperf_log_summary.txt``) where it is known. ``note`` says how a line was
read. Lines without a number of nodes state the accelerators of the whole system.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ingest.core.errors import PayloadRejected, decode_utf8
from ingest.core.records import Parsed
from ingest.mlperf.entries import Entry
from ingest.mlperf.published import SUMMARY_DICT, Dialect, parse_entries
from ingest.mlperf.records import InferenceResult

_MEAN_TOKENS = "TokensPerSample"
SUMMARY_CSV = replace(SUMMARY_DICT, name="summary_csv")
SUMMARY_CORE = Dialect(
    "summary_core",
    {**SUMMARY_DICT.keys, "tokens_per_sample": _MEAN_TOKENS},
    "copied from summary.csv, chosen columns",
)
_COLUMNS_READ_SINGLY = {
    "release": "release",
    "division": "division",
    "suite_published": "suite",
    "submitter": "submitter",
    "system_name": "system",
    "platform": "system",
    "accelerator_name_published": "accelerator",
    "accelerators_per_node": "accelerators_per_node",
    "number_of_nodes": "number_of_nodes",
    "model_published": "benchmark",
    "benchmark_published": "benchmark",
    "scenario_published": "scenario",
    "result": "result",
    "result_unit_published": "unit",
    "log_validity": "validity",
}
READ_SINGLY = Dialect(
    "read_singly",
    _COLUMNS_READ_SINGLY
    | {
        "ttft_ms_p99": "ttft_p99_ms",
        "tpot_ms_p99": "tpot_p99_ms",
        # made of the other columns
        "location": "location",
        "total_accelerators_published": "total_accelerators",
        "log_samples_per_s": "samples_per_s",
        "provenance_note": "basis",
    },
)
# "Tokens/s (printed as Queries/s)" and "Tokens/s (inferred)": the file's own word is what it printed
_PRINTED = re.compile(r"\(printed as ([^)]+)\)")
_WARNING_ON_UNIT = re.compile(r"\s*\([^)]*\)\s*$")
_SAMPLES_PER_S = re.compile(r"samples per second:? ([0-9.]+[0-9])", re.IGNORECASE)


def dialect_of_table(payload: bytes) -> Dialect | None:
    """Return the dialect of a table, by the columns that its first line names; None for other files."""
    head = payload.lstrip(b"\xef\xbb\xbf \r\n\t").partition(b"\n")[0].decode("utf-8", "replace")
    header = {name.strip(' "\r') for name in head.split(",")}
    if header >= {*_COLUMNS_READ_SINGLY.values(), "path", "note"}:
        return READ_SINGLY
    if "Organization" not in header:
        return None
    return SUMMARY_CORE if _MEAN_TOKENS in header and "Location" not in header else SUMMARY_CSV


def parse_summary_csv(payload: bytes, *, where: str, release: str) -> tuple[Dialect, Parsed[InferenceResult]]:
    """Rows of a summary table.

    Args:
        payload: the file's bytes, UTF-8.
        where: its name, for messages.
        release: the round it was fetched as; records of another round are rejected.

    Returns:
        The dialect and its rows. Of results read one by one, a row's ``member`` is the path of its log, empty where
        it is not known.

    Raises:
        PayloadRejected: not UTF-8, or without a header.
    """
    lines = csv.reader(io.StringIO(decode_utf8(payload, where), newline=""))
    dialect = dialect_of_table(payload)
    if dialect is None:
        raise PayloadRejected(
            payload=where,
            problem="its first line names no columns of a summary",
            remedy="check that it is the round's summary.csv",
        )
    entries = _entries((line for line in lines if line), dialect, where)
    return dialect, parse_entries(entries, dialect, release=release).get(release, Parsed())


def _entries(lines: Iterable[list[str]], dialect: Dialect, where: str) -> Iterator[Entry]:
    """One entry per line of the table; blank lines are no records."""
    header, *records = lines
    for number, line in enumerate(records, start=1):
        member, record, problem = where, f"[{number}]", None
        body: dict[str, str | None] = dict(zip(header, (value or None for value in line), strict=False))
        if len(line) != len(header):
            problem = f"has {len(line)} columns, the header has {len(header)}"
        elif dialect is SUMMARY_CORE:
            # the rule of upstream's own `Location`, checked on every record of the original file
            body["Location"] = (
                f"./{body['Division']}/{body['Organization']}/results/{body['Platform']}/{body['Model']}"
                f"/{body['Scenario']}/performance/run_1"
            )
        elif dialect is READ_SINGLY:
            if body["validity"] != "VALID":
                problem = f"its log has {body['validity'] or ''!r}, not VALID"
            member, body = body["path"] or "", _read_singly(body)
        yield Entry(member if not problem else where, record, body, problem)


def _read_singly(line: dict[str, str | None]) -> dict[str, str | None]:
    """Return a line with what its columns imply: the unit as printed, whose accelerators it counts, where it lies."""
    unit, note, path = line["unit"] or "", line["note"] or "", line["path"] or ""
    printed, samples = _PRINTED.search(unit), _SAMPLES_PER_S.search(note)
    folder = "{division}/{submitter}/results/{system}/{benchmark}/{scenario}".format_map(line)
    accelerators = line["accelerators_per_node"]
    return line | {
        "location": path.removesuffix("/mlperf_log_summary.txt") or folder,
        "unit": printed[1] if printed else _WARNING_ON_UNIT.sub("", unit) or None,
        "accelerators_per_node": accelerators if line["number_of_nodes"] else None,
        "total_accelerators": None if line["number_of_nodes"] else accelerators,
        "samples_per_s": samples[1] if samples else None,
        "basis": "; ".join(filter(None, ("read by itself from the round's files", note))),
    }
