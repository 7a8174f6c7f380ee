"""Price payloads that lie on this machine: archived lists, collections, what somebody saved."""

from __future__ import annotations

import tempfile
from pathlib import Path

from ingest.core.errors import AccelmartError, PayloadRejected
from ingest.core.landing import Landing
from ingest.core.payload import Payload
from ingest.core.source import Source
from ingest.core.trees import pack
from ingest.fetch.payloads import PACKED_CONTENT_TYPE, Judge
from ingest.prices.dated import is_dated, moment_of


def land_file(landing: Landing, source: Source, key: str, origin: Path, judge: Judge) -> Payload:
    """Land a file, or a folder of files as the answers of a chain.

    Args:
        landing: where to.
        source: whose payload it is.
        key: to land under; ``<key>@<date>`` says when its prices held, without a date they hold now.
        origin: file or folder.
        judge: of this source and key; holds the parts of the payload afterwards.

    Returns:
        The manifest record, ``landed`` or ``unchanged``.

    Raises:
        AccelmartError: no key, a date that is none, or nothing there.
        PayloadRejected: it gives no row; it is quarantined.
    """
    if not key:
        raise AccelmartError("say what it is with --key, such as --key us-east-1@20260910195514")
    if is_dated(key):
        moment_of(key)
    if not origin.exists():
        raise AccelmartError(f"{origin} does not exist")

    with tempfile.TemporaryFile() as spool:
        is_folder = origin.is_dir()
        if is_folder:
            files = sorted(p for p in origin.rglob("*") if p.is_file())
            pack(((str(p.relative_to(origin)), p.read_bytes()) for p in files), spool)
        payload = landing.store(
            spool if is_folder else origin,
            source=source.name,
            key=key,
            url=origin.absolute().as_uri(),
            content_type=PACKED_CONTENT_TYPE if is_folder else "application/octet-stream",
            licence=source.licence,
            limit_bytes=source.limit_bytes,
            check=judge,
        )
    if payload.outcome == "quarantined":
        raise PayloadRejected(
            payload=str(origin),
            problem=f"{payload.reason}; it is kept as {landing.address(payload)} and not used",
            remedy="see above",
        )
    return payload
