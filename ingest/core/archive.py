"""Release trees, read safely from a tarball or a folder.

Nothing is ever unpacked to disk, and no size, name or link in an archive is believed. A tarball made by GitHub wraps
the tree in one folder `<repo>-<ref>/` and names the commit in its global header (checked 2026-11-20).
"""

from __future__ import annotations

import bz2
import lzma
import os
import re
import shutil
import stat
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple, TypeVar, cast

from isal import igzip, isal_zlib

from ingest.core.errors import PayloadRejected
from ingest.core.path_patterns import PathPatterns
from ingest.core.untrusted_text import clean_text

_Read = TypeVar("_Read")
_CHUNK_BYTES = 1 << 18
_MAX_HEADER_BYTES = 1 << 20  # of an extended header; real ones hold a path
_MAX_NAME_CHARS = 1024  # the longest known has fewer than 300
PACKED_MARK = {"ACCELMART.tree": "1"}
"""Global header of a tar that `pack_tree` wrote: its GitHub folder is gone."""

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_DECOMPRESSORS: dict[bytes, Any] = {b"\x1f\x8b": igzip.open, b"\xfd7zXZ\x00": lzma.open, b"BZh": bz2.open}
_LINKS_AND_DEVICES = {
    tarfile.SYMTYPE: "a symbolic link",
    tarfile.LNKTYPE: "a hard link",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a pipe",
}
_NONSENSE = (ValueError, IndexError, RecursionError)  # what tarfile stumbles over in a header
_BAD_DEFLATE = cast(type[Exception], isal_zlib.error)  # its stub calls it an instance
_DAMAGE = (*_NONSENSE, tarfile.TarError, EOFError, OSError, _BAD_DEFLATE, lzma.LZMAError)


@dataclass(frozen=True)
class TreeLimits:
    """How much of a release tree is believed.

    Attributes:
        max_members: entries (folders included); the largest known release has about 200,000 files.
        max_member_bytes: of one file; a larger one is refused, the rest goes on.
        max_total_bytes: read or decompressed altogether; a larger tree is rejected whole.
    """

    max_members: int = 1_000_000
    max_member_bytes: int = 256 << 20
    max_total_bytes: int = 8 << 30


class _NotOneFolder(Exception):
    """Something stands beside the folder that the first member of an archive is in."""


class Refusal(NamedTuple):
    """A member that was left out although the patterns ask for it, or whose name cannot be trusted."""

    name: str
    reason: str


class TreeMembers(Iterator[tuple[str, bytes]]):
    """The files of a tree, one after the other, and the account of those that are not among them.

    Attributes:
        members_seen: so far; files and other non-folders, asked for or not.
        members_refused: so far.
        commit: the commit a GitHub tarball says it was made from, once iteration has begun.
    """

    def __init__(self, patterns: Sequence[str] | PathPatterns, limits: TreeLimits | None, name: str) -> None:
        self.members_seen = 0
        self.members_refused: list[Refusal] = []
        self.commit: str | None = None
        self._patterns = patterns if isinstance(patterns, PathPatterns) else PathPatterns(patterns)
        self._limits = limits or TreeLimits()
        self._name = name
        self._entries = 0
        self._kept: set[str] = set()
        self._files: Iterator[tuple[str, bytes]] = iter(())

    def __next__(self) -> tuple[str, bytes]:
        return next(self._files)

    def _rejected(self, problem: str, remedy: str) -> PayloadRejected:
        return PayloadRejected(payload=self._name, problem=problem, remedy=remedy)

    def _refuse(self, name: str, reason: str) -> None:
        shown = _printable(name)
        self.members_refused.append(Refusal(clean_text(shown[:_MAX_NAME_CHARS], keep=""), reason))

    def _over_limit(self, limit: int, what: str) -> PayloadRejected:
        remedy = (
            "look at the payload (a decompression bomb?); if it is right, raise the limits of this source"
        )
        return self._rejected(f"it holds more than {limit} {what}", remedy)

    def _count_entry(self) -> None:
        self._entries += 1
        if self._entries > self._limits.max_members:
            raise self._over_limit(self._limits.max_members, "members")

    def _wants(self, path: str, size: int, not_a_file: str | None) -> bool:
        """Whether to read a member; records the reason when it is asked for and cannot be had."""
        if not self._patterns.match(path):
            return False
        if not_a_file:
            self._refuse(path, f"it is {not_a_file}")
        elif _printable(path) != path:
            self._refuse(path, "its name is not UTF-8")
        elif not path.isprintable() and clean_text(path, keep="") != path:
            self._refuse(path, "its name holds control characters")
        elif len(path) > _MAX_NAME_CHARS:
            self._refuse(path, f"its name has {len(path)} characters")
        elif "\\" in path:
            self._refuse(path, "its name holds a backslash")
        elif size > self._limits.max_member_bytes:
            self._refuse(path, f"it has {size} bytes, more than the limit of {self._limits.max_member_bytes}")
        elif path in self._kept:
            self._refuse(path, "it occurs a second time; the first one is kept")
        else:
            self._kept.add(path)
            return True
        return False


def iter_tarball(
    tarball: Path | BinaryIO,
    patterns: Sequence[str] | PathPatterns,
    limits: TreeLimits | None = None,
    *,
    name: str | None = None,
) -> TreeMembers:
    """The files of a .tar, .tar.gz, .tar.xz or .tar.bz2 (recognised by content) that match the patterns.

    The archive is read twice, first for its names: whether all of it stands in one GitHub folder is only known at the
    end. A stream that cannot seek is copied, compressed as it is, to a temporary file.

    Args:
        tarball: file or open binary stream.
        patterns: see `PathPatterns`; matched without the GitHub folder.
        limits: default `TreeLimits()`.
        name: for messages; default the file's name.

    Returns:
        An iterator of (relative path, content) in the archive's order. Its attributes give the account.

    Raises:
        PayloadRejected: while iterating, for something that is not a tar archive, is over the limits, or is damaged or
            cut short; what was whole up to there has been yielded by then.
    """
    return _tarball_members(tarball, patterns, limits, name, is_top_first=False)


def read_tarball(
    read: Callable[[TreeMembers], _Read],
    tarball: Path | BinaryIO,
    patterns: Sequence[str] | PathPatterns,
    limits: TreeLimits | None = None,
    *,
    name: str | None = None,
) -> _Read:
    """Call a function with `iter_tarball` of an archive, which is read once when all of it stands in one GitHub folder.

    The folder is taken from the first member. When another one stands beside it, `read` is broken off and called again.

    Args:
        read: what to do with the files; until it returns, nothing of it may be seen elsewhere.
        tarball: as of `iter_tarball`, like the others.
        patterns: see there.
        limits: see there.
        name: see there.

    Returns:
        What `read` returns.

    Raises:
        PayloadRejected: as `iter_tarball`.
    """
    if isinstance(tarball, Path) or (tarball.seekable() and tarball.tell() == 0):
        try:
            return read(_tarball_members(tarball, patterns, limits, name, is_top_first=True))
        except _NotOneFolder:
            if not isinstance(tarball, Path):
                tarball.seek(0)
    return read(iter_tarball(tarball, patterns, limits, name=name))


def _tarball_members(
    tarball: Path | BinaryIO,
    patterns: Sequence[str] | PathPatterns,
    limits: TreeLimits | None,
    name: str | None,
    *,
    is_top_first: bool,
) -> TreeMembers:
    members = TreeMembers(
        patterns, limits, name or (tarball.name if isinstance(tarball, Path) else "tarball")
    )
    members._files = _tarball_files(members, tarball, is_top_first)
    return members


def iter_folder(
    folder: Path, patterns: Sequence[str] | PathPatterns, limits: TreeLimits | None = None
) -> TreeMembers:
    """The same of a folder, sorted within each folder; `.git` is not looked at and no link is followed.

    One folder in it that looks like GitHub's is stepped into: a GitHub tarball was unpacked here.
    """
    members = TreeMembers(patterns, limits, folder.name)
    with suppress(OSError):  # reading the folder itself tells what is wrong with it
        tops = list(folder.iterdir())
        # a checkout has its .git here as well, so a sparse one that holds a single folder keeps it
        if len(tops) == 1 and tops[0].is_dir() and not tops[0].is_symlink() and _is_github_top(tops[0].name):
            folder = tops[0]
    members._files = _folder_files(members, folder)
    return members


def looks_like_tarball(head: bytes) -> bool:
    """Whether a file is a tar archive or compressed, by its first 512 bytes or more."""
    if head.startswith(tuple(_DECOMPRESSORS)):
        return True
    with suppress(tarfile.HeaderError):
        tarfile.TarInfo.frombuf(head[: tarfile.BLOCKSIZE], "utf-8", "surrogateescape")
        return True
    return False


def _folder_files(members: TreeMembers, root: Path) -> Iterator[tuple[str, bytes]]:
    total = 0
    pending = [("", root)]
    while pending:
        prefix, folder = pending.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            members._refuse(prefix or str(folder), f"the folder cannot be read ({error.strerror})")
            continue
        for entry in entries:
            path = prefix + entry.name
            if path == ".git":
                continue
            members._count_entry()
            if entry.is_dir(follow_symlinks=False):
                pending.append((path + "/", Path(entry.path)))
                continue
            members.members_seen += 1
            try:
                status = entry.stat(follow_symlinks=False)
                link = "a symbolic link" if entry.is_symlink() else "a device or pipe"
                if not members._wants(path, status.st_size, None if stat.S_ISREG(status.st_mode) else link):
                    continue
                total += status.st_size
                if total > members._limits.max_total_bytes:
                    raise members._over_limit(members._limits.max_total_bytes, "bytes")
                with Path(entry.path).open("rb") as file:
                    data = file.read(status.st_size)  # not more, should it grow
            except OSError as error:
                if members._patterns.match(path):
                    members._refuse(path, f"it cannot be read ({error.strerror})")
            else:
                yield path, data


class _Unpacked:
    """The decompressed bytes of an archive, counted, for `tarfile` to read forwards."""

    def __init__(self, file: IO[bytes], members: TreeMembers) -> None:
        file.seek(0)
        head = file.read(tarfile.BLOCKSIZE)
        file.seek(0)
        opener = next((opener for magic, opener in _DECOMPRESSORS.items() if head.startswith(magic)), None)
        self._file: IO[bytes] = opener(file) if opener else file
        self._can_skip = opener is None
        self._max_at_once = max(members._limits.max_member_bytes, _MAX_HEADER_BYTES)
        self._members, self._unread = members, members._limits.max_total_bytes
        self.position, self.last, self._first = 0, b"", b""

    def packed_text(self) -> str | None:
        """Return which text a compressed file holds, JSON or CSV, by its first bytes; None for anything else."""
        first = self._first.removeprefix(b"\xef\xbb\xbf").lstrip()
        if self._can_skip or not first or b"\0" in first or first.startswith(b"<"):
            return None
        if first.startswith((b"{", b"[")):
            return "JSON"
        return "CSV" if b"," in first.partition(b"\n")[0] else None

    def read(self, size: int) -> bytes:
        if not 0 <= size <= self._max_at_once:
            raise tarfile.ReadError(f"a header claims {size} bytes")
        parts = []
        # asked for all at once, a file has the bytes in one place
        while size and (part := self._file.read(min(size, self._unread + 1))):
            parts.append(part)
            got = len(part)
            size -= got
            self.position += got
            self._unread -= got
            if self._unread < 0:
                raise self._members._over_limit(self._members._limits.max_total_bytes, "bytes unpacked")
        self.last = parts[0] if len(parts) == 1 else b"".join(parts)
        self._first = self._first or self.last
        return self.last

    def seek(self, position: int) -> int:
        if position < self.position:
            raise tarfile.ReadError("a header leads backwards")
        if self._can_skip and position - self.position > _CHUNK_BYTES:
            self.position = self._file.seek(min(position, self._size))
        while self.position < position and self.read(min(position - self.position, _CHUNK_BYTES)):
            pass
        return self.position

    @cached_property
    def _size(self) -> int:
        return self._file.seek(0, os.SEEK_END)

    def tell(self) -> int:
        return self.position

    def infos(self, archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
        while (info := archive.next()) is not None:
            archive.members.clear()  # type: ignore[attr-defined]  # it would keep all 200,000
            if info.size < 0:
                raise tarfile.ReadError("a header claims a negative size")
            yield info
        if self.last != bytes(tarfile.BLOCKSIZE):  # tarfile takes whatever is no header for the end
            self.position -= len(self.last)
            raise tarfile.ReadError("no header before its end-of-archive mark")
        while self.read(_CHUNK_BYTES):  # a checksum, or a bomb, behind the archive
            pass


def _opened(source: _Unpacked) -> tarfile.TarFile:
    return tarfile.open(fileobj=cast(BinaryIO, source), mode="r:", encoding="utf-8", errors="surrogateescape")


def _tarball_files(
    members: TreeMembers, tarball: Path | BinaryIO, is_top_first: bool
) -> Iterator[tuple[str, bytes]]:
    with ExitStack() as stack:
        if isinstance(tarball, Path):
            file: IO[bytes] = stack.enter_context(tarball.open("rb"))
        elif tarball.seekable() and tarball.tell() == 0:
            file = tarball
        else:
            file = stack.enter_context(tempfile.TemporaryFile())
            shutil.copyfileobj(tarball, file)
        top = None if is_top_first else _first_reading(members, file)
        source = _Unpacked(file, members)
        last = None
        try:
            archive = stack.enter_context(_opened(source))
            comment = (archive.pax_headers or {}).get("comment", "")
            members.commit = comment if _COMMIT.fullmatch(comment) else None
            is_top_first = is_top_first and not _is_packed(archive)
            for info in source.infos(archive):
                if is_top_first and (parts := _parts(info.name)):
                    top = top or parts[0]
                    if parts[0] != top or not _is_in_a_folder(parts, info):
                        raise _NotOneFolder
                members._count_entry()
                last = info.name
                if info.isdir():
                    continue
                members.members_seen += 1
                path = _safe_path(members, info.name, top)
                if path and members._wants(path, info.size, _not_a_file(info)):
                    yield path, cast(IO[bytes], archive.extractfile(info)).read()
        except PayloadRejected:
            raise
        except _DAMAGE as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise  # the disk, not the archive
            if last is None and (kind := source.packed_text()):
                raise members._rejected(
                    f"it is compressed {kind}, not a tar archive",
                    f"unpack it (gunzip, unxz, bunzip2) and give the {kind} file itself",
                ) from None
            if last is None and not isinstance(error, EOFError):
                raise members._rejected(
                    f"it is no tar archive ({error})",
                    "look at the payload (an error page?), and give a .tar, .tar.gz, .tar.xz or .tar.bz2",
                ) from None
            raise members._rejected(
                f"the archive is cut short or damaged at unpacked byte {source.position}, "
                f"{f'in or after {_printable(last)}' if last else 'in its first header'} ({error})",
                "fetch it again, or get it from elsewhere; the download or copy did not finish",
            ) from None


def _first_reading(members: TreeMembers, file: IO[bytes]) -> str | None:
    """Return the one folder everything stands in, when GitHub put it there."""
    tops: set[str] = set()
    source = _Unpacked(file, members)
    with suppress(*_DAMAGE), _opened(source) as archive:  # the second reading reports damage
        if _is_packed(archive):
            return None  # taken away already; a single folder left is content
        for info in source.infos(archive):
            parts = _parts(info.name)
            tops.update(parts[:1])
            if len(tops) > 1 or (parts and not _is_in_a_folder(parts, info)):
                return None  # something beside the folder, or a folder of the tree
    return "".join(tops) or None


def _is_packed(archive: tarfile.TarFile) -> bool:
    return (archive.pax_headers or {}).items() >= PACKED_MARK.items()


def _is_in_a_folder(parts: list[str], info: tarfile.TarInfo) -> bool:
    return _is_github_top(parts[0]) and (len(parts) > 1 or info.isdir())


def _is_github_top(name: str) -> bool:
    # `<repo>-<ref>`; a content folder such as `closed` or a submitter has to stay
    return "-" in name.strip("-")


def _parts(name: str) -> list[str]:
    return [part for part in name.split("/") if part not in ("", ".")]


def _safe_path(members: TreeMembers, name: str, top: str | None) -> str | None:
    parts = _parts(name)
    if name.startswith("/"):
        members._refuse(name, "its path is absolute")
    elif ".." in parts:
        members._refuse(name, "its path leads out of the tree (..)")
    else:
        if top is not None and parts[:1] == [top]:
            parts = parts[1:]
        return "/".join(parts) if parts and parts[0] != ".git" else None
    return None


def _not_a_file(info: tarfile.TarInfo) -> str | None:
    if info.issparse():
        return "a sparse file"
    return None if info.isreg() else _LINKS_AND_DEVICES.get(info.type, f"of the unknown type {info.type!r}")


def _printable(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()
