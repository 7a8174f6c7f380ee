"""Results of dbt tests as asset checks: a warning states how many of its rows the published warehouse did not have.

Dagster keeps every result for ever, and stores it four times: one that passed has no metadata but its duration.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

import dagster as dg

from warehouse.build_folder import Build
from warehouse.outcome import BuildWarning, warnings_of

_DURATION = "Execution Duration"


def count_new_rows(events: Iterable[Any], build: Build, before: Collection[BuildWarning]) -> Iterator[Any]:
    """Yield the events of dbt; tests that warned come last, with ``n_rows`` and ``n_new`` as metadata.

    Args:
        events: from `DbtCliInvocation.stream`. dbt holds the database until they end.
        build: what dbt builds.
        before: warnings of the published generation.
    """
    warned: list[dg.AssetCheckResult] = []
    for event in events:
        if not isinstance(event, dg.AssetCheckResult):
            yield event
        elif event.passed:
            yield _without_ids(event)
        elif event.severity == dg.AssetCheckSeverity.WARN:
            warned.append(event)
        else:
            yield event
    known = {(w.check, w.subject) for w in before}
    warnings = warnings_of(build) if warned else []
    for result in warned:
        rows = [w for w in warnings if w.check == result.check_name]
        new = [w for w in rows if (w.check, w.subject) not in known]
        yield dg.AssetCheckResult(
            passed=False,
            severity=result.severity,
            asset_key=result.asset_key,
            check_name=result.check_name,
            metadata={**result.metadata, "n_rows": len(rows), "n_new": len(new)},
            description="; ".join(w.words for w in new) or "All rows were in the generation before.",
        )


def _without_ids(result: dg.AssetCheckResult) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        passed=True,
        severity=result.severity,
        asset_key=result.asset_key,
        check_name=result.check_name,
        metadata={name: value for name, value in result.metadata.items() if name == _DURATION},
    )
