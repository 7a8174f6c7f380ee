"""Fetch every source once and compare its payload with the last known form. Nothing is landed or built."""

from __future__ import annotations

import csv
import io
import json
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, BinaryIO, Literal

import pyarrow.parquet as pq

from accelmart.http import HttpClient, NoAnswer
from accelmart.urls import public_url
from ingest.core.errors import AccelmartError, FetchFailed, LayoutChanged
from ingest.core.fetch import fetch_payload
from ingest.core.fetch_plan import Fetch
from ingest.core.landing import Landing
from ingest.core.payload import Payload
from ingest.core.payloads import members_of
from ingest.core.source import Source, plan_of
from ingest.mlperf.discovery import State, discover
from ingest.prices.dated import stream_of
from ingest.registry import LIST_SOURCES
from warehouse.inputs.active import INFERENCE_SOURCES, TRAINING_SOURCES, known_rounds
from warehouse.inputs.raw import RECORDS, read_parts
from warehouse.storage.home import SNAPSHOT_DIR, Home

DISCOVERY = "mlperf-discovery"
Outcome = Literal["ok", "changed", "failed", "skipped"]
# field names are read from the first lines of a table, or from a whole JSON document of up to this size
_HEAD_BYTES = 16 << 20
_ITEMS_READ = 200
# an object with more keys than this is a map from names to records, not a record
_RECORD_KEYS_MAX = 60
_HEADER_LINES = 20
_SHOWN = 3
# not part of the form: bundled rows have these columns, fetched rows do not
_NO_FORM = frozenset({"observed_at", "observed_precision"})
# exceptions that a fetch, or a parser on malformed input, may raise; they are reported
_PROBLEMS = (AccelmartError, OSError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
_KEPT_IN_QUARANTINE = "; the payload is kept as"  # the message of `ingest.core`


@dataclass(frozen=True)
class SourceCheck:
    """Result of checking one source.

    Args:
        source: registered source, or ``mlperf-discovery``.
        outcome: ``ok``; ``changed``: rows were parsed and their form differs; ``failed``; ``skipped``: not fetched.
        is_reached: whether upstream answered.
        is_recognised: whether the parser could read the payload.
        rows: number of parsed rows; for the discovery, of listed result repositories.
        rows_before: rows of the last known payloads of the same keys; None if there are none.
        difference: change since the last known form, or the reason why it failed or was skipped.
        seconds: duration.
    """

    source: str
    outcome: Outcome
    is_reached: bool
    is_recognised: bool
    rows: int | None
    rows_before: int | None
    difference: str
    seconds: float


@dataclass(frozen=True)
class Form:
    """The columns and upstream fields of a payload.

    Args:
        rows: number of parsed rows.
        columns: our columns that have a value in at least one row.
        upstream: upstream's field names: header of a table, paths in JSON; None if the payload has none.
    """

    rows: int
    columns: frozenset[str]
    upstream: frozenset[str] | None = None


def check_source(
    home: Home, environment: Mapping[str, str], client: HttpClient, source: Source
) -> SourceCheck:
    """Fetch a source into a temporary landing zone and compare. Several may be checked at once.

    Args:
        home: holds the last known payloads; only read.
        environment: holds the API keys.
        client: HTTP client.
        source: of price lists, specifications or exchange rates.
    """
    fetches, reason = plan_of(source, environment)
    if reason is not None:
        if missing := [name for name in source.needs if not environment.get(name, "").strip()]:
            reason = source.needs_because or f"no key: set {' and '.join(missing)}"
        return SourceCheck(source.name, "skipped", False, False, None, None, reason, 0.0)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="accelmart-check-") as folder:
        checked = _check_lists(home, source, fetches, client, Landing(folder))
    return SourceCheck(source.name, *checked, seconds=round(time.monotonic() - started, 1))


def check_discovery(home: Home, client: HttpClient, token: str = "") -> SourceCheck:
    """Ask for the list of MLCommons' repositories once, without asking for their commits.

    Args:
        home: holds the rounds that are known.
        client: to ask with.
        token: of GitHub; empty is none.
    """
    started = time.monotonic()
    known = {("mlperf-inference", r) for r in known_rounds(home, *INFERENCE_SOURCES)}
    known |= {("mlperf-training", r) for r in known_rounds(home, *TRAINING_SOURCES)}
    try:
        listed = discover(client, State(), token=token, budget_seconds=0.0).state.releases
    except AccelmartError as e:
        seconds = round(time.monotonic() - started, 1)
        is_reached = not isinstance(e, NoAnswer)
        return SourceCheck(DISCOVERY, "failed", is_reached, False, None, None, problem_of(e), seconds)
    new = [f"{source} {release}" for source, release in listed if (source, release) not in known]
    words = f"not landed: {_shown(new)}" if new else "every round is landed or bundled"
    outcome: Outcome = "ok" if listed else "failed"
    return SourceCheck(
        DISCOVERY,
        outcome,
        True,
        bool(listed),
        len(listed),
        len(known),
        words if listed else "the list names no result repository",
        round(time.monotonic() - started, 1),
    )


def problem_of(error: Exception) -> str:
    """Return the problem of an error, without its remedy and without the path of a payload that is not kept."""
    if isinstance(error, LayoutChanged):
        return f"layout changed: {error.expected} is missing"
    if isinstance(error, AccelmartError) and hasattr(error, "problem"):
        return str(error.problem).partition(_KEPT_IN_QUARANTINE)[0]
    words = public_url(str(error))
    return words if isinstance(error, AccelmartError) else f"{type(error).__name__}: {words}"


def _check_lists(
    home: Home, source: Source, fetches: list[Fetch], client: HttpClient, landing: Landing
) -> tuple[Outcome, bool, bool, int | None, int | None, str]:
    """Return (outcome, is_reached, is_recognised, rows, rows_before, difference) of `SourceCheck`."""
    problems: list[tuple[str, Exception]] = []
    rows, before, is_known = 0, 0, False
    notes: list[str] = []
    read = 0
    for fetch in fetches:
        try:
            payload, _ = fetch_payload(landing, source, fetch, client)
            now = form_of(landing, source, payload)
        except _PROBLEMS as error:
            problems.append((fetch.key, error))
            if isinstance(error, NoAnswer):
                break  # nor will it answer for the next list
            continue
        read += 1
        rows += now.rows
        last = last_form(home, source, fetch.key)
        if last is not None:
            is_known = True
            before += last.rows
            notes += _differences(last, now)
    known = before if is_known else None
    if problems:
        key, first = problems[0]
        count = f" ({len(fetches) - read} of {len(fetches)} lists, first {key})" if len(fetches) > 1 else ""
        is_reached = any(not isinstance(e, NoAnswer) for _, e in problems) or read > 0
        is_recognised = all(isinstance(e, FetchFailed) for _, e in problems) and read > 0
        return "failed", is_reached, is_recognised, rows, known, problem_of(first) + count
    if notes:
        return "changed", True, True, rows, known, "; ".join(dict.fromkeys(notes))
    return "ok", True, True, rows, known, "same form" if is_known else "nothing to compare with"


def form_of(landing: Landing, source: Source, payload: Payload) -> Form:
    """Return the form of a stored payload.

    Raises:
        AccelmartError: the payload is damaged, or its parser cannot read it.
    """
    with members_of(landing, source, payload) as members:
        parsed = source.rows(members, key=payload.key).rows
    with members_of(landing, source, payload) as members:
        upstream = upstream_fields(members)
    return Form(len(parsed), _filled(parsed), upstream)


def last_form(home: Home, source: Source, key: str) -> Form | None:
    """Return the form of the newest landed payload of a key, else of its bundled payload, else None."""
    landing = Landing(home.landing_url)
    payload = landing.latest(source.name, key)
    if payload is not None:
        try:
            return form_of(landing, source, payload)
        except _PROBLEMS:  # unreadable
            return None
    return _bundled_form(source.name, key)


def _bundled_form(source: str, key: str) -> Form | None:
    same = [p for p in read_parts(SNAPSHOT_DIR, source) if stream_of(p.provenance.payload_key) == key]
    if not same:
        return None
    part = same[-1]
    rows = pq.read_table(part.path(part.record_table))
    names = [f.name for f in fields(RECORDS[part.record_table])]
    filled = {n for n in names if n in rows.column_names and rows.column(n).null_count < len(rows)}
    return Form(len(rows), frozenset(filled) - _NO_FORM)


def _filled(rows: Iterable[Any]) -> frozenset[str]:
    names: set[str] = set()
    for row in rows:
        names |= {f.name for f in fields(row) if getattr(row, f.name) is not None}
    return frozenset(names) - _NO_FORM


def _differences(last: Form, now: Form) -> Iterator[str]:
    pairs = [("column", last.columns, now.columns)]
    if last.upstream is not None and now.upstream is not None:
        pairs.insert(0, ("upstream field", last.upstream, now.upstream))
    for what, before, after in pairs:
        if gone := sorted(before - after):
            yield f"{what} removed: {_shown(gone)}"
        if new := sorted(after - before):
            yield f"{what} added: {_shown(new)}"


def _shown(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def upstream_fields(members: Iterable[tuple[str, BinaryIO]]) -> frozenset[str] | None:
    """Return upstream's field names over all members of a payload.

    Args:
        members: (name, open file) pairs of `members_of`.

    Returns:
        Paths such as ``items[].price`` for JSON, column names for a delimited table; None for other formats.
    """
    names: set[str] = set()
    for _, file in members:
        head = file.read(_HEAD_BYTES)
        start = head.lstrip(b"\xef\xbb\xbf \r\n\t")[:1]
        if start in (b"{", b"["):
            try:
                names |= set(_paths(json.loads(head), ""))
            except ValueError:
                continue  # longer than `_HEAD_BYTES`, or not JSON
        elif start != b"<" and b"\0" not in head[:_HEADER_LINES]:
            names |= _header(head)
    return frozenset(names) or None


def _paths(node: Any, at: str) -> Iterator[str]:
    if isinstance(node, list):
        for item in node[:_ITEMS_READ]:
            yield from _paths(item, f"{at}[]")
    elif isinstance(node, dict):
        is_map = len(node) > _RECORD_KEYS_MAX
        for name, value in list(node.items())[: _ITEMS_READ if is_map else None]:
            path = f"{at}.*" if is_map else f"{at}.{name}".lstrip(".")
            yield path
            yield from _paths(value, path)


def _header(head: bytes) -> set[str]:
    lines = head.decode("utf-8", "replace").splitlines()[:_HEADER_LINES]
    rows = list(csv.reader(io.StringIO("\n".join(lines))))
    # notes may precede the header: it is the first row with the most cells
    widest = max((len(row) for row in rows), default=0)
    return set(next(row for row in rows if len(row) == widest)) - {""} if widest > 2 else set()


def registered(names: Iterable[str]) -> list[Source]:
    """Return the sources with these names; without names, every source that is fetched or needs a key to be fetched."""
    chosen = list(names)
    if chosen:
        return [LIST_SOURCES[name] for name in chosen]
    return [s for s in LIST_SOURCES.values() if s.needs or s.plan(dict.fromkeys(s.needs, "key"))]
