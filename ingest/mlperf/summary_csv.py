"""A round's ``summary.csv``: the records of ``summary.json`` as a table, and our reduced copy of it.

MLCommons' exporter quotes every value and does not double quotes inside of it, so a note that holds a quote and a
comma breaks its line; such a line is rejected by the number of its columns. ``summary_core.csv`` holds chosen
columns of the same file under the same names, and `TokensPerSample` in place of `Accuracy`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from ingest.core.errors import PayloadRejected, decode_utf8
from ingest.core.records import Parsed
from ingest.mlperf.published import SUMMARY_CORE, SUMMARY_CSV, Dialect, Entry, parse_entries
from ingest.mlperf.records import InferenceResult

_MEAN_TOKENS = "TokensPerSample"


def is_summary_csv(payload: bytes) -> bool:
    """Whether a summary is a table: its first line names columns of a summary."""
    head = payload.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
    return b"Organization" in head and b"," in head and not head.startswith((b"{", b"["))


def parse_summary_csv(payload: bytes, *, where: str, release: str) -> tuple[Dialect, Parsed[InferenceResult]]:
    """Rows of a summary table.

    Args:
        payload: the file's bytes, UTF-8.
        where: its name, for messages.
        release: the round it was fetched as; records of another round are rejected.

    Returns:
        The dialect (``summary_csv``, or ``summary_core`` for the reduced copy) and its rows.

    Raises:
        PayloadRejected: not UTF-8, or without a header.
    """
    text = decode_utf8(payload, where)
    reader = csv.reader(io.StringIO(text, newline=""))
    header = next(reader, [])
    if "Organization" not in header:
        raise PayloadRejected(
            payload=where,
            problem="its first line names no columns of a summary",
            remedy="check that it is the round's summary.csv",
        )
    dialect = SUMMARY_CORE if _MEAN_TOKENS in header and "Location" not in header else SUMMARY_CSV
    entries = _entries(reader, header, where, is_core=dialect is SUMMARY_CORE)
    return dialect, parse_entries(entries, dialect, release=release).get(release, Parsed())


def _entries(reader: Iterable[list[str]], header: list[str], where: str, *, is_core: bool) -> Iterable[Entry]:
    """One entry per line of the table; blank lines are no records."""
    for number, line in enumerate((fields for fields in reader if fields), start=1):
        record = f"[{number}]"
        if len(line) != len(header):
            problem = f"has {len(line)} columns, the header has {len(header)}"
            yield Entry(where, record, None, problem=problem)
            continue
        body: dict[str, str | None] = {name: value or None for name, value in zip(header, line, strict=True)}
        if is_core:
            # the rule of upstream's own `Location`, checked on every record of the original file
            body["Location"] = (
                f"./{body['Division']}/{body['Organization']}/results/{body['Platform']}/{body['Model']}"
                f"/{body['Scenario']}/performance/run_1"
            )
        yield Entry(where, record, body)
