"""Release trees: read safely from a tarball, a folder or a git repository, and packed: equal content is equal bytes.

No archive is unpacked to disk, and no size, name or link in it is believed. A tarball made by GitHub wraps the tree in
one folder `<repo>-<ref>/` and names the commit in its global header (checked 2026-11-20).
"""

from __future__ import annotations

import bz2
import io
import lzma
import os
import re
import stat
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from isal import igzip, isal_zlib

from accelmart.urls import public_url
from ingest.core.aside import held
from ingest.core.errors import FetchFailed, PayloadRejected
from ingest.core.untrusted_text import clean_text

_CHUNK_BYTES = 1 << 18
_MAX_HEADER_BYTES = 1 << 20  # of all headers of one member; real ones hold a path
_MAX_NAME_CHARS = 512  # the longest known has fewer than 300
_REFUSED_SHOWN = 100
_PACKED_MARK = {
    "ACCELMART.tree": "1"
}  # global header of what `Spool.packed` gives: its GitHub folder is gone
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_DECOMPRESSORS: dict[bytes, Any] = {b"\x1f\x8b": igzip.open, b"\xfd7zXZ\x00": lzma.open, b"BZh": bz2.open}
_BAD_DEFLATE = cast(type[Exception], isal_zlib.error)  # its stub calls it an instance
# ValueError, IndexError, RecursionError: what tarfile stumbles over in a header
_DAMAGE = (
    *(tarfile.TarError, EOFError, OSError, _BAD_DEFLATE, lzma.LZMAError),
    *(ValueError, IndexError, RecursionError),
)
_NO_FILE = "it is a link, a device or a sparse file"
_GIT_OPTIONS = (
    *("core.hooksPath=/dev/null", "core.fsmonitor=false", "submodule.recurse=false"),
    *("maintenance.auto=false", "http.lowSpeedLimit=1000", "http.lowSpeedTime=60"),
)
# the rest would point git at another repository: a hook that starts us sets GIT_DIR
_GIT_VARIABLES = ("GIT_ASKPASS", "GIT_CONFIG_", "GIT_HTTP_", "GIT_PROXY_", "GIT_SSH", "GIT_SSL_")
_SSH = "ssh -o BatchMode=yes -o ConnectTimeout=60 -o ServerAliveInterval=30"


@dataclass(frozen=True)
class TreeLimits:
    """How much of a release tree is believed.

    Attributes:
        max_members: entries, folders included, one with a name of over 255 characters counted twice: names are kept in
            memory. The largest known release has about 200,000 files.
        max_member_bytes: of one file; a larger one is refused, the rest goes on.
        max_total_bytes: read or decompressed altogether; a larger tree is rejected whole.
    """

    max_members: int = 400_000
    max_member_bytes: int = 256 << 20
    max_total_bytes: int = 8 << 30


class Tree(Iterator[tuple[str, bytes]]):
    """The wanted files of a tree as (relative path, content), and the account of those that are not among them.

    Attributes:
        members_seen: files and other non-folders so far, asked for or not.
        members_refused: (name, reason) of the first hundred that were asked for and cannot be had, or whose name cannot
            be trusted.
        members_refused_count: of all of them so far.
        commit: the commit it was made from, where that is known, once iteration has begun.
    """

    def __init__(self, patterns: Sequence[str], limits: TreeLimits | None, name: str) -> None:
        self.members_seen = self.members_refused_count = 0
        self.members_refused: list[tuple[str, str]] = []
        self.commit: str | None = None
        self._wanted = compile_patterns(patterns)
        self._limits = limits or TreeLimits()
        self._name = name
        self._entries = 0
        self._paths: set[str] = set()
        self._files: Iterator[tuple[str, bytes]] = iter(())

    def __next__(self) -> tuple[str, bytes]:
        return next(self._files)

    def account(self) -> dict[str, Any]:
        """What was seen and refused so far, for the manifest."""
        return {
            "members_seen": self.members_seen,
            "members_refused": [list(refusal) for refusal in self.members_refused],
            "members_refused_count": self.members_refused_count,
            **({"commit": self.commit} if self.commit else {}),
        }

    def _over_limit(self, limit: int, what: str) -> PayloadRejected:
        return PayloadRejected(
            payload=self._name,
            problem=f"it holds more than {limit} {what}",
            remedy="look at it (a decompression bomb?); if it is right, raise the limits of this source",
        )

    def _refuse(self, name: str, reason: str) -> None:
        self.members_refused_count += 1
        if len(self.members_refused) < _REFUSED_SHOWN:
            self.members_refused.append((_shown(name), reason))

    def _count_entry(self, name: str) -> None:
        self._entries += 1 if len(name) < 256 else 2
        if self._entries > self._limits.max_members:
            raise self._over_limit(self._limits.max_members, "members")

    def _wants(self, path: str, size: int, *, is_file: bool) -> bool:
        """Whether to read a member; refuses one that is asked for and cannot be had."""
        limit, reason = self._limits.max_member_bytes, None
        if len(path) > _MAX_NAME_CHARS:  # before the patterns, which would take long
            reason = f"its name has {len(path)} characters"
        elif not self._wanted.fullmatch(path):
            return False
        elif not is_file:
            reason = _NO_FILE
        elif not path.isprintable() or "\\" in path:
            reason = "its name is not UTF-8, or holds a backslash or what cannot be printed"
        elif size > limit:
            reason = f"it has {size} bytes, more than the limit of {limit}"
        elif path in self._paths:
            reason = "it occurs a second time; the first one is kept"
        if reason:
            self._refuse(path, reason)
            return False
        self._paths.add(path)
        return True


def compile_patterns(patterns: Sequence[str]) -> re.Pattern[str]:
    """Return the regular expression that a wanted path matches in full.

    Args:
        patterns: as git's for a sparse checkout, for files: ``*`` stops at ``/``, ``**`` is any number of folders; one
            with a ``/`` is anchored at the root, one without matches at any depth (``/name`` anchors it). Letters,
            digits and ``. _ + -`` beside the stars.
    """
    return re.compile("|".join(map(_translated, patterns)), re.DOTALL)


def _translated(pattern: str) -> str:
    *folders, last = (re.escape(part).replace(r"\*", "[^/]*") for part in pattern.strip("/").split("/"))
    any_name = "[^/]*[^/]*"  # of **
    regex = "".join("(?:.*/)?" if folder == any_name else f"{folder}/" for folder in folders)
    return ("" if "/" in pattern else "(?:.*/)?") + regex + (".+" if last == any_name else last)


def read_tarball(
    file: BinaryIO, patterns: Sequence[str], limits: TreeLimits | None = None, *, name: str = "tarball"
) -> Tree:
    """Read the files of a .tar, .tar.gz, .tar.xz or .tar.bz2 (recognised by content) that match the patterns.

    The archive is read twice, first for its names: whether all of it stands in one GitHub folder is known at its end.

    Args:
        file: open binary file that can seek.
        patterns: see `compile_patterns`; matched without the GitHub folder.
        limits: default `TreeLimits()`.
        name: for messages.

    Returns:
        The files in the archive's order. Iterating raises `PayloadRejected` for something that is not a tar archive, is
        over the limits, or is damaged or cut short; of the last, what was whole up to there has been yielded by then.
    """
    tree = Tree(patterns, limits, name)
    tree._files = _tarball_files(tree, file)
    return tree


def looks_like_tarball(head: bytes) -> bool:
    """Whether a file is a tar archive or compressed, by its first 512 bytes or more."""
    return head.startswith(tuple(_DECOMPRESSORS)) or head[257:262] == b"ustar"


class _Unpacked:
    """The decompressed bytes of an archive, counted, for `tarfile` to read forwards."""

    def __init__(self, file: BinaryIO, tree: Tree) -> None:
        file.seek(0)
        head = file.read(6)
        file.seek(0)
        opener = next((opener for magic, opener in _DECOMPRESSORS.items() if head.startswith(magic)), None)
        self._file: IO[bytes] = opener(file) if opener else file
        self._tree = tree
        self._position = self._header_bytes = 0
        self._last = b""

    def tell(self) -> int:
        return self._position

    def read(self, size: int) -> bytes:
        """What `tarfile` asks for: parts of headers."""
        self._header_bytes += size
        if size < 0 or self._header_bytes > _MAX_HEADER_BYTES:
            raise tarfile.ReadError(f"a header claims {size} bytes")
        self._last = self.take(size)
        return self._last

    def seek(self, position: int) -> int:
        if position < self._position:
            raise tarfile.ReadError("a header leads backwards")
        while self._position < position and self.take(min(position - self._position, _CHUNK_BYTES)):
            pass
        return self._position

    def take(self, size: int) -> bytes:
        """As many bytes as there are, up to `size`."""
        limit = self._tree._limits.max_total_bytes
        data = self._file.read(min(size, limit + 1 - self._position))
        self._position += len(data)
        if self._position > limit:
            raise self._tree._over_limit(limit, "bytes unpacked")
        return data

    def infos(self) -> Iterator[tuple[tarfile.TarInfo, Mapping[str, str]]]:
        """Every member and the archive's global header; the archive has to be whole."""
        with tarfile.open(
            fileobj=cast(BinaryIO, self), mode="r:", encoding="utf-8", errors="surrogateescape"
        ) as archive:
            while (info := archive.next()) is not None:
                archive.members.clear()  # type: ignore[attr-defined]  # it would keep all 200,000
                self._header_bytes = 0
                if info.size < 0:
                    raise tarfile.ReadError("a header claims a negative size")
                yield info, archive.pax_headers or {}
        if self._last != bytes(tarfile.BLOCKSIZE):  # tarfile takes whatever is no header for the end
            raise tarfile.ReadError("no header before its end-of-archive mark")
        while self.take(_CHUNK_BYTES):  # a checksum, or a bomb, behind the archive
            pass


def _tarball_files(tree: Tree, file: BinaryIO) -> Iterator[tuple[str, bytes]]:
    last, top, source = None, _github_folder(tree, file), _Unpacked(file, tree)
    try:
        for info, header in source.infos():
            tree.commit = header["comment"] if _COMMIT.fullmatch(header.get("comment", "")) else None
            tree._count_entry(info.name)
            last = info.name
            if info.isdir():
                continue
            tree.members_seen += 1
            path = _path_of(tree, info.name, top)
            if path and tree._wants(path, info.size, is_file=info.isreg() and not info.issparse()):
                data = source.take(info.size)
                if len(data) < info.size:
                    raise EOFError("unexpected end of data")
                yield path, data
    except PayloadRejected:
        raise
    except _DAMAGE as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the disk, not the archive
        problem = "no tar archive, or damaged at its start"
        if last:
            problem = f"cut short or damaged at unpacked byte {source.tell()}, in or after {_shown(last)}"
        raise PayloadRejected(
            payload=tree._name,
            problem=f"the archive is {problem} ({error})",
            remedy="fetch it again if the download did not finish; else look at it (an error page?), and give a .tar, "
            ".tar.gz, .tar.xz or .tar.bz2. Unpack a compressed JSON or CSV file, and give the file itself",
        ) from None


def _github_folder(tree: Tree, file: BinaryIO) -> str | None:
    """Return the one folder everything stands in, when GitHub put it there."""
    tops: set[str] = set()
    with suppress(*_DAMAGE):  # the second reading reports damage
        for info, header in islice(_Unpacked(file, tree).infos(), tree._limits.max_members):
            if parts := _parts(info.name):
                tops.add(parts[0] if len(parts) > 1 or info.isdir() else "")
            # of what is packed it was taken away already: a single folder left is content
            if len(tops) > 1 or header.items() >= _PACKED_MARK.items():
                return None
    return next(filter(_is_github_folder, tops), None)


def _is_github_folder(name: str) -> bool:
    # `<repo>-<ref>`; a content folder such as `closed` or a submitter has to stay
    return "-" in name.strip("-")


def _parts(name: str) -> list[str]:
    return [part for part in name.split("/") if part not in ("", ".")]


def _path_of(tree: Tree, name: str, top: str | None) -> str | None:
    parts = _parts(name)
    if name.startswith("/"):
        tree._refuse(name, "its path is absolute")
    elif ".." in parts:
        tree._refuse(name, "its path leads out of the tree (..)")
    else:
        parts = parts[1:] if top and parts[:1] == [top] else parts
        return "/".join(parts) if parts and parts[0] != ".git" else None
    return None


def _shown(name: str) -> str:
    return clean_text(name.encode("utf-8", "backslashreplace").decode()[:_MAX_NAME_CHARS], keep="")


def read_folder(folder: Path, patterns: Sequence[str], limits: TreeLimits | None = None) -> Tree:
    """Read the files of a folder that match the patterns; `.git` is not looked at and no link is followed.

    One folder in it that looks like GitHub's is stepped into: a GitHub tarball was unpacked here.

    Args:
        folder: its path.
        patterns: see `compile_patterns`.
        limits: default `TreeLimits()`.

    Returns:
        As of `read_tarball`.
    """
    tree = Tree(patterns, limits, folder.name)
    with suppress(OSError, ValueError):  # of an empty folder, or one whose reading tells what is wrong
        # a checkout has its .git here as well, so a sparse one that holds a single folder keeps it
        top, *others = folder.iterdir()
        if not others and top.is_dir() and not top.is_symlink() and _is_github_folder(top.name):
            folder = top
    tree._files = _folder_files(tree, folder)
    return tree


def _folder_files(tree: Tree, root: Path) -> Iterator[tuple[str, bytes]]:
    total, pending = 0, [("", root)]
    while pending:
        prefix, folder = pending.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            tree._refuse(prefix or str(folder), f"the folder cannot be read ({error.strerror})")
            continue
        for entry in entries:
            path = prefix + entry.name
            if path == ".git":
                continue
            tree._count_entry(path)
            if entry.is_dir(follow_symlinks=False):
                pending.append((f"{path}/", folder / entry.name))
                continue
            tree.members_seen += 1
            try:
                status = entry.stat(follow_symlinks=False)
                if not tree._wants(path, status.st_size, is_file=stat.S_ISREG(status.st_mode)):
                    continue
                total += status.st_size
                if total > tree._limits.max_total_bytes:
                    raise tree._over_limit(tree._limits.max_total_bytes, "bytes")
                with (folder / entry.name).open("rb") as file:
                    data = file.read(status.st_size)  # not more, should it grow
            except OSError as error:
                tree._refuse(path, f"it cannot be read ({error.strerror})")
            else:
                yield path, data


@contextmanager
def checkout(
    url: str,
    folder: Path,
    patterns: Sequence[str],
    limits: TreeLimits | None = None,
    *,
    ref: str | None = None,
    timeout_seconds: float = 1800.0,
) -> Iterator[Tree]:
    """Fetch the wanted files of one commit, and remove the checkout afterwards. None of the repository's code is run.

    Args:
        url: anything git can fetch from (http, https, ssh, git, file, ``user@host:path``), or a local path.
        folder: for the checkout.
        patterns: see `compile_patterns`.
        limits: default `TreeLimits()`.
        ref: branch, tag or full commit id; default the remote's HEAD.
        timeout_seconds: for each git command.

    Yields:
        As of `read_folder`, with its commit.

    Raises:
        FetchFailed: git is missing or fails, or takes too long.
    """
    path = Path(url).expanduser()
    # not the bare path: a local clone would ignore the filter and link whole packs
    address = path.resolve().as_uri() if url.strip() and path.exists() else url
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=folder, prefix="checkout-", ignore_cleanup_errors=True) as place,
        held(Path(place)),
    ):

        def git(*arguments: str) -> str:
            return _git(place, arguments, public_url(address), timeout_seconds)

        git("init", "--quiet", "--template=", ".")
        git("remote", "add", "--", "origin", address)
        git("sparse-checkout", "set", "--no-cone", "--", *patterns)
        # conversions off: the bytes of the commit, as they are in a tarball
        attributes = Path(place, ".git", "info", "attributes")
        attributes.write_text("* -text -eol -filter -ident -working-tree-encoding\n", "utf-8")
        git("fetch", "--quiet", "--depth=1", "--filter=blob:none", "--no-tags", "--", "origin", ref or "HEAD")
        git("checkout", "--quiet", "--detach", "FETCH_HEAD")
        tree = read_folder(Path(place), patterns, limits)
        tree.commit = git("rev-parse", "HEAD").strip()
        yield tree


def _git(place: str, arguments: Sequence[str], shown: str, timeout_seconds: float) -> str:
    """Run one git command and return its output; `FetchFailed` unless it succeeds."""
    environment = {
        "GIT_ASKPASS": "true",
        "GIT_SSH_COMMAND": _SSH,
        **{k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k.startswith(_GIT_VARIABLES)},  # noqa: TID251  # handed on to a child process
        "GIT_ALLOW_PROTOCOL": "http:https:ssh:git:file",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
    command = ["git", *(word for option in _GIT_OPTIONS for word in ("-c", option)), *arguments]
    try:
        done = subprocess.run(
            command,
            cwd=place,
            env=environment,
            timeout=timeout_seconds,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
        )
    except FileNotFoundError:
        problem = "git is not installed"
    except subprocess.TimeoutExpired:
        problem = f"git {arguments[0]} did not finish within {timeout_seconds:g} s"
    else:
        if done.returncode == 0:
            return done.stdout
        words = [line for line in done.stderr.splitlines() if line.startswith(("fatal:", "error:"))]
        said = public_url(" / ".join(words[:2]))[:300] or f"exit code {done.returncode}"
        problem = f"git {arguments[0]} failed ({said})"
    raise FetchFailed(
        url=shown,
        problem=problem,
        remedy="check that git 2.35 or later is installed, the URL, the ref (a branch, tag or full commit id) and the "
        "network. A private repository needs a credential helper or an ssh key, a local one all objects (`git fsck`)",
    )


class Spool:
    """The files of a tree, or the answers of a chain of requests, in one temporary file.

    Iterate over it for (path, open binary file), sorted by path, as often as is wanted.

    Args:
        files: (relative path, content) in any order. If they end in a `PayloadRejected`, those before it are kept.
        file: open, empty binary file.

    Attributes:
        rejected: that error; None if all files are there.

    Raises:
        ValueError: a path occurs twice.
    """

    def __init__(self, files: Iterable[tuple[str, bytes]], file: IO[bytes]) -> None:
        self.rejected: PayloadRejected | None = None
        self._file = file
        self._places: dict[str, tuple[int, int]] = {}
        try:
            for path, data in files:
                if path in self._places:
                    raise ValueError(f"{path} occurs twice: a tree has each path once")
                self._places[path] = (file.tell(), len(data))
                file.write(data)
        except PayloadRejected as rejected:
            self.rejected = rejected

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[tuple[str, BinaryIO]]:
        for path in sorted(self._places):
            offset, size = self._places[path]
            self._file.seek(offset)
            yield path, io.BytesIO(self._file.read(size))

    def packed(self) -> Iterator[bytes]:
        """Yield the blocks of an uncompressed tar that depends on paths and contents alone.

        Sorted by path, mtime 0, owner 0, mode 0644, PAX format: a folder, a tarball and a checkout of one release give
        the same sha256. By a mark in its global header `read_tarball` knows that the GitHub folder is gone already.
        """
        # tarfile cannot read a global header before nothing
        header = tarfile.TarInfo.create_pax_global_header(_PACKED_MARK) if self._places else b""
        size = 0
        for path, file in self:
            info, data = tarfile.TarInfo(path), file.read()  # mtime 0, owner 0, mode 0644
            info.size = len(data)
            header += info.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape")
            padding = bytes(-len(data) % tarfile.BLOCKSIZE)
            size += len(header) + len(data) + len(padding)
            yield from (header, data, padding)
            header = b""
        end = 2 * tarfile.BLOCKSIZE
        yield bytes(end + -(size + end) % tarfile.RECORDSIZE)
