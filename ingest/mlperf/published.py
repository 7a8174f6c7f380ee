"""From published entries (a summary, the collection) to rows: validation, duplicates, power rows.

An upstream dialect is a `Dialect`: which key holds what. Everything after the keys is the same for all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ingest.core import values
from ingest.core.errors import PayloadRejected
from ingest.core.json_document import read_json
from ingest.core.records import Parsed
from ingest.mlperf.entries import (
    Entry,
    collect_rows,
    collection_entries,
    require_object,
)
from ingest.mlperf.records import InferenceResult, Unusable, read_fields
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
# without these an entry is no result of anything
_IDENTITY = (
    "submitter", "division", "suite_published", "platform", "model_published", "benchmark_published",
    "scenario_published", "location", "release",
)  # fmt: skip


@dataclass(frozen=True)
class Dialect:
    """Which upstream key holds which field of `InferenceResult`; fields that a dialect lacks have no key."""

    name: str
    keys: Mapping[str, str]
    provenance_note: str | None = None


_COMMON_KEYS = {
    "availability": "Availability",
    "platform": "Platform",
    "scenario_published": "Scenario",
    "location": "Location",
    "release": "version",
    "accuracy_published": "Accuracy",
    "host_processors_per_node": "host_processors_per_node",
    "host_processor_core_count_published": "host_processor_core_count",
    "operating_system": "operating_system",
    "compliance_published": "compliance",
    "errors_published": "errors",
    "is_inferred_published": "inferred",
    "has_power_published": "has_power",
    "weight_data_types_published": "weight_data_types",
}
SUMMARY_LIST = Dialect(
    "summary_list",
    _COMMON_KEYS
    | {
        "submission_id_published": "ID",
        "submitter": "Submitter",
        "division": "Category",
        "suite_published": "Suite",
        "system_name": "System",
        "model_published": "UsedModel",
        "benchmark_published": "Model",
        "result": "Performance_Result",
        "result_unit_published": "Performance_Units",
        "power": "Power_Result",
        "power_unit_published": "Power_Units",
        "number_of_nodes": "Nodes",
        "accelerators_per_node": "a#",
        "total_accelerators_published": "Total Accelerators",
        "accelerator_name_published": "Accelerator",
        "host_processor_name": "Processor",
        "software": "Software",
        "notes": "Notes",
    },
)
_ENTRY_KEYS = _COMMON_KEYS | {
    "submitter": "Organization",
    "division": "Division",
    "suite_published": "SystemType",
    "system_name": "SystemName",
    # `Model` flips its meaning in v6.1: it is the old `UsedModel`.
    "model_published": "Model",
    "benchmark_published": "MlperfModel",
    "result": "Result",
    "result_unit_published": "Units",
    "number_of_nodes": "number_of_nodes",
    "accelerators_per_node": "accelerators_per_node",
    "accelerator_name_published": "accelerator_model_name",
    "host_processor_name": "host_processor_model_name",
    "software": "framework",
    "notes": "notes",
}
SUMMARY_DICT = Dialect("summary_dict", _ENTRY_KEYS | {"total_accelerators_published": "total_accelerators"})
COLLECTION = Dialect(
    "collection", _ENTRY_KEYS | {"power": "Result_Power", "power_unit_published": "Result_Power_Units"}
)


def _to_row(entry: Entry, dialect: Dialect, release: str | None) -> InferenceResult:
    """Return the entry as a row. A power record's result is its power.

    Raises:
        Unusable: it names no result, is of another round than `release`, or a figure is not finite and above zero.
    """
    keys = dialect.keys
    body = require_object(entry, (keys[name] for name in _IDENTITY))
    try:
        own_release = normalise_release(str(body[keys["release"]]))
    except ValueError as e:
        raise Unusable(str(e), "look at the entry's version upstream") from e
    if release is not None and own_release != release:
        raise Unusable(f"is of {own_release}, not {release}", "fetch it as the release it belongs to")
    division, suite = str(body[keys["division"]]).lower(), str(body[keys["suite_published"]]).lower()
    suite = suite.replace(" ", "")
    if division not in DIVISIONS or suite not in (*SUITES, *DUAL_SUITES):
        raise Unusable(f"division {division!r} or suite {suite!r} is unknown")
    read = {"provenance_note": dialect.provenance_note} | read_fields(InferenceResult, body, keys)
    location = clean_location(read["location"])
    return InferenceResult(
        **{"tokens_per_sample": values.tokens_per_sample(read.get("accuracy_published"))}
        | read
        | _figures(body, keys)
        | {
            "release": own_release,
            "dialect": dialect.name,
            "member": entry.member,
            "record": entry.record,
            "division": division,
            "suite_published": suite,
            "availability": (read.get("availability") or "").lower() or None,
            "scenario": scenario_or_unmapped(read["scenario_published"]),
            "location": location,
            "accelerators_per_node_published": values.text(body.get(keys["accelerators_per_node"])),
            "source_url": result_url(own_release, location),
        }
    )


def _figures(body: Mapping[str, Any], keys: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a row that an entry measures. A power record's result is its power.

    Raises:
        Unusable: there is no result, or a figure is not finite and above zero.
    """
    unit, published = values.text(body.get(keys["result_unit_published"])), body.get(keys["result"])
    of_power = body.get(keys.get("power", ""))
    if is_power := unit in POWER_UNITS:
        # v4.0 and v4.1 of the collection put the figure under Result_Power, v6.1 under Result.
        result, problem = values.measured(of_power if of_power is not None else published)
        power = result
    else:
        if keys["result"] not in body:
            raise Unusable(
                f"has no {keys['result']}", "look at the entry upstream; without it there is no result"
            )
        power = values.number(of_power)
        result, problem = values.measured(published)
        if problem is None and power is not None and power <= 0:
            problem = f"power is {power!r}"
    if problem:
        raise Unusable(problem, "look at the log in the release's tree; results are finite and above zero")
    power_unit = unit if is_power else values.text(body.get(keys.get("power_unit_published", "")))
    return {
        "result": result,
        "result_published": str(published),
        "power": power,
        "power_unit_published": power_unit if power is not None else None,
    }


def natural_key(row: InferenceResult) -> tuple[str | None, ...]:
    """Return what identifies a result of a round."""
    return (
        row.division, row.suite_published, row.submitter, row.platform,
        row.model_published, row.scenario,
    )  # fmt: skip


def parse_entries(
    entries: Iterable[Entry], dialect: Dialect, *, release: str | None = None
) -> dict[str, Parsed[InferenceResult]]:
    """Rows and rejects by release.

    Power records are merged into the performance record of the same natural key (division, suite, submitter,
    platform, model, scenario), and rejected when there is none. Copies: see `collect_rows`.

    Args:
        entries: upstream records in upstream order.
        dialect: which key holds what.
        release: the round all entries must be of; None for a payload of many rounds.

    Returns:
        One `Parsed` per release found; records of no readable release stand under ``release`` or ``""``.
    """
    accounts: defaultdict[str, Parsed[InferenceResult]] = defaultdict(
        lambda: Parsed(payload=dialect.name, remedy="look at the entry upstream")
    )
    collect_rows(
        entries,
        lambda entry: _to_row(entry, dialect, release),
        lambda row: (*natural_key(row), str(row.result_unit_published in POWER_UNITS)),
        accounts,
        release,
    )
    for account in accounts.values():
        _merge_power(account)
    return {of: account.checked(f"{dialect.name} {of}") for of, account in accounts.items()}


def _merge_power(account: Parsed[InferenceResult]) -> None:
    """Merge the power records of a round into the results that they belong to."""
    readings = [row for row in account.rows if row.result_unit_published in POWER_UNITS]
    performance = {
        natural_key(row): row for row in account.rows if row.result_unit_published not in POWER_UNITS
    }
    for watts in readings:
        key = natural_key(watts)
        row = performance.get(key)
        figure: dict[str, Any] = {"power": watts.power, "power_unit_published": watts.power_unit_published}
        if row is None:
            account.reject(
                watts.record,
                "is a power reading without a result of the same system, model and scenario",
                payload=watts.member,
                remedy="look for the performance entry upstream",
            )
        elif row.power is not None and row != replace(row, **figure):
            account.reject(
                watts.record,
                f"contradicts {row.member}{row.record} of the same result in power",
                payload=watts.member,
                remedy="look at both upstream; the power stated with the result is kept",
            )
        else:
            account.merged += 1
            performance[key] = replace(row, **figure)
    account.rows = [*performance.values()]


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
        dialect, records = SUMMARY_LIST, [*enumerate(document)]
    elif isinstance(document, dict):
        # Keys are "0", "1", … with gaps: never to be treated as an array.
        dialect, records = SUMMARY_DICT, [*document.items()]
    else:
        raise PayloadRejected(
            payload=where,
            problem=f"holds a {type(document).__name__}, not a list or object of results",
            remedy="check that it is the round's summary_results.json or summary.json",
        )
    entries = (Entry(where, f"[{key!r}]", body) for key, body in records)
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
