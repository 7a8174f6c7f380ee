"""The servers that sources are fetched from, and whether any of them answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from multiprocessing.pool import ThreadPool
from urllib.parse import urlsplit

from accelmart.hosts import MIRROR_VARIABLE
from accelmart.http import HttpClient, NoAnswer
from ingest.core.errors import AccelmartError, FetchFailed
from ingest.core.source import plan_of
from ingest.mlperf.registry import MLPERF_SOURCES
from ingest.registry import LIST_SOURCES

NETWORK_REMEDY = (
    "check the network, its proxy (HTTPS_PROXY) and name resolution; behind a closed network, set "
    f"{MIRROR_VARIABLE}. `accelmart build` needs none"
)
_PROBE_TIMEOUT_S = 3.0
_REACHED_AT_ONCE = 16


class NoNetworkError(AccelmartError):
    """No upstream answers."""


def source_addresses(environment: Mapping[str, str]) -> dict[str, list[str]]:
    """Return source → one URL per host it is fetched from, without sources that are not fetched."""
    addresses: dict[str, list[str]] = {}
    for name, source in LIST_SOURCES.items():
        fetches, _ = plan_of(source, environment)
        by_host = {urlsplit(f.first.url).netloc: f.first.url for f in reversed(fetches)}
        if by_host:
            addresses[name] = list(by_host.values())
    # the repositories of all rounds are on one host: one of them is enough
    return addresses | {name: [source.address("v5.0")] for name, source in MLPERF_SOURCES.items()}


@dataclass(frozen=True)
class Answer:
    """What became of one request to a host.

    Args:
        host: name and port.
        problem: why it is of no use now; empty if it answered.
        error: set if it was not reached.
    """

    host: str
    problem: str = ""
    error: FetchFailed | None = None


def reach_hosts(urls: Iterable[str], client: HttpClient) -> Iterator[Answer]:
    """Ask each host once, in parallel and without a key; yield the answers as they come.

    Args:
        urls: of one host, the last one is asked.
        client: its timeouts are those of each request.
    """
    hosts = {urlsplit(url).netloc.rpartition("@")[2]: url for url in urls}

    def reach(host: str) -> Answer:
        try:
            status = client.reach(hosts[host])
        except FetchFailed as e:
            return Answer(host, e.problem, e)
        return Answer(host, f"answered {status}" if status == 429 or status >= 500 else "")

    with ThreadPool(_REACHED_AT_ONCE) as pool:
        yield from pool.imap_unordered(reach, hosts)


def require_network(urls: Iterable[str], new_client: Callable[..., HttpClient]) -> None:
    """Return as soon as one of several servers answers.

    Args:
        urls: asked in parallel, one per host.
        new_client: makes the HTTP client.

    Raises:
        NoNetworkError: none answers within a few seconds.
    """
    client = new_client(connect_timeout_seconds=_PROBE_TIMEOUT_S, read_timeout_seconds=_PROBE_TIMEOUT_S)
    failed = []
    for answer in reach_hosts(urls, client):
        if not isinstance(answer.error, NoAnswer):  # a refusal is not for want of a network
            return
        failed.append(answer.error)
    if failed:
        raise NoNetworkError(
            f"there is no network: none of {len(failed)} servers answers, {failed[0].url} for one: "
            f"{failed[0].problem}. To fix: {NETWORK_REMEDY}"
        )
