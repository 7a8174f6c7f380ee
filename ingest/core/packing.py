"""Release trees packed so that equal content is equal bytes."""

from __future__ import annotations

import hashlib
import tarfile
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, cast

from ingest.core.archive import PACKED_MARK, Refusal, TreeMembers
from ingest.core.errors import PayloadRejected


@dataclass(frozen=True)
class PackReport:
    """What became of a tree.

    Attributes:
        members_seen: files and other non-folders looked at.
        members_kept: files packed.
        members_refused: those left out although asked for, and those with unsafe names.
        bytes: size of the packed tar.
        sha256: of the packed tar.
        incomplete: what was wrong with a tree that is only partly there (and where), or None.
    """

    members_seen: int
    members_kept: int
    members_refused: tuple[Refusal, ...]
    bytes: int
    sha256: str
    incomplete: PayloadRejected | None


def pack_tree(
    members: Iterable[tuple[str, bytes]], out: Path | BinaryIO, *, keep_incomplete: bool = False
) -> PackReport:
    """Write a tree as an uncompressed tar that depends on its paths and contents alone.

    Sorted by path, mtime 0, owner 0, mode 0644, PAX format: a folder, a tarball and a checkout of one release give the
    same sha256. By a mark in its global header `iter_tarball` knows that the GitHub folder is gone already.

    Args:
        members: (relative path, content), in any order; usually from `iter_tarball` or `iter_folder`.
        out: file to write, or an open, empty binary file that can be read again.
        keep_incomplete: when `members` ends in a `PayloadRejected`, pack the members before it and set
            `incomplete` in the report.

    Returns:
        The account.

    Raises:
        PayloadRejected: from `members`, unless `keep_incomplete`.
        ValueError: when a path occurs twice.
    """
    incomplete: PayloadRejected | None = None
    places: dict[str, tuple[int, int]] = {}
    with ExitStack() as stack:
        spool = stack.enter_context(tempfile.TemporaryFile())
        try:
            for path, data in members:
                if path in places:
                    raise ValueError(f"{path} occurs twice: a tree has each path once")
                places[path] = (spool.tell(), len(data))
                spool.write(data)
        except PayloadRejected as rejected:
            if not keep_incomplete:
                raise
            incomplete = rejected
        file = stack.enter_context(out.open("w+b")) if isinstance(out, Path) else out
        mark = PACKED_MARK if places else {}  # tarfile cannot read a global header before nothing
        target = _Hashed(file)
        with tarfile.open(
            fileobj=cast(BinaryIO, target),
            mode="w:",
            format=tarfile.PAX_FORMAT,
            encoding="utf-8",
            pax_headers=mark,
        ) as archive:
            for path in sorted(places):
                info = tarfile.TarInfo(path)  # mtime 0, owner 0, mode 0644
                offset, info.size = places[path]
                spool.seek(offset)
                archive.addfile(info, spool)
        file.flush()
    known = members if isinstance(members, TreeMembers) else None
    return PackReport(
        members_seen=known.members_seen if known else len(places),
        members_kept=len(places),
        members_refused=tuple(known.members_refused) if known else (),
        bytes=target.position,
        sha256=target.digest.hexdigest(),
        incomplete=incomplete,
    )


class _Hashed:
    """A file for `tarfile` to write to, hashed on the way."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self.digest, self.position = file, hashlib.sha256(), 0

    def write(self, data: bytes) -> int:
        self._file.write(data)
        self.digest.update(data)
        self.position += len(data)
        return len(data)

    def tell(self) -> int:
        return self.position
