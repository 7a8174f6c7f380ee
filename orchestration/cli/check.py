"""`accelmart refresh --check`: every source tried once, one line each, without landing anything."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from accelmart.cli.output import print_json, progress, say

if TYPE_CHECKING:
    from warehouse.source_check import SourceCheck

_WIDTH = 110


def check(names: list[str], *, as_json: bool) -> int:
    """Check sources and print one result for each.

    Args:
        names: price lists and specifications; empty checks all of them and the discovery of MLPerf rounds.
        as_json: one JSON document in place of lines.

    Returns:
        Number of failed sources.
    """
    from orchestration import settings
    from orchestration.http_clients import http_client
    from warehouse.source_check import check_discovery, check_sources, registered

    home = settings.home()
    # a rejected payload is a line of the report; its quarantine is temporary
    logging.getLogger("ingest.core.landing").setLevel(logging.ERROR)

    def checks() -> Iterator[SourceCheck]:
        if not names:
            yield check_discovery(home, http_client(), settings.GITHUB_TOKEN.read())
        yield from check_sources(home, registered(names), settings.source_settings(), http_client())

    done = []
    with progress("checking") as show_step:
        for number, one in enumerate(checks(), 1):
            show_step(f"{one.source} ({number})")
            done.append(one)
            if not as_json:
                say(line_of(one))
    failed = sum(one.outcome == "failed" for one in done)
    skipped = sum(one.outcome == "skipped" for one in done)
    if as_json:
        print_json({"sources": [asdict(one) for one in done], "failed": failed, "skipped": skipped})
    else:
        say(f"{len(done)} sources: {failed} failed, {skipped} skipped. Nothing was landed or built.")
    return failed


def line_of(one: SourceCheck) -> str:
    """One line of the report, at most 110 characters."""
    if one.outcome == "skipped":
        text = f"{one.outcome:7} {one.source:22} {one.difference}"
    else:
        reached = "reached" if one.is_reached else "not reached"
        recognised = "recognised" if one.is_recognised else "not read"
        before = "-" if one.rows_before is None else f"{one.rows_before}"
        now = "-" if one.rows is None else f"{one.rows}"
        text = (
            f"{one.outcome:7} {one.source:22} {reached}, {recognised}, rows {now} (last {before}), "
            f"{one.seconds:.1f} s: {one.difference}"
        )
    text = " ".join(text.splitlines())
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"
