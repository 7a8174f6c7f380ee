"""Release trees, read safely from a tarball or a folder, and packed so that equal content is equal bytes.

Nothing is ever unpacked to disk, and no size, name or link in an archive is believed. A tarball made by GitHub wraps
the tree in one folder `<repo>-<ref>/` and names the commit in its global header (checked 2026-11-20).
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import re
import stat
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple, cast

from ingest.errors import PayloadRejected

_TAR_BLOCK = 512
_TAR_RECORD = 20 * _TAR_BLOCK
_READ_BYTES = 1 << 16
_MAX_HEADER_BYTES = 1 << 20  # of an extended header; real ones hold a path
_LINKS_AND_DEVICES = {
    tarfile.SYMTYPE: "a symbolic link",
    tarfile.LNKTYPE: "a hard link",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a pipe",
}
_REGULAR = {tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE}
_PACKED = {"ACCELMART.tree": "1"}  # global header of what pack_tree writes
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


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


class Refusal(NamedTuple):
    """A member that was left out although the patterns ask for it, or whose name cannot be trusted."""

    name: str
    reason: str


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


class PathPatterns:
    """gitignore-like patterns for files, compiled once.

    ``*`` and ``?`` stop at ``/``; ``**`` is any number of folders; a pattern with a ``/`` before its end is anchored at
    the root, one without matches at any depth (``/name`` anchors it); ``folder/`` is everything below. Unlike in
    gitignore, a pattern without the last slash names files only, and there is no negation.

    Args:
        patterns: at least one.

    Raises:
        ValueError: for no pattern, an empty one, a negation or a comment.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        self.patterns = tuple(patterns)
        if not self.patterns:
            raise ValueError("no patterns: give at least one, '**' for every file")
        # most of the 200,000 paths of a release end in nothing that is asked for: str.endswith says so cheaply
        self._tails = tuple({_literal_tail(p) for p in self.patterns})
        self._regex = re.compile("|".join(_translated(p) for p in self.patterns), re.DOTALL)

    def match(self, path: str) -> bool:
        """Whether any pattern names this file.

        Args:
            path: relative, with forward slashes.

        Returns:
            True when it is asked for.
        """
        return path.endswith(self._tails) and self._regex.fullmatch(path) is not None

    def __str__(self) -> str:
        return ", ".join(self.patterns)


class TreeMembers(Iterator[tuple[str, bytes]]):
    """The files of a tree, one after the other, and the account of those that are not among them.

    Attributes:
        members_seen: so far; files and other non-folders, asked for or not.
        members_refused: so far.
        commit: the commit a GitHub tarball says it was made from, once iteration has begun.
    """

    def __init__(self, patterns: Sequence[str] | PathPatterns, limits: TreeLimits, name: str) -> None:
        self.members_seen = 0
        self.members_refused: list[Refusal] = []
        self.commit: str | None = None
        self._patterns = patterns if isinstance(patterns, PathPatterns) else PathPatterns(patterns)
        self._limits = limits
        self._name = name
        self._is_packed = False
        self._entries = 0
        self._kept: set[str] = set()
        self._files: Iterator[tuple[str, bytes]] = iter(())

    def __next__(self) -> tuple[str, bytes]:
        return next(self._files)

    def _rejected(self, problem: str, remedy: str) -> PayloadRejected:
        return PayloadRejected(payload=self._name, problem=problem, remedy=remedy)

    def _refuse(self, name: str, reason: str) -> None:
        self.members_refused.append(Refusal(_printable(name), reason))

    def _count_entry(self) -> None:
        self._entries += 1
        if self._entries > self._limits.max_members:
            raise self._rejected(
                f"it has more than {self._limits.max_members} members",
                "look at what came; if it is right, raise max_members of this source",
            )

    def _count_bytes(self, total: int) -> None:
        if total > self._limits.max_total_bytes:
            raise self._rejected(
                f"it holds more than {self._limits.max_total_bytes} bytes unpacked",
                "look at what came (a decompression bomb?); if it is right, raise max_total_bytes of this source",
            )

    def _wanted(self, path: str, size: int, not_a_file: str | None) -> bool:
        """Whether to read a member; records the reason when it is asked for and cannot be had."""
        if not self._patterns.match(path):
            return False
        if not_a_file:
            self._refuse(path, f"it is {not_a_file}")
        elif path.encode("utf-8", "replace").decode() != path:
            self._refuse(path, "its name is not UTF-8")
        elif size > self._limits.max_member_bytes:
            self._refuse(path, f"it has {size} bytes, more than the limit of {self._limits.max_member_bytes}")
        elif path in self._kept:
            self._refuse(path, "it occurs a second time; the first one is kept")
        else:
            return True
        return False

    def _keep(self, path: str, data: bytes) -> tuple[str, bytes]:
        self._kept.add(path)
        return path, data


def iter_tarball(
    tarball: Path | BinaryIO,
    patterns: Sequence[str] | PathPatterns,
    limits: TreeLimits | None = None,
    *,
    name: str | None = None,
) -> TreeMembers:
    """The files of a .tar, .tar.gz, .tar.xz or .tar.bz2 (told apart by content) that the patterns ask for.

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
    limits = limits or TreeLimits()
    members = TreeMembers(
        patterns, limits, name or (tarball.name if isinstance(tarball, Path) else "tarball")
    )
    members._files = _tarball_files(members, tarball)
    return members


def iter_folder(
    folder: Path,
    patterns: Sequence[str] | PathPatterns,
    limits: TreeLimits | None = None,
) -> TreeMembers:
    """The files of a folder that the patterns ask for; `.git` is not looked at and no link is followed.

    Args:
        folder: the tree, or the folder a GitHub tarball was unpacked in (one GitHub-like folder is stepped into).
        patterns: see `PathPatterns`.
        limits: default `TreeLimits()`.

    Returns:
        An iterator of (relative path, content), sorted within each folder. Its attributes give the account.

    Raises:
        PayloadRejected: while iterating, for a tree over the limits.
    """
    members = TreeMembers(patterns, limits or TreeLimits(), folder.name)
    root, tops = folder, []
    with suppress(OSError):  # reading the folder itself tells what is wrong with it
        tops = list(folder.iterdir())
    # a checkout has its .git here as well, so a sparse one that holds a single folder keeps it
    if len(tops) == 1 and tops[0].is_dir() and not tops[0].is_symlink() and _is_github_top(tops[0].name):
        root = tops[0]
    members._files = _folder_files(members, root)
    return members


def pack_tree(
    members: Iterable[tuple[str, bytes]], out: Path | BinaryIO, *, keep_incomplete: bool = False
) -> PackReport:
    """Write a tree as an uncompressed tar that depends on its paths and contents alone.

    Sorted by path, mtime 0, owner 0, mode 0644, PAX format: a folder, a tarball and a checkout of one release give the
    same sha256. By a mark in its global header `iter_tarball` knows that the GitHub folder is gone already.

    Args:
        members: (relative path, content), in any order; usually from `iter_tarball` or `iter_folder`.
        out: file to write, or an open binary stream.
        keep_incomplete: when `members` ends in a `PayloadRejected`, pack what came before and say so in the report.

    Returns:
        The account.

    Raises:
        PayloadRejected: from `members`, unless `keep_incomplete`.
        ValueError: when a path occurs twice.
    """
    incomplete: PayloadRejected | None = None
    places: dict[str, tuple[int, int]] = {}
    with tempfile.TemporaryFile() as spool:
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
        with ExitStack() as stack:
            target = stack.enter_context(out.open("wb")) if isinstance(out, Path) else out
            writer = _HashingWriter(target)
            writer.write(tarfile.TarInfo.create_pax_global_header(_PACKED))
            for path in sorted(places):
                offset, size = places[path]
                spool.seek(offset)
                writer.write(_tar_header(path, size))
                for start in range(0, size, _READ_BYTES):
                    writer.write(spool.read(min(_READ_BYTES, size - start)))
                writer.write(bytes(-size % _TAR_BLOCK))
            writer.write(bytes(2 * _TAR_BLOCK))
            writer.write(bytes(-writer.size % _TAR_RECORD))
    known = members if isinstance(members, TreeMembers) else None
    return PackReport(
        members_seen=known.members_seen if known else len(places),
        members_kept=len(places),
        members_refused=tuple(known.members_refused) if known else (),
        bytes=writer.size,
        sha256=writer.digest.hexdigest(),
        incomplete=incomplete,
    )


def looks_like_tarball(head: bytes) -> bool:
    """Whether a file is a tar archive or compressed, by its first bytes.

    Args:
        head: the first 512 bytes or more.

    Returns:
        True for gzip, xz and bzip2 data and for a tar header.
    """
    if _opener(head) is not None:
        return True
    try:
        tarfile.TarInfo.frombuf(head[:_TAR_BLOCK], "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


class _HashingWriter:
    def __init__(self, out: IO[bytes]) -> None:
        self._out, self.digest, self.size = out, hashlib.sha256(), 0

    def write(self, data: bytes) -> None:
        self._out.write(data)
        self.digest.update(data)
        self.size += len(data)


def _tar_header(path: str, size: int) -> bytes:
    # written by hand, because a TarFile keeps an object for each of 200,000 members
    info = tarfile.TarInfo(path)
    info.size, info.mode = size, 0o644
    return info.tobuf(tarfile.PAX_FORMAT, "utf-8", "strict")


# --- folders -----------------------------------------------------------------------------------------------------


def _folder_files(members: TreeMembers, root: Path) -> Iterator[tuple[str, bytes]]:
    total = 0
    for path, entry in _walk(members, root):
        members.members_seen += 1
        try:
            found = entry.stat(follow_symlinks=False)
            if not members._wanted(path, found.st_size, _not_a_file(found.st_mode)):
                continue
            members._count_bytes(total + found.st_size)
            with Path(entry.path).open("rb") as file:
                # the file may have grown since stat
                data = file.read(members._limits.max_member_bytes + 1)
        except OSError as error:
            if members._patterns.match(path):
                members._refuse(path, f"it cannot be read ({error.strerror})")
            continue
        if len(data) > members._limits.max_member_bytes:
            members._refuse(path, f"it grew over the limit of {members._limits.max_member_bytes} bytes")
            continue
        total += len(data)
        yield members._keep(path, data)


def _walk(members: TreeMembers, root: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Everything but folders, with its path; links are not followed."""
    pending: list[tuple[str, Path]] = [("", root)]
    while pending:
        prefix, folder = pending.pop()
        try:
            with os.scandir(folder) as entries:
                ordered = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            members._refuse(prefix or str(folder), f"the folder cannot be read ({error.strerror})")
            continue
        for entry in ordered:
            path = prefix + entry.name
            if path == ".git":
                continue
            members._count_entry()
            if entry.is_dir(follow_symlinks=False):
                pending.append((path + "/", Path(entry.path)))
            else:
                yield path, entry


def _not_a_file(mode: int) -> str | None:
    if stat.S_ISREG(mode):
        return None
    return "a symbolic link" if stat.S_ISLNK(mode) else "a device or pipe"


# --- tarballs ----------------------------------------------------------------------------------------------------


class _Entry(NamedTuple):
    name: str
    kind: bytes
    size: int
    header_at: int
    is_sparse: bool


class _Source:
    """Decompressed bytes of an archive, with a position; damage shows as an early end with a `problem`."""

    def __init__(self, file: IO[bytes], count_bytes: Callable[[int], None]) -> None:
        opener = _opener(file.read(_TAR_BLOCK))
        file.seek(0)
        self._seekable = opener is None
        self._file: IO[bytes] = opener(file) if opener else file
        # one decompressed block a call, so that everything before a damage is seen
        self._read_some = cast(Callable[[int], bytes], getattr(self._file, "read1", self._file.read))
        self._size = file.seek(0, io.SEEK_END) if self._seekable else 0
        file.seek(0)
        self._count_bytes = count_bytes
        self._buffer = b""
        self._counted = 0
        self.position = 0
        self.problem: str | None = None
        self.is_cut = False

    def read(self, size: int) -> bytes:
        """Up to `size` bytes; fewer only at the end."""
        parts, missing = [], size
        while missing and (self._buffer or self._fill()):
            part, self._buffer = self._buffer[:missing], self._buffer[missing:]
            parts.append(part)
            missing -= len(part)
        self.position += size - missing
        return b"".join(parts)

    def skip(self, size: int) -> bool:
        """Go forward; False when the archive ends before."""
        if self._seekable and size > len(self._buffer):
            ahead = size - len(self._buffer)
            here = self._file.tell()
            self._buffer = b""
            reached = min(here + ahead, self._size)
            self._file.seek(reached)
            self.position += size - (here + ahead - reached)
            return reached == here + ahead
        while size:
            step = len(self.read(min(size, _READ_BYTES)))
            if not step:
                return False
            size -= step
        return True

    def _fill(self) -> bool:
        if self.problem:
            return False
        try:
            self._buffer = self._read_some(_READ_BYTES)
        except (EOFError, zlib.error, lzma.LZMAError) as error:
            self.problem, self.is_cut = str(error), isinstance(error, EOFError)
        except OSError as error:
            if error.errno is not None:
                raise  # the disk, not the archive
            self.problem = str(error)
        self._counted += len(self._buffer)
        self._count_bytes(self._counted)
        return bool(self._buffer)


def _opener(head: bytes) -> Callable[[IO[bytes]], IO[bytes]] | None:
    if head.startswith(b"\x1f\x8b"):
        return lambda file: cast(IO[bytes], gzip.GzipFile(fileobj=file, mode="rb"))
    if head.startswith(b"\xfd7zXZ\x00"):
        return lambda file: cast(IO[bytes], lzma.LZMAFile(file, "rb"))
    if head.startswith(b"BZh"):
        return lambda file: cast(IO[bytes], bz2.BZ2File(file, "rb"))
    return None


def _tarball_files(members: TreeMembers, tarball: Path | BinaryIO) -> Iterator[tuple[str, bytes]]:
    with _seekable(tarball) as file:
        start = file.tell()
        top = _github_top(members, file)
        file.seek(start)
        source = _Source(file, members._count_bytes)
        for entry in _entries(source, members):
            members._count_entry()
            data_at = source.position
            if entry.kind != tarfile.DIRTYPE:
                members.members_seen += 1
                path = _safe_path(members, entry.name, top)
                if path and members._wanted(path, entry.size, _entry_not_a_file(entry)):
                    data = source.read(entry.size)
                    if len(data) < entry.size:
                        raise _cut_short(members, source, f"inside {_printable(entry.name)}")
                    yield members._keep(path, data)
            _skip_to(members, source, data_at + _on_tape(entry), entry)


@contextmanager
def _seekable(tarball: Path | BinaryIO) -> Iterator[IO[bytes]]:
    with ExitStack() as stack:
        if isinstance(tarball, Path):
            yield stack.enter_context(tarball.open("rb"))
        elif tarball.seekable() and tarball.tell() == 0:
            yield tarball
        else:
            copy = stack.enter_context(tempfile.TemporaryFile())
            while block := tarball.read(_READ_BYTES):
                copy.write(block)
            copy.seek(0)
            yield copy


def _github_top(members: TreeMembers, file: IO[bytes]) -> str | None:
    """The one folder everything stands in, when GitHub put it there."""
    tops: set[str] = set()
    probe = TreeMembers(members._patterns, members._limits, members._name)
    source = _Source(file, probe._count_bytes)
    try:
        for entry in _entries(source, probe):
            probe._count_entry()
            if probe._is_packed:
                return None  # taken away already; a single folder left is content
            parts = _parts(entry.name)
            if len(parts) == 1 and entry.kind != tarfile.DIRTYPE:
                return None  # a file beside the folder
            tops.update(parts[:1])
            if len(tops) > 1:
                return None
            _skip_to(probe, source, source.position + _on_tape(entry), entry)
    except PayloadRejected:
        pass  # the second reading comes to the same place, and says so
    top = tops.pop() if tops else ""
    return top if _is_github_top(top) else None


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


def _entry_not_a_file(entry: _Entry) -> str | None:
    if entry.is_sparse:
        return "a sparse file"
    if entry.kind in _REGULAR:
        return None
    return _LINKS_AND_DEVICES.get(entry.kind, f"of the unknown type {entry.kind!r}")


def _on_tape(entry: _Entry) -> int:
    """Bytes of content that follow the header, padding included."""
    if entry.kind in _LINKS_AND_DEVICES or entry.kind == tarfile.DIRTYPE:
        return 0
    return entry.size + -entry.size % _TAR_BLOCK


def _skip_to(members: TreeMembers, source: _Source, position: int, entry: _Entry) -> None:
    if not source.skip(position - source.position):
        raise _cut_short(members, source, f"inside {_printable(entry.name)}")


def _entries(source: _Source, members: TreeMembers) -> Iterator[_Entry]:
    """Headers of an archive; the caller moves the source behind the content before it asks for the next.

    Not `tarfile.open`: it believes the size of an extended header, reads in vain for a member that claims exabytes,
    takes a missing end for the end, and keeps every member in memory.
    """
    long_name: str | None = None
    shared: dict[str, str] = {}
    extended: dict[str, str] = {}
    while True:
        header_at = source.position
        block = source.read(_TAR_BLOCK)
        if len(block) < _TAR_BLOCK:
            if header_at == 0 and not source.is_cut:
                raise _not_tar(members, source.problem or f"it has {len(block)} bytes")
            raise _cut_short(members, source, "before its end-of-archive mark")
        if block == bytes(_TAR_BLOCK):
            break
        try:
            info = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
            if info.size < 0:
                raise tarfile.HeaderError("negative size")
        except tarfile.HeaderError as error:
            if header_at == 0:
                raise _not_tar(members, f"its first header is none: {error}") from None
            raise _broken(members, header_at, str(error)) from None
        if info.type in (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.XGLTYPE):
            records = _pax_records(_extension(members, source, info, header_at), members, header_at)
            if info.type == tarfile.XGLTYPE:
                shared |= records
                members._is_packed = members._is_packed or records.items() >= _PACKED.items()
                if _COMMIT.fullmatch(records.get("comment", "")):
                    members.commit = records["comment"]
            else:
                extended = records
            continue
        if info.type in (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK):
            text = _extension(members, source, info, header_at).rstrip(b"\0")
            if info.type == tarfile.GNUTYPE_LONGNAME:
                long_name = text.decode("utf-8", "surrogateescape")
            continue
        yield _entry(source, members, info, block, header_at, long_name, shared | extended)
        long_name, extended = None, {}
    # to the end, so that a checksum behind the archive is looked at
    while source.skip(_READ_BYTES):
        pass
    if source.problem:
        raise _cut_short(members, source, "behind the end-of-archive mark")


def _entry(
    source: _Source,
    members: TreeMembers,
    info: tarfile.TarInfo,
    block: bytes,
    header_at: int,
    long_name: str | None,
    pax: dict[str, str],
) -> _Entry:
    is_sparse = info.type == tarfile.GNUTYPE_SPARSE or any(key.startswith("GNU.sparse.") for key in pax)
    more = info.type == tarfile.GNUTYPE_SPARSE and bool(block[482])
    while more:  # the map of an old GNU sparse file goes on in further blocks
        extra = source.read(_TAR_BLOCK)
        if len(extra) < _TAR_BLOCK:
            raise _cut_short(members, source, f"inside {_printable(info.name)}")
        more = bool(extra[504])
    try:
        size = int(pax["size"]) if "size" in pax else info.size
        if size < 0:
            raise ValueError("negative size")
    except ValueError as error:
        raise _broken(members, header_at, str(error)) from None
    name = pax.get("GNU.sparse.name") or pax.get("path") or long_name or info.name
    return _Entry(name, info.type, size, header_at, is_sparse)


def _extension(members: TreeMembers, source: _Source, info: tarfile.TarInfo, header_at: int) -> bytes:
    if info.size > _MAX_HEADER_BYTES:
        raise _broken(members, header_at, f"an extended header claims {info.size} bytes")
    data = source.read(info.size)
    if len(data) < info.size or not source.skip(-info.size % _TAR_BLOCK):
        raise _cut_short(members, source, "inside an extended header")
    return data


def _pax_records(data: bytes, members: TreeMembers, header_at: int) -> dict[str, str]:
    """``<length> <key>=<value>\\n`` repeated."""
    records: dict[str, str] = {}
    while data.rstrip(b"\0"):
        match = re.match(rb"(\d{1,8}) ([^=]+)=", data)
        length = int(match[1]) if match else 0
        if not match or length <= match.end() or data[length - 1 : length] != b"\n":
            raise _broken(members, header_at, "an extended header is malformed")
        value = data[match.end() : length - 1]
        records[match[2].decode("utf-8", "replace")] = value.decode("utf-8", "surrogateescape")
        data = data[length:]
    return records


def _not_tar(members: TreeMembers, found: str) -> PayloadRejected:
    return members._rejected(
        f"it is no tar archive ({found})",
        "look at what came (an error page?), and give a .tar, .tar.gz, .tar.xz or .tar.bz2",
    )


def _broken(members: TreeMembers, position: int, problem: str) -> PayloadRejected:
    return members._rejected(
        f"the archive is damaged at unpacked byte {position}: {problem}",
        "fetch it again, or get it from elsewhere",
    )


def _cut_short(members: TreeMembers, source: _Source, where: str) -> PayloadRejected:
    cause = f" ({source.problem})" if source.problem else ""
    return members._rejected(
        f"the archive is cut short or damaged at unpacked byte {source.position}, {where}{cause}",
        "fetch it again; the download or copy did not finish",
    )


def _printable(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()


# --- patterns ----------------------------------------------------------------------------------------------------


def _translated(pattern: str) -> str:
    body = pattern.strip("/")
    if not body or pattern[0] in "!#" or pattern != pattern.strip():
        raise ValueError(
            f"pattern {pattern!r}: give a path with *, ? or **; negation and comments are not supported"
        )
    segments = body.split("/")
    regex = "" if "/" in pattern.rstrip("/") else "(?:.*/)?"
    for segment in segments[:-1]:
        regex += "(?:.*/)?" if segment == "**" else _translated_segment(segment) + "/"
    regex += ".+" if segments[-1] == "**" else _translated_segment(segments[-1])
    return f"(?:{regex}/.+)" if pattern.endswith("/") else f"(?:{regex})"


def _translated_segment(segment: str) -> str:
    regex, i = "", 0
    while i < len(segment):
        char = segment[i]
        closing = segment.find("]", i + 2) if char == "[" else -1
        if char == "*":
            regex += "[^/]*"
            i = i + len(segment[i:]) - len(segment[i:].lstrip("*")) - 1
        elif char == "?":
            regex += "[^/]"
        elif closing > 0:
            inside = segment[i + 1 : closing].replace("\\", "\\\\").replace("[", "\\[")
            regex += f"(?!/)[{'^' + inside[1:] if inside[0] in '!^' else inside}]"
            i = closing
        elif char == "\\" and i + 1 < len(segment):
            i += 1
            regex += re.escape(segment[i])
        else:
            regex += re.escape(char)
        i += 1
    return regex


def _literal_tail(pattern: str) -> str:
    """What every path the pattern names ends with."""
    if pattern.endswith("/") or "\\" in pattern:
        return ""
    return re.split(r"[*?\]/]", pattern)[-1]
