"""From upstream's records to rows: one row a result, and an account of every record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from ingest.core.errors import PayloadRejected
from ingest.core.json_document import read_json
from ingest.core.records import Parsed, required
from ingest.mlperf.records import InferenceResult, Unusable
from ingest.mlperf.releases import normalise_release
from ingest.mlperf.training_records import TrainingResult

RowT = TypeVar("RowT", InferenceResult, TrainingResult)

# where a record stands is evidence, not content
_POSITION = frozenset({"member", "record"})


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


def collect_rows(
    entries: Iterable[Entry],
    to_row: Callable[[Entry], RowT],
    natural_key: Callable[[RowT], tuple[str | None, ...]],
    accounts: defaultdict[str, Parsed[RowT]],
    release: str | None = None,
) -> list[RowT]:
    """Return the first row of each natural key, and account for the records that give none.

    Copies of a record count as duplicates when they say the same, and are rejected when they contradict.

    Args:
        entries: upstream records in upstream order.
        to_row: reads one record; raises `Unusable` for one that gives no row.
        natural_key: what identifies the result of a row.
        accounts: by round; the rows themselves are still to be added.
        release: the round of records that cannot be read; None: the one they name, or "".
    """
    firsts: dict[tuple[str | None, ...], tuple[Entry, RowT]] = {}
    for entry in entries:
        try:
            row = to_row(entry)
        except Unusable as e:
            account = accounts[release or stated_release(entry)]
            account.read()
            account.reject(entry.record, e.problem, payload=entry.member, remedy=e.remedy)
            continue
        account = accounts[row.release]
        account.read()
        first, row_of_first = firsts.setdefault(natural_key(row), (entry, row))
        if first is entry:
            continue
        if differing := [
            name
            for name, value in vars(row).items()
            if name not in _POSITION and value != getattr(row_of_first, name)
        ]:
            account.reject(
                entry.record,
                f"contradicts {first.member}{first.record} of the same result in " + ", ".join(differing),
                payload=entry.member,
                remedy="look at both upstream; the first one is kept",
            )
        else:
            account.duplicates += 1
    return [row for _, row in firsts.values()]


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
