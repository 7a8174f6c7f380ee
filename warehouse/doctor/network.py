"""Check that every source can be reached, and the clock against the servers' clocks."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from ingest.core.errors import AccelmartError, FetchFailed
from ingest.core.http import HttpClient
from ingest.core.http_mirror import MIRROR_VARIABLE
from ingest.core.list_source import ListSource
from ingest.fetch.plan import plan_of
from ingest.mlperf.releases import inference_repository, training_repository
from ingest.prices.registry import PRICE_SOURCES
from ingest.source import (
    MLPERF_COLLECTION,
    MLPERF_INFERENCE,
    MLPERF_TRAINING,
    MLPERF_TRAINING_COLLECTION,
    SOURCES,
    upstream_url,
)
from ingest.specs.registry import SPEC_SOURCES
from warehouse.doctor.finding import Finding, Status

# a certificate or an ETag is judged by the clock; polls are dated by it
CLOCK_WARN_S, CLOCK_FAIL_S = 60, 300
REACH_TIMEOUT_S = 5.0
_REACHED_AT_ONCE = 16
LISTED_SOURCES: dict[str, ListSource] = {**PRICE_SOURCES, **SPEC_SOURCES}


def source_addresses(environment: Mapping[str, str]) -> dict[str, list[str]]:
    """Source → one address of each host it is fetched from; sources that are not fetched are left out."""
    found: dict[str, list[str]] = {}
    for name, source in LISTED_SOURCES.items():
        fetches, _ = plan_of(source, environment)
        by_host = {urlsplit(f.first.url).netloc: f.first.url for f in reversed(fetches)}
        if by_host:
            found[name] = list(by_host.values())
    # a repository that exists stands for all of them: they are on one host
    found[MLPERF_INFERENCE] = [inference_repository("v5.0")]
    found[MLPERF_TRAINING] = [training_repository("v5.0")]
    for name in (MLPERF_COLLECTION, MLPERF_TRAINING_COLLECTION):
        found[name] = [upstream_url(SOURCES[name], None)]
    return found


def network(
    addresses: Mapping[str, list[str]], new_client: Callable[..., HttpClient] = HttpClient
) -> Iterator[Finding]:
    """Whether each source can be reached, all at once, one request a host; and what their clocks say of ours.

    Args:
        addresses: source → URLs, one a host.
        new_client: makes the client that asks.
    """
    try:
        client = new_client(
            connect_timeout_seconds=REACH_TIMEOUT_S, read_timeout_seconds=REACH_TIMEOUT_S, retries=0
        )
    except (AccelmartError, ValueError) as e:
        yield Finding("network", "fail", f"no source can be asked: {e}", "correct or unset it")
        return
    hosts = {urlsplit(url).netloc.rpartition("@")[2]: url for urls in addresses.values() for url in urls}
    with ThreadPoolExecutor(_REACHED_AT_ONCE) as pool:
        answers = dict(zip(hosts, pool.map(lambda url: _reached(client, url), hosts.values()), strict=True))
    for name, urls in sorted(addresses.items()):
        found = [answers[urlsplit(url).netloc.rpartition("@")[2]].finding for url in urls]
        worst: Status = max((f.status for f in found), key=("ok", "warn", "fail").index)
        yield Finding(
            f"network: {name}",
            worst,
            "; ".join(f.found for f in found if f.status == worst),
            next((f.remedy for f in found if f.status == worst), ""),
        )
    yield from _clock([a.skew for a in answers.values() if a.skew is not None])


@dataclass(frozen=True)
class _Answer:
    finding: Finding
    skew: float | None = None


def _reached(client: HttpClient, url: str) -> _Answer:
    host = urlsplit(url).netloc.rpartition("@")[2]
    started = time.time()
    try:
        status, date = client.reach(url)
    except FetchFailed as e:
        return _Answer(
            Finding(
                host,
                "fail",
                str(e).partition(". To fix: ")[0],
                f"{e.remedy}; its last good data stay in force",
            )
        )
    ended = time.time()
    skew = None
    if date:
        try:
            # a Date header has whole seconds: half a one on average
            skew = (started + ended) / 2 - (parsedate_to_datetime(date).timestamp() + 0.5)
        except (TypeError, ValueError):
            skew = None
    told = f"{host} answered {status} in {ended - started:.1f} s"
    if status == 429 or status >= 500:
        return _Answer(Finding(host, "warn", told, "it is there and has trouble of its own: try later"), skew)
    return _Answer(Finding(host, "ok", told), skew)


def _clock(skews: list[float]) -> Iterator[Finding]:
    if not skews:
        yield Finding(
            "clock",
            "warn",
            "not compared: no server told its time",
            f"see the network's lines above; a mirror ({MIRROR_VARIABLE}) should pass Date on",
        )
        return
    # one server's clock may be off, hardly the median
    skew = statistics.median(skews)
    told = f"{abs(skew):.0f} s {'ahead of' if skew > 0 else 'behind'} {len(skews)} servers"
    remedy = "set the clock and keep it set (NTP, such as systemd-timesyncd): prices are dated by it"
    if abs(skew) > CLOCK_FAIL_S:
        yield Finding("clock", "fail", told, remedy)
    elif abs(skew) > CLOCK_WARN_S:
        yield Finding("clock", "warn", told, remedy)
    else:
        yield Finding("clock", "ok", f"within {CLOCK_WARN_S} s of {len(skews)} servers")
