"""Spool a payload on its way into the landing store, and verify a stored one against its size and sha256."""

from __future__ import annotations

import gzip
import hashlib
import os
from typing import IO, BinaryIO, NamedTuple, cast

from isal import igzip, isal_zlib

from ingest.core.errors import PayloadRejected
from ingest.core.payload import Check, Payload

BLOCK_BYTES = 1 << 20


class Spool(NamedTuple):
    """A payload copied to a temporary file; `over_limit`: there was more than the limit."""

    file: IO[bytes]
    sha256: str
    size: int
    over_limit: bool


def copy_up_to(limit_bytes: int, source: IO[bytes], target: IO[bytes]) -> tuple[str, int, bool]:
    """Copy at most `limit_bytes`; returns the sha256 and size of the copy, and whether there was more."""
    digest, size = hashlib.sha256(), 0
    while block := source.read(min(BLOCK_BYTES, limit_bytes + 1 - size)):
        kept = block[: limit_bytes - size]
        target.write(kept)
        digest.update(kept)
        size += len(kept)
        if len(kept) < len(block):
            return digest.hexdigest(), size, True
    return digest.hexdigest(), size, False


def reason_to_reject(spool: Spool, limit_bytes: int, check: Check | None) -> str | None:
    """Why a spooled payload goes to quarantine, or None if it is good."""
    if spool.over_limit:
        return (
            f"it is larger than its limit of {limit_bytes} bytes, of which the first {limit_bytes} are kept here. "
            "To fix: look at the payload; if it is right, raise the limit of this source"
        )
    if check is None:
        return None
    spool.file.flush()
    # a handle of its own: a check that closes it (a TextIOWrapper does) takes nothing away from us
    with os.fdopen(os.dup(spool.file.fileno()), "rb") as file:
        file.seek(0)
        try:
            check(cast(BinaryIO, file))
        except PayloadRejected as rejected:
            return f"{rejected.problem}. To fix: {rejected.remedy}"
    return None


def damage(raw: IO[bytes], payload: Payload) -> str | None:
    """What is wrong with a stored object, read from its start to its end; None if it is intact."""
    digest, size = hashlib.sha256(), 0
    try:
        with igzip.GzipFile(fileobj=raw, mode="rb") as plain:
            while (block := plain.read(BLOCK_BYTES)) and size <= payload.bytes:
                digest.update(block)
                size += len(block)
    except (EOFError, cast(type[Exception], isal_zlib.error), gzip.BadGzipFile) as error:
        return f"not readable as gzip: {error}"
    if digest.hexdigest() != payload.sha256:
        return f"its sha256 is {digest.hexdigest()}, not {payload.sha256}"
    return None


def damaged(payload: Payload, problem: str) -> PayloadRejected:
    """The error to raise for a payload whose stored object is missing or damaged."""
    return PayloadRejected(
        payload=f"{payload.source} {payload.key} of {payload.fetched_at:%Y-%m-%d %H:%M} UTC",
        problem=problem,
        remedy="fetch it again (a good fetch replaces the object), or restore the landing zone from a backup",
    )
