"""Run every check of an installation except those of Dagster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ingest.core.http import HttpClient
from ingest.registry import LIST_SOURCES
from warehouse.doctor.builds import builds, held, last_build, outputs, published, snapshot
from warehouse.doctor.environment import keys, python_and_packages, user_files
from warehouse.doctor.finding import Finding
from warehouse.doctor.network import network, source_addresses
from warehouse.doctor.storage import locks, payloads, storage
from warehouse.home import SNAPSHOT_DIR, Home


def examine(
    home: Home,
    environment: Mapping[str, str],
    *,
    offline: bool,
    new_client: Callable[..., HttpClient] = HttpClient,
) -> Iterator[Finding]:
    """Yield the findings of every check except those of Dagster.

    Args:
        home: the installation.
        environment: for keys and settings.
        offline: skip the network checks.
        new_client: makes the HTTP client.
    """
    yield from python_and_packages()
    yield from user_files(home)
    yield from storage(home)
    yield from payloads(home)
    yield from locks(home)
    yield from builds(home)
    yield from published(home)
    yield from outputs(home)
    yield from last_build(home)
    yield from snapshot(SNAPSHOT_DIR)
    yield from held(home)
    yield from keys(LIST_SOURCES.values(), environment)
    if not offline:
        yield from network(source_addresses(environment), new_client)
