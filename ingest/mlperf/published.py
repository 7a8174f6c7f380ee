"""From published entries (a summary, the collection) to rows: validation, duplicates, power rows.

An upstream dialect is a `Dialect`: which key holds what. Everything after the keys is the same for all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from ingest.core import values
from ingest.core.errors import PayloadRejected, RecordRejected
from ingest.core.json_document import read_json
from ingest.core.records import Parsed, required
from ingest.mlperf.records import InferenceResult
from ingest.mlperf.releases import (
    DIVISIONS,
    DUAL_SUITES,
    SUITES,
    clean_location,
    normalise_release,
    result_url,
    scenario_or_unmapped,
)

POWER_UNITS = ("Watts", "millijoules")


@dataclass(frozen=True)
class Dialect:
    """Which upstream key holds which of our fields. An empty name means the dialect has no such key."""

    name: str
    submitter: str
    division: str
    suite: str
    system_name: str
    used_model: str  # the folder's name, any net in the open division
    benchmark: str  # MLCommons' model key
    result: str
    units: str
    nodes: str
    per_node: str
    accelerator: str
    processor: str
    software: str
    notes: str
    power: str = ""
    power_units: str = ""
    submission_id: str = ""
    total_accelerators: tuple[str, ...] = ()
    mean_tokens: str = ""  # tokens per sample as a column of its own, not inside of `Accuracy`
    provenance_note: str | None = None

    @property
    def required_keys(self) -> tuple[str, ...]:
        """Keys without which an entry is no result of anything."""
        return (
            self.submitter, self.division, self.suite, "Platform", self.used_model, self.benchmark,
            "Scenario", "Location", "version",
        )  # fmt: skip


SUMMARY_LIST = Dialect(
    name="summary_list",
    submitter="Submitter",
    division="Category",
    suite="Suite",
    system_name="System",
    used_model="UsedModel",
    benchmark="Model",
    result="Performance_Result",
    units="Performance_Units",
    nodes="Nodes",
    per_node="a#",
    accelerator="Accelerator",
    processor="Processor",
    software="Software",
    notes="Notes",
    power="Power_Result",
    power_units="Power_Units",
    submission_id="ID",
    total_accelerators=("Total Accelerators",),
)
# `Model` flips its meaning in v6.1: it is the old `UsedModel`.
SUMMARY_DICT = Dialect(
    name="summary_dict",
    submitter="Organization",
    division="Division",
    suite="SystemType",
    system_name="SystemName",
    used_model="Model",
    benchmark="MlperfModel",
    result="Result",
    units="Units",
    nodes="number_of_nodes",
    per_node="accelerators_per_node",
    accelerator="accelerator_model_name",
    processor="host_processor_model_name",
    software="framework",
    notes="notes",
    total_accelerators=("total_accelerators",),
)
SUMMARY_CSV = replace(SUMMARY_DICT, name="summary_csv")
SUMMARY_CORE = replace(
    SUMMARY_DICT,
    name="summary_core",
    mean_tokens="TokensPerSample",
    provenance_note="copied from summary.csv, chosen columns",
)
COLLECTION = replace(
    SUMMARY_DICT,
    name="collection",
    power="Result_Power",
    power_units="Result_Power_Units",
    total_accelerators=(),
)


@dataclass(frozen=True)
class Entry:
    """One upstream record and where it stands."""

    member: str
    record: str
    body: Any
    problem: str | None = None  # why there is no body to read


def _scalar(entry: Mapping[str, Any], key: str) -> str | None:
    return values.text(entry.get(key)) if key else None


class _Unusable(ValueError):
    """Why an entry gives no row, and what to do about it."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.problem, self.remedy = problem, remedy


@dataclass(frozen=True)
class _Figures:
    """What an entry measures. A power record has ``nan`` for its result."""

    result: float
    unit: str | None
    power: float | None
    power_unit: str | None


def _to_row(entry: Entry, dialect: Dialect, release: str | None) -> InferenceResult | RecordRejected:
    """Return the entry as a row, or why it gives none. A power record's result is ``nan`` until it is merged."""
    try:
        own_release = _release_of(entry, dialect, release)
        return _row(entry, dialect, own_release, _figures(entry.body, dialect))
    except _Unusable as e:
        return RecordRejected(
            payload=entry.member or dialect.name, record=entry.record, problem=e.problem, remedy=e.remedy
        )


def _release_of(entry: Entry, dialect: Dialect, release: str | None) -> str:
    """Return the round of an entry that identifies a result.

    Raises:
        _Unusable: it cannot be read, lacks a name of the result, or is of another round than `release`.
    """
    body = entry.body
    if entry.problem:
        raise _Unusable(
            entry.problem, "fetch the collection again; if it stays so, the file is damaged upstream"
        )
    if not isinstance(body, dict):
        raise _Unusable(f"is a {type(body).__name__}, not an object", "look at the upstream file")
    if missing := required(body, dialect.required_keys):
        raise _Unusable(f"lacks {', '.join(missing)}", "look at the entry upstream; it names no result")
    try:
        own_release = normalise_release(str(body["version"]))
    except ValueError as e:
        raise _Unusable(str(e), "look at the entry's version upstream") from e
    if release is not None and own_release != release:
        raise _Unusable(f"is of {own_release}, not {release}", "fetch it as the release it belongs to")
    division, suite = _division_and_suite(body, dialect)
    if division not in DIVISIONS or suite not in (*SUITES, *DUAL_SUITES):
        raise _Unusable(f"division {division!r} or suite {suite!r} is unknown", "look at the entry upstream")
    return own_release


def _division_and_suite(body: Mapping[str, Any], dialect: Dialect) -> tuple[str, str]:
    return str(body[dialect.division]).lower(), str(body[dialect.suite]).lower().replace(" ", "")


def _figures(body: Mapping[str, Any], dialect: Dialect) -> _Figures:
    """Return result and power of an entry.

    Raises:
        _Unusable: there is no result, or a figure is not finite and above zero.
    """
    unit, power_unit = _scalar(body, dialect.units), _scalar(body, dialect.power_units)
    if unit in POWER_UNITS:
        # v4.0 and v4.1 of the collection put the figure under Result_Power, v6.1 under Result.
        watts = body.get(dialect.power) if dialect.power else None
        power, problem = values.measured(watts if watts is not None else body.get(dialect.result))
        power_unit, measured = unit, None
    else:
        power = values.number(body.get(dialect.power))
        if dialect.result not in body:
            raise _Unusable(
                f"has no {dialect.result}", "look at the entry upstream; without it there is no result"
            )
        measured, problem = values.measured(body[dialect.result])
        if problem is None and power is not None and power <= 0:
            problem = f"power is {power!r}"
    if problem:
        raise _Unusable(problem, "look at the log in the release's tree; results are finite and above zero")
    return _Figures(
        result=float("nan") if measured is None else measured,
        unit=unit,
        power=power,
        power_unit=power_unit if power is not None else None,
    )


def _row(entry: Entry, dialect: Dialect, release: str, figures: _Figures) -> InferenceResult:
    """Return the row of an entry that was found usable."""
    body = entry.body
    division, suite = _division_and_suite(body, dialect)
    location = clean_location(values.words(body["Location"]))
    accuracy = _scalar(body, "Accuracy")
    totals = (values.integer(body.get(key)) for key in dialect.total_accelerators)
    return InferenceResult(
        release=release,
        dialect=dialect.name,
        member=entry.member,
        record=entry.record,
        submission_id_published=_scalar(body, dialect.submission_id),
        submitter=values.words(body[dialect.submitter]),
        availability=(_scalar(body, "Availability") or "").lower() or None,
        division=division,
        suite_published=suite,
        system_name=_scalar(body, dialect.system_name),
        platform=values.words(body["Platform"]),
        model_published=values.words(body[dialect.used_model]),
        benchmark_published=values.words(body[dialect.benchmark]),
        scenario=scenario_or_unmapped(values.words(body["Scenario"])),
        scenario_published=values.words(body["Scenario"]),
        location=location,
        result=figures.result,
        result_published=str(body.get(dialect.result)),
        result_unit_published=figures.unit,
        power=figures.power,
        power_unit_published=figures.power_unit,
        accuracy_published=accuracy,
        tokens_per_sample=values.number(body.get(dialect.mean_tokens))
        if dialect.mean_tokens
        else values.tokens_per_sample(accuracy),
        number_of_nodes=values.integer(body.get(dialect.nodes)),
        accelerators_per_node=values.integer(body.get(dialect.per_node)),
        accelerators_per_node_published=_scalar(body, dialect.per_node),
        total_accelerators_published=next((n for n in totals if n is not None), None),
        accelerator_name_published=_scalar(body, dialect.accelerator),
        host_processor_name=_scalar(body, dialect.processor),
        host_processors_per_node=values.integer(body.get("host_processors_per_node")),
        host_processor_core_count_published=_scalar(body, "host_processor_core_count"),
        software=_scalar(body, dialect.software),
        operating_system=_scalar(body, "operating_system"),
        notes=_scalar(body, dialect.notes),
        compliance_published=_scalar(body, "compliance"),
        errors_published=_scalar(body, "errors"),
        is_inferred_published=values.flag(body.get("inferred")),
        has_power_published=values.flag(body.get("has_power")),
        weight_data_types_published=_scalar(body, "weight_data_types"),
        provenance_note=dialect.provenance_note,
        source_url=result_url(release, location),
    )


def _natural_key(row: InferenceResult) -> tuple[str, ...]:
    return (
        row.release, row.division, row.suite_published or "", row.submitter, row.platform,
        row.model_published, row.scenario,
    )  # fmt: skip


# Where a record stands is evidence, not content. What the collection adds of its own (a random id, a derived
# ratio, a link) is no field and so never makes two copies differ.
_POSITION = frozenset({"member", "record"})
_CONTENT = [f.name for f in fields(InferenceResult) if f.name not in _POSITION]


def _differing_fields(a: InferenceResult, b: InferenceResult) -> list[str]:
    """Return the fields in which two copies of one entry differ (nan equals nan)."""
    return [
        name
        for name in _CONTENT
        if (x := getattr(a, name)) != (y := getattr(b, name)) and not (x != x and y != y)
    ]


def parse_entries(
    entries: Iterable[Entry], dialect: Dialect, *, release: str | None = None
) -> dict[str, Parsed[InferenceResult]]:
    """Rows and rejects by release.

    Copies of an entry count as duplicates when they say the same, and are rejected when they contradict;
    power records are merged into the performance record of the same natural key (round, division, suite,
    submitter, platform, model, scenario), and rejected when there is none.

    Args:
        entries: upstream records in upstream order.
        dialect: which key holds what.
        release: the round all entries must be of; None for a payload of many rounds.

    Returns:
        One `Parsed` per release found; records of no readable release stand under ``release`` or ``""``.
    """
    accounts: dict[str, Parsed[InferenceResult]] = defaultdict(lambda: Parsed(payload=dialect.name))
    performance: dict[tuple[str, ...], InferenceResult] = {}
    power: dict[tuple[str, ...], InferenceResult] = {}
    for entry in entries:
        row = _to_row(entry, dialect, release)
        if isinstance(row, RecordRejected):
            account = accounts[release or stated_release(entry)]
            account.read()
            account.rejects.append(row)
            continue
        account = accounts[row.release]
        account.read()
        kind = power if row.result_unit_published in POWER_UNITS else performance
        first = kind.setdefault(_natural_key(row), row)
        if first is row:
            continue
        if differing := _differing_fields(first, row):
            account.reject(
                row.record,
                f"contradicts {first.member}{first.record} of the same result in " + ", ".join(differing),
                payload=row.member,
                remedy="look at both upstream; the first one is kept",
            )
        else:
            account.duplicates += 1
    for key, watts in power.items():
        performance |= _merged_power(key, watts, performance.get(key), accounts[watts.release])
    for row in performance.values():
        accounts[row.release].add(row)
    return {of: account.checked(f"{dialect.name} {of}") for of, account in accounts.items()}


def stated_release(entry: Entry) -> str:
    """Return the round that an entry names; empty where it names none."""
    stated = str(entry.body.get("version", "")) if isinstance(entry.body, dict) else ""
    try:
        return normalise_release(stated)
    except ValueError:
        return ""


def _merged_power(
    key: tuple[str, ...],
    watts: InferenceResult,
    row: InferenceResult | None,
    account: Parsed[InferenceResult],
) -> dict[tuple[str, ...], InferenceResult]:
    """Return the performance row with the power of its power record; nothing where the record is rejected."""
    if row is None:
        account.reject(
            watts.record,
            "is a power reading without a result of the same system, model and scenario",
            payload=watts.member,
            remedy="look for the performance entry upstream",
        )
        return {}
    if row.power is not None and (row.power, row.power_unit_published) != (
        watts.power,
        watts.power_unit_published,
    ):
        account.reject(
            watts.record,
            f"contradicts {row.member}{row.record} of the same result in power",
            payload=watts.member,
            remedy="look at both upstream; the power stated with the result is kept",
        )
        return {}
    account.merged += 1
    return {key: replace(row, power=watts.power, power_unit_published=watts.power_unit_published)}


def parse_summary(payload: bytes, *, where: str, release: str) -> Parsed[InferenceResult]:
    """Dialects (a) and (b): ``summary_results.json`` (a list) or ``summary.json`` (an object of entries).

    Args:
        payload: the file's bytes.
        where: its name, for messages.
        release: the round it was fetched as; entries of another round are rejected.

    Raises:
        PayloadRejected: the file is not JSON, or neither a list nor an object of entries.
    """
    document = read_json(payload, where)
    if isinstance(document, list):
        entries = (Entry(where, f"[{i}]", body) for i, body in enumerate(document))
        dialect = SUMMARY_LIST
    elif isinstance(document, dict):
        # Keys are "0", "1", … with gaps: never to be treated as an array.
        entries = (Entry(where, f"[{key!r}]", body) for key, body in document.items())
        dialect = SUMMARY_DICT
    else:
        raise PayloadRejected(
            payload=where,
            problem=f"holds a {type(document).__name__}, not a list or object of results",
            remedy="check that it is the round's summary_results.json or summary.json",
        )
    return parse_entries(entries, dialect, release=release).get(release, Parsed())


def parse_collection(members: Iterable[tuple[str, bytes]]) -> dict[str, Parsed[InferenceResult]]:
    """Dialect (c): MLCommons' collection ``experiment/mlperf-inference--*/**/cm-result.json``.

    Every entry stands under its version and, mostly, again under ``all``; files of the version come first
    so that evidence points there. A file that is not JSON is one reject.

    Args:
        members: (path, bytes) of the collection's files, in any order.

    Returns:
        One `Parsed` per inference round.
    """
    return parse_entries(collection_entries(members, "mlperf-inference--"), COLLECTION)


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
