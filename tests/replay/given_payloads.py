"""Payloads that tests bring: landed and parsed as the landing assets do, without Dagster."""

from __future__ import annotations

from pathlib import Path

from ingest.core.payload import Payload
from ingest.registry import SOURCES
from orchestration.landing import FetchConfig, land
from warehouse.storage.home import Home


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


def land_files(home: Home, source: str, key: str, folder: Path, files: dict[str, str]) -> Payload:
    """Write files (path → text) to a folder and land it."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return land_payload(home, source, key, folder)
