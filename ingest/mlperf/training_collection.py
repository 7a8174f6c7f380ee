"""MLCommons' collection of MLPerf Training results, rounds 1.0 to 3.0: official scores without their logs.

Every entry stands under its round and again under ``all`` (checked on all 1,662 entries, 2026-11).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from ingest.core import values
from ingest.core.errors import PayloadRejected, RecordRejected
from ingest.core.json_document import read_json
from ingest.core.records import Parsed, required
from ingest.mlperf.releases import normalise_release
from ingest.mlperf.training_records import TrainingResult
from ingest.mlperf.training_score import benchmark_of_folder, required_runs

_REQUIRED = ("version", "submitter", "system", "Model_ID", "Result", "division")


def parse_training_collection(members: Iterable[tuple[str, bytes]]) -> dict[str, Parsed[TrainingResult]]:
    """Dialect (c) of training: ``experiment/mlperf-training--*/**/cm-result.json``.

    Args:
        members: (path, bytes) of the collection's files, in any order.

    Returns:
        One `Parsed` per round. Copies of an entry count as duplicates; one that says another thing is rejected.
        The rows have a score, and neither runs nor throughput.
    """
    accounts: dict[str, Parsed[TrainingResult]] = defaultdict(Parsed)
    known: dict[tuple[str, ...], TrainingResult] = {}
    ordered = sorted(
        (m for m in members if "mlperf-training--" in m[0]), key=lambda m: ("--all--" in m[0], m[0])
    )
    for path, payload in ordered:
        for record, body in _entries(path, payload):
            row = _to_row(path, record, body)
            account = accounts[row.release if isinstance(row, TrainingResult) else _release_of(body)]
            account.read()
            if isinstance(row, RecordRejected):
                account.rejects.append(row)
                continue
            key = (row.release, row.division or "", row.submitter, row.system, row.benchmark)
            first = known.setdefault(key, row)
            if first is row:
                account.add(row)
            elif first == row:
                account.duplicates += 1
            else:
                account.reject(
                    record,
                    f"contradicts another entry of {'/'.join(key)}",
                    payload=path,
                    remedy="look at both upstream",
                )
    return {of: account.checked(f"training collection {of}") for of, account in accounts.items()}


def _rejected(path: str, record: str, problem: str, remedy: str) -> RecordRejected:
    return RecordRejected(payload=path, record=record, problem=problem, remedy=remedy)


def _entries(path: str, payload: bytes) -> Iterable[tuple[str, Any]]:
    try:
        document = read_json(payload, path)
    except PayloadRejected as e:
        return [("(whole file)", e)]
    if not isinstance(document, list):
        return [("(whole file)", f"a {type(document).__name__}, not a list")]
    return [(f"[{i}]", body) for i, body in enumerate(document)]


def _release_of(body: Any) -> str:
    try:
        return normalise_release(str(body["version"]))
    except (TypeError, KeyError, ValueError):
        return ""


def _to_row(path: str, record: str, body: Any) -> TrainingResult | RecordRejected:
    if not isinstance(body, dict):
        return _rejected(path, record, f"is no entry: {body}", "fetch the collection again")
    if missing := required(body, _REQUIRED):
        return _rejected(path, record, f"lacks {', '.join(missing)}", "look at the entry upstream")
    release = _release_of(body)
    if not release:
        return _rejected(path, record, f"is of {body['version']!r}, no round", "look at the entry upstream")
    minutes, problem = values.measured(body["Result"])
    if minutes is None or str(body.get("Result_Units", "")).strip() != "min.":
        return _rejected(
            path,
            record,
            problem or f"is in {body.get('Result_Units')!r}, not minutes",
            "look at the entry upstream",
        )
    benchmark = benchmark_of_folder(str(body["Model_ID"]).strip())
    accelerators = values.integer(body.get("accelerators_count")) or None
    location = _location(release, str(body.get("details_url") or ""))
    # the file's name distinguishes systems of one description, such as one server under two frameworks
    system = location.rpartition("/")[2].removesuffix(".json") or str(body["system"]).strip()
    return TrainingResult(
        release=release,
        submitter=str(body["submitter"]).strip(),
        system=system,
        benchmark=benchmark,
        location=location,
        minutes=minutes,
        runs_required=required_runs(benchmark),
        division=str(body["division"]).strip().lower(),
        availability_published=values.text(body.get("availability")),
        submitter_published=str(body["submitter"]).strip(),
        system_name=str(body["system"]).strip(),
        total_accelerators=accelerators,
        accelerator_name_published=values.text(body.get("accelerator_model_name")),
        host_processor_name=values.text(body.get("host_processor_model_name")),
        framework=values.text(body.get("framework")),
        notes=values.text(body.get("notes")),
        accelerator_hours=accelerators * minutes / 60 if accelerators else None,
    )


def _location(release: str, details_url: str) -> str:
    """Path inside the round's repository, from the published link to the system's description."""
    _, separator, path = details_url.partition(f"training_results_{release}/blob/")
    return path.partition("/")[2] if separator else ""
