"""Check that every source can be reached, and compare the clock with the servers' clocks."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import partial
from multiprocessing.pool import ThreadPool
from urllib.parse import urlsplit

from ingest.core.errors import AccelmartError, FetchFailed
from ingest.core.fetch import plan_of
from ingest.core.hosts import MIRROR_VARIABLE
from ingest.core.http import HttpClient, NoAnswer
from ingest.mlperf.registry import (
    MLPERF_COLLECTION,
    MLPERF_INFERENCE,
    MLPERF_SOURCES,
    MLPERF_TRAINING,
    MLPERF_TRAINING_COLLECTION,
)
from ingest.mlperf.releases import inference_repository, training_repository
from ingest.registry import LIST_SOURCES
from warehouse.doctor.finding import Finding, Status

# certificates and the dates of observations depend on the clock
CLOCK_WARN_S, CLOCK_FAIL_S = 60, 300
REACH_TIMEOUT_S = 5.0
_PROBE_TIMEOUT_S = 3.0
_REACHED_AT_ONCE = 16


def source_addresses(environment: Mapping[str, str]) -> dict[str, list[str]]:
    """Return source → one URL per host it is fetched from, without sources that are not fetched."""
    addresses: dict[str, list[str]] = {}
    for name, source in LIST_SOURCES.items():
        fetches, _ = plan_of(source, environment)
        by_host = {urlsplit(f.first.url).netloc: f.first.url for f in reversed(fetches)}
        if by_host:
            addresses[name] = list(by_host.values())
    # all repositories are on one host: one of them is enough
    addresses[MLPERF_INFERENCE] = [inference_repository("v5.0")]
    addresses[MLPERF_TRAINING] = [training_repository("v5.0")]
    for name in (MLPERF_COLLECTION, MLPERF_TRAINING_COLLECTION):
        addresses[name] = [MLPERF_SOURCES[name].address("all")]
    return addresses


class NoNetworkError(AccelmartError):
    """No upstream answers."""


def require_network(urls: Iterable[str], new_client: Callable[..., HttpClient]) -> None:
    """Return as soon as one of several servers answers.

    Args:
        urls: asked in parallel, one per host.
        new_client: makes the HTTP client.

    Raises:
        NoNetworkError: none answers within a few seconds.
    """
    timeouts = {"connect_timeout_seconds": _PROBE_TIMEOUT_S, "read_timeout_seconds": _PROBE_TIMEOUT_S}
    client = new_client(**timeouts)
    hosts = {urlsplit(url).netloc.rpartition("@")[2]: url for url in urls}
    failed: NoAnswer | None = None
    with ThreadPool(_REACHED_AT_ONCE) as pool:
        for failed in pool.imap_unordered(partial(_no_answer, client), hosts.values()):
            if failed is None:
                return
    if failed:
        raise NoNetworkError(
            f"there is no network: none of {len(hosts)} servers answers, {failed.url} for one: {failed.problem}. "
            "To fix: check the network, its proxy (HTTPS_PROXY) and name resolution; behind a closed network, set "
            f"{MIRROR_VARIABLE}. `accelmart build` needs none"
        )


def _no_answer(client: HttpClient, url: str) -> NoAnswer | None:
    try:
        client.reach(url)
    except NoAnswer as failed:
        return failed
    except FetchFailed:
        pass  # not for want of a network
    return None


def network(
    addresses: Mapping[str, list[str]], new_client: Callable[..., HttpClient] = HttpClient
) -> Iterator[Finding]:
    """Check in parallel, with one request per host, whether each source can be reached, and compare the clocks.

    Args:
        addresses: source → URLs, one per host.
        new_client: makes the HTTP client.
    """
    try:
        client = new_client(connect_timeout_seconds=REACH_TIMEOUT_S, read_timeout_seconds=REACH_TIMEOUT_S)
    except (AccelmartError, ValueError) as e:
        yield Finding("network", "fail", f"not checked: {e}", "correct or unset it")
        return
    hosts = {urlsplit(url).netloc.rpartition("@")[2]: url for urls in addresses.values() for url in urls}
    with ThreadPool(_REACHED_AT_ONCE) as pool:
        answers = dict(zip(hosts, pool.map(partial(_reached, client), hosts.values()), strict=True))
    for name, urls in sorted(addresses.items()):
        findings = [answers[urlsplit(url).netloc.rpartition("@")[2]].finding for url in urls]
        worst: Status = max((f.status for f in findings), key=("ok", "warn", "fail").index)
        yield Finding(
            f"network: {name}",
            worst,
            "; ".join(f.found for f in findings if f.status == worst),
            next((f.remedy for f in findings if f.status == worst), ""),
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
                f"{e.remedy}; its last good data stay published",
            )
        )
    ended = time.time()
    skew = None
    if date:
        try:
            # a Date header is cut to whole seconds: half a second is lost on average
            skew = (started + ended) / 2 - (parsedate_to_datetime(date).timestamp() + 0.5)
        except (TypeError, ValueError):
            skew = None
    shown = f"{host} answered {status} in {ended - started:.1f} s"
    if status == 429 or status >= 500:
        return _Answer(Finding(host, "warn", shown, "the server has a problem: try later"), skew)
    return _Answer(Finding(host, "ok", shown), skew)


def _clock(skews: list[float]) -> Iterator[Finding]:
    if not skews:
        yield Finding(
            "clock",
            "warn",
            "not compared: no server sent a Date header",
            f"see the network lines above; a mirror ({MIRROR_VARIABLE}) should forward the Date header",
        )
        return
    # the median is robust against one server with a wrong clock
    skew = statistics.median(skews)
    shown = f"{abs(skew):.0f} s {'ahead of' if skew > 0 else 'behind'} {len(skews)} servers"
    remedy = "set the clock and keep it set (NTP, such as systemd-timesyncd): prices are dated by it"
    if abs(skew) > CLOCK_FAIL_S:
        yield Finding("clock", "fail", shown, remedy)
    elif abs(skew) > CLOCK_WARN_S:
        yield Finding("clock", "warn", shown, remedy)
    else:
        yield Finding("clock", "ok", f"within {CLOCK_WARN_S} s of {len(skews)} servers")
