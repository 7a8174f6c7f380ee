"""MLCommons' collection of MLPerf Training results, rounds 1.0 to 3.0: official scores without their logs.

Every entry stands under its round and again under ``all`` (checked on all 1,662 entries, 2026-11).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from ingest.core import values
from ingest.core.errors import RecordRejected
from ingest.core.records import Parsed, required
from ingest.mlperf.published import Entry, collection_entries, stated_release
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
    for entry in collection_entries(members, "mlperf-training--"):
        row = _to_row(entry)
        account = accounts[row.release if isinstance(row, TrainingResult) else stated_release(entry)]
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
                entry.record,
                f"contradicts another entry of {'/'.join(key)}",
                payload=entry.member,
                remedy="look at both upstream",
            )
    return {of: account.checked(f"training collection {of}") for of, account in accounts.items()}


def _to_row(entry: Entry) -> TrainingResult | RecordRejected:
    def reject(problem: str, remedy: str = "look at the entry upstream") -> RecordRejected:
        return RecordRejected(payload=entry.member, record=entry.record, problem=problem, remedy=remedy)

    body = entry.body
    if not isinstance(body, dict):
        return reject(f"is no entry: {entry.problem or body}", "fetch the collection again")
    if missing := required(body, _REQUIRED):
        return reject(f"lacks {', '.join(missing)}")
    release = stated_release(entry)
    if not release:
        return reject(f"is of {body['version']!r}, no round")
    minutes, problem = values.measured(body["Result"])
    if minutes is None or str(body.get("Result_Units", "")).strip() != "min.":
        return reject(problem or f"is in {body.get('Result_Units')!r}, not minutes")
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
