"""`accelmart refresh --check`: every source tried once, one line each, without landing anything."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from multiprocessing.pool import ThreadPool
from typing import TYPE_CHECKING

from accelmart.cli.output import print_json, progress, say

if TYPE_CHECKING:
    from warehouse.inputs.source_check import SourceCheck

_WIDTH = 110
_AT_ONCE = 8


def check(names: list[str], *, as_json: bool) -> int:
    """Check sources and print one result for each.

    Args:
        names: price lists and specifications; empty checks all of them and the discovery of MLPerf rounds.
        as_json: one JSON document in place of lines.

    Returns:
        Number of failed sources.
    """
    from accelmart.http import retry_policy
    from ingest.mlperf.discovery import API
    from ingest.network import require_network, source_addresses
    from orchestration import settings
    from orchestration.http_clients import http_client
    from warehouse.inputs.source_check import DISCOVERY, check_discovery, check_source, registered

    home, environment = settings.home(), settings.source_settings()
    # a rejected payload is a line of the report; its quarantine is temporary
    logging.getLogger("ingest.core.landing").setLevel(logging.ERROR)
    client = http_client(
        connect_timeout_seconds=5,
        read_timeout_seconds=15,
        total_timeout_seconds=45,
        retry=retry_policy(total=1),
    )
    sources, addresses = registered(names), source_addresses(environment)
    checks: list[Callable[[], SourceCheck]] = [
        partial(check_source, home, environment, client, source) for source in sources
    ]
    urls = [url for source in sources for url in addresses.get(source.name, [])]
    if not names:
        checks.insert(0, partial(check_discovery, home, client, settings.GITHUB_TOKEN.read()))
        urls.append(API)

    order = [DISCOVERY, *(source.name for source in sources)]
    done = []
    with progress("checking") as show_step, ThreadPool(_AT_ONCE) as pool:
        require_network(urls, http_client)
        for number, one in enumerate(pool.imap_unordered(lambda check: check(), checks), 1):
            show_step(f"{number}/{len(checks)}")
            done.append(one)
            if not as_json:
                say(f"{number:>2}/{len(checks)} {line_of(one)}")
    failed = sum(one.outcome == "failed" for one in done)
    skipped = sum(one.outcome == "skipped" for one in done)
    if as_json:
        in_order = sorted(done, key=lambda one: order.index(one.source))
        print_json({"sources": [asdict(one) for one in in_order], "failed": failed, "skipped": skipped})
    else:
        say(
            f"{len(done)} sources: {failed} failed, {skipped} skipped. Nothing was landed or built. {_to_do(done)}"
        )
    return failed


def _to_do(done: list[SourceCheck]) -> str:
    """What to do about what failed or changed, in one sentence."""
    failed = [one for one in done if one.outcome == "failed"]
    if any(not one.is_reached for one in failed):
        return "To do: `accelmart doctor` for what is not reached; until it answers, its last good data stay."
    if failed:
        return (
            "To do: open what is reached and not read; if it has moved or changed, mend its plan or parser."
        )
    return "To do: accelmart refresh"


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
