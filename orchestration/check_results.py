"""Results of dbt tests as asset checks: a check is a warning where it found what the published warehouse had not."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

import dagster as dg

from warehouse.build import Build
from warehouse.outcome import BuildWarning, warnings_of


def without_known_warnings(
    events: Iterable[Any], build: Build, before: Collection[BuildWarning] | None
) -> Iterator[Any]:
    """Yield the events of dbt; tests that warned come last, and pass if every row they found was found before.

    Args:
        events: from `DbtCliInvocation.stream`. dbt holds the database until they end.
        build: what dbt builds.
        before: warnings of the published generation; None if nothing is published, and then every warning is new.
    """
    warned: list[dg.AssetCheckResult] = []
    try:
        for event in events:
            if _is_warning(event):
                warned.append(event)
            else:
                yield event
    except Exception:
        yield from warned
        raise
    if warned and before is not None:
        known, found = {(w.check, w.subject) for w in before}, warnings_of(build)
        for result in warned:
            rows = [w for w in found if w.check == result.check_name]
            new = [w for w in rows if (w.check, w.subject) not in known]
            yield _described(result, rows, new)
    else:
        yield from warned


def _is_warning(event: Any) -> bool:
    return (
        isinstance(event, dg.AssetCheckResult)
        and not event.passed
        and event.severity == dg.AssetCheckSeverity.WARN
    )


def _described(
    result: dg.AssetCheckResult, rows: Collection[BuildWarning], new: Collection[BuildWarning]
) -> dg.AssetCheckResult:
    is_known = bool(rows) and not new
    words = "; ".join(w.words for w in new) or "no rows can be read"
    return dg.AssetCheckResult(
        passed=is_known,
        severity=result.severity,
        asset_key=result.asset_key,
        check_name=result.check_name,
        metadata=result.metadata,
        description=known_rows(len(rows)) if is_known else f"New: {words}",
    )


def known_rows(n: int) -> str:
    """Return the description of a check that found only what is known."""
    return f"{n} {'row' if n == 1 else 'rows'} found, all as in the generation before: accelmart status --warnings"


def results_of_before(
    checks: Iterable[dg.AssetCheckKey], warnings: Collection[BuildWarning]
) -> Iterator[dg.AssetCheckResult]:
    """Report tests that were not run again: nothing they read has changed, so what they warn of is known.

    Args:
        checks: the tests that were not run.
        warnings: of the generation that was taken over.
    """
    unchanged = "The result of before: nothing that the test reads has changed since."
    for check in checks:
        n = sum(w.check == check.name for w in warnings)
        yield dg.AssetCheckResult(
            passed=True,
            asset_key=check.asset_key,
            check_name=check.name,
            description=f"{unchanged} {known_rows(n)}" if n else unchanged,
        )
