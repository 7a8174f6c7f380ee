"""Payloads that tests bring: landed and parsed as the landing assets do, without Dagster."""

from __future__ import annotations

from ingest.core.payload import Payload
from ingest.registry import SOURCES
from orchestration.landing import FetchConfig, land
from warehouse.home import Home


def land_payload(home: Home, source: str, key: str, origin: object) -> Payload:
    """Land a file or folder of a source under a key.

    Raises:
        Exception: what landing stops at.
    """
    (fetched,) = land(home, SOURCES[source], FetchConfig(key=key, origin=str(origin)))
    if fetched.error is not None:
        raise fetched.error
    assert fetched.payload is not None
    return fetched.payload
