"""MLCommons' collection of MLPerf Training results, rounds 1.0 to 3.0: official scores without their logs.

Every entry stands under its round and again under ``all`` (checked on all 1,662 entries, 2026-11).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from ingest.core import values
from ingest.core.records import Parsed
from ingest.mlperf.entries import (
    Entry,
    collect_rows,
    collection_entries,
    require_object,
    stated_release,
)
from ingest.mlperf.records import Unusable, read_fields
from ingest.mlperf.training_records import TrainingResult
from ingest.mlperf.training_score import benchmark_of_folder, required_runs

_REQUIRED = ("version", "submitter", "system", "Model_ID", "Result", "division")
_KEYS = {
    "submitter": "submitter",
    "submitter_published": "submitter",
    "system_name": "system",
    "availability_published": "availability",
    "accelerator_name_published": "accelerator_model_name",
    "host_processor_name": "host_processor_model_name",
    "framework": "framework",
    "notes": "notes",
}


def parse_training_collection(members: Iterable[tuple[str, bytes]]) -> dict[str, Parsed[TrainingResult]]:
    """Dialect (c) of training: ``experiment/mlperf-training--*/**/cm-result.json``.

    Args:
        members: (path, bytes) of the collection's files, in any order.

    Returns:
        One `Parsed` per round. Copies of an entry count as duplicates; those that contradict each other are rejected.
        The rows have a score, and neither runs nor throughput.
    """
    accounts: defaultdict[str, Parsed[TrainingResult]] = defaultdict(
        lambda: Parsed(remedy="look at the entry upstream")
    )
    collect_rows(
        collection_entries(members, "mlperf-training--"),
        _to_row,
        lambda row: (row.division, row.submitter, row.system, row.benchmark),
        accounts,
    )
    return {of: account.checked(f"training collection {of}") for of, account in accounts.items()}


def _to_row(entry: Entry) -> TrainingResult:
    """Return the entry as a row.

    Raises:
        Unusable: it names no result, or has no score in minutes.
    """
    body = require_object(entry, _REQUIRED)
    release = stated_release(entry)
    if not release:
        raise Unusable(f"is of {body['version']!r}, no round")
    minutes, problem = values.measured(body["Result"])
    if minutes is None or str(body.get("Result_Units", "")).strip() != "min.":
        raise Unusable(problem or f"is in {body.get('Result_Units')!r}, not minutes")
    benchmark = benchmark_of_folder(str(body["Model_ID"]).strip())
    accelerators = values.integer(body.get("accelerators_count")) or None
    # path inside the round's repository, from the published link to the system's description
    _, _, path = str(body.get("details_url") or "").partition(f"training_results_{release}/blob/")
    location = path.partition("/")[2]
    return TrainingResult(
        **read_fields(TrainingResult, body, _KEYS),
        release=release,
        # the file's name distinguishes systems of one description, such as one server under two frameworks
        system=location.rpartition("/")[2].removesuffix(".json") or values.words(body["system"]),
        benchmark=benchmark,
        location=location,
        minutes=minutes,
        runs_required=required_runs(benchmark),
        division=str(body["division"]).strip().lower(),
        total_accelerators=accelerators,
        accelerator_hours=accelerators * minutes / 60 if accelerators else None,
    )
