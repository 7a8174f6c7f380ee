"""The landing zone: every payload unchanged, stored once by content, with an append-only manifest.

Knows bytes and evidence, no columns. Objects and records are only ever added: a crash leaves temporary files at most.
"""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import json
import logging
import os
import re
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, BinaryIO, cast

import fsspec
from fsspec.implementations.local import LocalFileSystem
from isal import igzip, isal_zlib

from accelmart.urls import public_url
from ingest.core.aside import held
from ingest.core.errors import PayloadRejected
from ingest.core.names import as_key, as_source
from ingest.core.payload import Evidence, Payload
from ingest.core.stored_json import record_of

log = logging.getLogger(__name__)
MISSING = "it is missing"

_BLOCK_BYTES = 1 << 20
_SHA256 = re.compile(r"[0-9a-f]{64}")
_TIME_FORMAT = "%Y%m%dT%H%M%S.%fZ"
# time of the fetch, start of the payload's sha256, place in the order of writing (homes of before have names without)
_RECORD_NAME = re.compile(r"(\d{8}T\d{6}\.\d{6}Z)-[0-9a-f]{12}(?:-s(\d+))?(?:-\d+)?\.json")
_BAD_DEFLATE = cast(type[Exception], isal_zlib.error)  # its stub calls it an instance


class Landing:
    """Payloads and their manifest under one filesystem URL.

    Records of a key are ordered by the sequence they were written in, not by the clock of the machine.

    Args:
        root: a local path, ``file://…``, ``memory://…`` or any other URL fsspec has a filesystem for.
        now: present time, aware; for tests.
    """

    def __init__(self, root: str | Path, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._files = _Files(root)
        self._now = now

    def store(
        self,
        blocks: Iterable[bytes],
        evidence: Evidence,
        *,
        rejected: PayloadRejected | None = None,
        fetched_at: datetime | None = None,
    ) -> Payload:
        """Keep one payload and record it.

        Args:
            blocks: its bytes.
            evidence: where it comes from; credentials are taken out of its URL.
            rejected: why it must not be used: it is quarantined. None if its check found nothing.
            fetched_at: aware time; default now.

        Returns:
            The record. `outcome` says whether it may be used.

        Raises:
            NotAName: for a bad source or key.
            ValueError: for a naive time.
        """
        source, key = as_source(evidence.source), as_key(evidence.key)
        record = Payload(
            **vars(evidence) | {"source": source, "key": key, "url": public_url(evidence.url)},
            sha256="",
            fetched_at=self._utc(fetched_at),
            outcome="quarantined" if rejected else "landed",
            reason=f"{rejected.problem}. To fix: {rejected.remedy}" if rejected else None,
            bytes=0,
        )
        with self._files.aside() as temporary:
            sha256, size = _pack(blocks, temporary)
            last = None if rejected else self.latest(source, key)
            outcome = "unchanged" if last and last.sha256 == sha256 else record.outcome
            record = dataclasses.replace(record, sha256=sha256, bytes=size, outcome=outcome)
            if not self.intact(record):
                # a concurrent writer does no harm; a damaged object is the one thing that is ever replaced
                self._files.put(temporary, _object_path(record))
        self._record(record)
        if record.outcome == "quarantined":
            log.warning("%s %s from %s is quarantined: %s", source, key, record.url, record.reason)
        return record

    def unchanged(
        self,
        previous: Payload,
        *,
        etag: str | None = None,
        last_modified: str | None = None,
        fetched_at: datetime | None = None,
    ) -> Payload:
        """Record that upstream was asked and has nothing new.

        Args:
            previous: the payload in force.
            etag: new validator; default the previous one.
            last_modified: new validator; default the previous one.
            fetched_at: aware time; default now.

        Returns:
            The new record, for the same bytes.

        Raises:
            ValueError: for a naive time.
        """
        record = dataclasses.replace(
            previous,
            fetched_at=self._utc(fetched_at),
            outcome="unchanged",
            http_status=304,
            etag=etag or previous.etag,
            last_modified=last_modified or previous.last_modified,
        )
        self._record(record)
        return record

    def latest(self, source: str, key: str) -> Payload | None:
        """The payload in force: the newest record of a key that is not quarantined, or None."""
        # read backwards and stop, however long the history has become
        records = self._newest_first(_manifest_folder(source, key))
        return next((record for record in records if record.outcome != "quarantined"), None)

    def history(self, source: str | None = None, key: str | None = None) -> list[Payload]:
        """Every record, the quarantined ones too, oldest first.

        Args:
            source: only this upstream.
            key: only this key.
        """
        folders = [
            folder for folder in self._folders(source) if key is None or folder.endswith(f"/{_slug(key)}")
        ]
        records = [r for f in folders for name in self._names_in(f) if (r := self._load(f"{f}/{name}"))]
        return sorted(records, key=lambda record: record.fetched_at)

    def first_of(self, payload: Payload) -> Payload:
        """Return the first good record of the same key and bytes; the record itself if there is none."""
        earlier = self.history(payload.source, payload.key)
        return next(
            (p for p in earlier if p.sha256 == payload.sha256 and p.outcome != "quarantined"), payload
        )

    def quarantined(self) -> list[Payload]:
        """The records of `history` that were quarantined; `read` and `open` give what was kept of them."""
        return [p for p in self.history() if p.outcome == "quarantined"]

    def newest(self, source: str | None = None) -> list[Payload]:
        """The newest readable record of each key, good or not, by source and key.

        Args:
            source: only this upstream.
        """
        newest = (next(self._newest_first(folder), None) for folder in self._folders(source))
        return sorted(filter(None, newest), key=lambda record: (record.source, record.key))

    def record_names(self) -> list[str]:
        """The manifest by name, without reading a record: ``<source>/<folder of a key>/<name>``, in their sequence.

        A name has the time of the fetch and the payload's hash, and never changes its content.
        """
        folders = self._folders()
        return [f"{f.removeprefix('manifest/')}/{name}" for f in folders for name in self._names_in(f)]

    def address(self, payload: Payload) -> str:
        """The path of the stored (gzip-compressed) object of a payload, or its URL without credentials."""
        return public_url(self._files.address(_object_path(payload)))

    def read(self, payload: Payload) -> bytes:
        """The uncompressed bytes of a payload, verified; raises `PayloadRejected` as `open`."""
        with self.open(payload) as file:
            return file.read()

    @contextmanager
    def open(self, payload: Payload) -> Iterator[BinaryIO]:
        """The bytes of a payload as a stream, verified before the first byte is handed out.

        Args:
            payload: a record of this landing zone.

        Yields:
            A seekable binary file that decompresses as it is read.

        Raises:
            PayloadRejected: when the stored object is missing or damaged.
        """
        path = _object_path(payload)
        with ExitStack() as stack:
            try:
                raw = stack.enter_context(self._files.open(path))
                # one handle for both passes: what was verified is what is read
                problem = _damage(raw, payload)
            except FileNotFoundError:
                problem = MISSING
            if problem:
                raise PayloadRejected(
                    payload=payload.title,
                    problem=f"its object {path} is missing or damaged ({problem})",
                    remedy="fetch it again (a good fetch replaces it), or restore the landing zone from a backup",
                )
            raw.seek(0)
            yield cast(BinaryIO, stack.enter_context(igzip.GzipFile(fileobj=raw, mode="rb")))

    def problem_of(self, payload: Payload) -> str | None:
        """What is wrong with the stored object of a payload, read to its end; None if it is intact."""
        try:
            with self._files.open(_object_path(payload)) as raw:
                return _damage(raw, payload)
        except FileNotFoundError:
            return MISSING

    def intact(self, payload: Payload) -> bool:
        """Whether the stored object of a payload is there and still has its sha256; else it has to be fetched again."""
        problem = self.problem_of(payload)
        if problem and problem != MISSING:
            path = _object_path(payload)
            log.warning("object %s is damaged (%s): it is replaced by the next good fetch", path, problem)
        return problem is None

    def _utc(self, moment: datetime | None) -> datetime:
        if moment is None:
            return self._now().astimezone(UTC)
        if moment.tzinfo is None:
            raise ValueError(f"fetched_at {moment.isoformat()} has no time zone: give an aware time")
        return moment.astimezone(UTC)

    def _folders(self, source: str | None = None) -> list[str]:
        """The folders of the manifest, each of one key."""
        sources = [as_source(source)] if source else sorted(self._files.names("manifest"))
        return [
            f"manifest/{one}/{slug}"
            for one in sources
            for slug in sorted(self._files.names(f"manifest/{one}"))
        ]

    def _names_in(self, folder: str) -> list[str]:
        return sorted((n for n in self._files.names(folder) if n.endswith(".json")), key=_place)

    def _newest_first(self, folder: str) -> Iterator[Payload]:
        for name in reversed(self._names_in(folder)):
            if record := self._load(f"{folder}/{name}"):
                yield record

    def _record(self, payload: Payload) -> None:
        folder = _manifest_folder(payload.source, payload.key)
        names = self._names_in(folder)
        place = _place(names[-1])[0] + 1 if names else 1
        # two writers at once may take one place: time and hash keep their records apart
        name = f"{payload.fetched_at:{_TIME_FORMAT}}-{payload.sha256[:12]}-s{place}.json"
        body = dataclasses.asdict(payload) | {"fetched_at": payload.fetched_at.isoformat()}
        with self._files.aside() as temporary:
            temporary.write_text(json.dumps(body, indent=1) + "\n", "utf-8")
            self._files.put(temporary, f"{folder}/{name}")

    def _load(self, path: str) -> Payload | None:
        try:
            remedy = "restore it from a backup or delete it"
            record: Payload = record_of(Payload, self._files.read(path), path, remedy)
            if as_source(record.source) != path.split("/")[1] or not _SHA256.fullmatch(record.sha256):
                raise ValueError(f"it names another source, or no hash. To fix: {remedy}")
            return dataclasses.replace(record, fetched_at=self._utc(record.fetched_at))
        except ValueError as error:
            # one unreadable record must not take the whole source down: the others still tell the truth
            log.warning("manifest record %s is left out: %s", path, error)
            return None


def _place(name: str) -> tuple[int, str, str]:
    """The place of a record among those of its key: its number in the sequence (0: none), its time, its name."""
    match = _RECORD_NAME.fullmatch(name)
    return (int(match[2] or 0), match[1], name) if match else (0, name.partition("-")[0], name)


def _slug(key: str) -> str:
    """A folder name for any key, also one of before keys had a form; a digest tells those apart that look alike."""
    slug = re.sub(r"[^a-z0-9._-]+", "-", key.lower()).lstrip(".")[:80]
    return slug if slug == key and slug else f"{slug}-{hashlib.sha256(key.encode()).hexdigest()[:12]}"


def _manifest_folder(source: str, key: str) -> str:
    return f"manifest/{as_source(source)}/{_slug(key)}"


def _object_path(payload: Payload) -> str:
    top = "quarantine" if payload.outcome == "quarantined" else "objects"
    return f"{top}/{payload.sha256[:2]}/{payload.sha256}.gz"


def _pack(blocks: Iterable[bytes], target: Path) -> tuple[str, int]:
    """Compress a payload; return the sha256 and number of its bytes."""
    digest, size = hashlib.sha256(), 0
    # no file name and no time in the header: the same payload gives the same object. Ten times as fast as zlib at
    # level 6, for objects an eighth larger (training v5.1: 0.3 s and 36.8 MB against 3.0 s and 32.7 MB)
    with (
        target.open("wb") as out,
        igzip.GzipFile(filename="", mode="wb", fileobj=out, mtime=0) as packed,
    ):
        for block in blocks:
            packed.write(block)
            digest.update(block)
            size += len(block)
    return digest.hexdigest(), size


def _damage(raw: IO[bytes], payload: Payload) -> str | None:
    """What is wrong with a stored object, read from its start to its end; None if it is intact."""
    digest, size = hashlib.sha256(), 0
    try:
        with igzip.GzipFile(fileobj=raw, mode="rb") as plain:
            while (block := plain.read(_BLOCK_BYTES)) and size <= payload.bytes:
                digest.update(block)
                size += len(block)
    except (EOFError, _BAD_DEFLATE, gzip.BadGzipFile) as error:
        return f"not readable as gzip: {error}"
    if digest.hexdigest() != payload.sha256:
        return f"its sha256 is {digest.hexdigest()}, not {payload.sha256}"
    return None


class _Files:
    """Files below a folder or a URL that fsspec knows, each written whole or not at all; paths have forward slashes."""

    def __init__(self, root: str | Path) -> None:
        # other writers' records count at once
        self._fs, self._root = fsspec.core.url_to_fs(str(root), use_listings_cache=False)
        self._local = Path(self._root) if isinstance(self._fs, LocalFileSystem) else None

    def address(self, path: str) -> str:
        return str(self._local / path) if self._local else str(self._fs.unstrip_protocol(self._at(path)))

    def names(self, folder: str) -> list[str]:
        """Names in a folder; none if it does not exist."""
        try:
            entries = self._fs.ls(self._at(folder), detail=False)
        except (FileNotFoundError, NotADirectoryError):
            return []
        names = (str(entry).rstrip("/").rpartition("/")[2] for entry in entries)
        return [name for name in names if not name.startswith(".")]

    def read(self, path: str) -> bytes:
        return bytes(self._fs.cat_file(self._at(path)))

    def open(self, path: str) -> IO[bytes]:
        return cast(IO[bytes], self._fs.open(self._at(path), "rb"))

    @contextmanager
    def aside(self) -> Iterator[Path]:
        """A path for a temporary file, gone afterwards."""
        # beside the objects: the system's temporary folder may be small, or memory
        folder = _made(self._local / "tmp") if self._local else Path(tempfile.gettempdir())
        temporary = folder / f".{uuid.uuid4().hex}.tmp"
        try:
            with held(temporary):
                yield temporary
        finally:
            temporary.unlink(missing_ok=True)

    def put(self, temporary: Path, path: str) -> None:
        """Give a temporary file its name, in place of a file of that name."""
        if self._local is None:
            self._make_parent(path)
            self._fs.put_file(str(temporary), self._at(path))
            return
        target = self._local / path
        _made(target.parent)
        _flush(temporary)
        temporary.replace(target)
        _flush(target.parent)

    def _make_parent(self, path: str) -> None:
        self._fs.makedirs(self._at(path).rpartition("/")[0], exist_ok=True)

    def _at(self, path: str) -> str:
        return f"{self._root.rstrip('/')}/{path}"


def _made(folder: Path) -> Path:
    """Make a folder; a new one is only durable with its entry in the one above."""
    missing = [f for f in (folder, *folder.parents) if not f.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for new in missing:
        _flush(new.parent)
    return folder


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
