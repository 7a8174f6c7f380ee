"""From upstream's records to rows: one row a result, and an account of every record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ingest.core.errors import PayloadRejected
from ingest.core.json_document import read_json
from ingest.core.records import Parsed, required
from ingest.mlperf.records import InferenceResult, Unusable
from ingest.mlperf.releases import normalise_release
from ingest.mlperf.training_records import TrainingResult

RowT = TypeVar("RowT", InferenceResult, TrainingResult)
UNDECIDED = "look at all of them upstream; which one is right is not known"

# what decides the figure of a result; records of one result that differ in other words are one result
_DECISIVE = (
    "result", "result_unit_published", "power", "power_unit_published", "minutes", "number_of_nodes",
    "accelerators_per_node", "total_accelerators", "total_accelerators_published", "accelerator_name_published",
)  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """One upstream record and where it stands."""

    member: str
    record: str
    body: Any
    problem: str | None = None  # why there is no body to read


def require_object(entry: Entry, keys: Iterable[str]) -> dict[str, Any]:
    """Return the body of an entry that names a result.

    Raises:
        Unusable: it cannot be read, is no object, or lacks one of the keys.
    """
    if entry.problem:
        raise Unusable(
            entry.problem, "fetch the collection again; if it stays so, the file is damaged upstream"
        )
    if not isinstance(entry.body, dict):
        raise Unusable(f"is a {type(entry.body).__name__}, not an object", "look at the upstream file")
    if missing := required(entry.body, [*keys]):
        raise Unusable(f"lacks {', '.join(missing)}", "look at the entry upstream; it names no result")
    return entry.body


def stated_release(entry: Entry) -> str:
    """Return the round that an entry names; empty where it names none."""
    stated = str(entry.body.get("version", "")) if isinstance(entry.body, dict) else ""
    try:
        return normalise_release(stated)
    except ValueError:
        return ""


def contradiction(same: Sequence[RowT]) -> str:
    """Return in what the rows of one result differ, if it decides the figure; else "": they are copies."""
    differing = [name for name in _DECISIVE if len({getattr(row, name, None) for row in same}) > 1]
    return f"contradicts another record of the same result in {', '.join(differing)}" if differing else ""


def collect_rows(
    entries: Iterable[Entry],
    to_row: Callable[[Entry], RowT],
    natural_key: Callable[[RowT], tuple[str | None, ...]],
    accounts: defaultdict[str, Parsed[RowT]],
    release: str | None = None,
) -> None:
    """Add one row of each natural key to the accounts, and account for the records that give none.

    Copies of a record count as duplicates; records of one result that contradict each other are all rejected.

    Args:
        entries: upstream records in upstream order.
        to_row: reads one record; raises `Unusable` for one that gives no row.
        natural_key: what identifies the result of a row.
        accounts: by round.
        release: the round of records that cannot be read; None: the one they name, or "".
    """
    by_key: dict[tuple[str | None, ...], list[tuple[Entry, RowT]]] = {}
    for entry in entries:
        try:
            row: RowT = to_row(entry)
        except Unusable as e:
            account = accounts[release or stated_release(entry)]
            account.read()
            account.reject(entry.record, e.problem, payload=entry.member, remedy=e.remedy)
            continue
        accounts[row.release].read()
        by_key.setdefault((row.release, *natural_key(row)), []).append((entry, row))
    for same in by_key.values():
        rows = [pair[1] for pair in same]
        account = accounts[rows[0].release]
        if problem := contradiction(rows):
            for entry, _ in same:
                account.reject(entry.record, problem, payload=entry.member, remedy=UNDECIDED)
        else:
            account.add(rows[0])
            account.duplicates += len(same) - 1


def collection_entries(members: Iterable[tuple[str, bytes]], folder: str) -> Iterator[Entry]:
    """Yield the entries of MLCommons' collection, those under ``all`` last; a file that is no list has no body.

    Args:
        members: (path, bytes) of the collection's files, in any order.
        folder: what the folders of the wanted files have in their names.
    """
    for path, payload in sorted(
        (m for m in members if folder in m[0]), key=lambda m: ("--all--" in m[0], m[0])
    ):
        try:
            document = read_json(payload, path)
        except PayloadRejected as e:
            yield Entry(path, "(whole file)", None, problem=e.problem)
            continue
        if not isinstance(document, list):
            yield Entry(path, "(whole file)", None, problem=f"a {type(document).__name__}, not a list")
            continue
        for i, body in enumerate(document):
            yield Entry(path, f"[{i}]", body)
