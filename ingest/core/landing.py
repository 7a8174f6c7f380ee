"""The landing zone: every payload unchanged, stored once by content, with an append-only manifest.

Knows bytes and evidence, no columns. Objects and records are only ever added: a crash leaves temporary files at most.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import logging
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from isal import igzip

from ingest.core.landing_checks import Spool, copy_up_to, damage, damaged, reason_to_reject
from ingest.core.landing_files import files_at
from ingest.core.landing_order import TIME_FORMAT, in_sequence, is_ahead, place
from ingest.core.payload import Check, Payload
from ingest.core.urls import public_url

log = logging.getLogger(__name__)
_RECORD_VERSION = 1
MISSING = "it is missing"
_SOURCE_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]*")


class _Record(NamedTuple):
    """A payload and when its record was written: breaks ties between equal `fetched_at`."""

    payload: Payload
    recorded_ns: int


class Landing:
    """Payloads and their manifest under one filesystem URL.

    Records of a key are ordered by the sequence they were written in, not by the clock of the machine. One
    that is dated ahead of the clock is not in force before its time.

    Args:
        root: a local path, ``file://…``, ``memory://…`` or any other URL fsspec has a filesystem for.
        now: present time, aware; for tests.
    """

    def __init__(self, root: str | Path, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._files = files_at(root)
        self._now = now

    def store(
        self,
        data: bytes | Path | BinaryIO | Spool,
        *,
        source: str,
        key: str,
        url: str,
        content_type: str,
        licence: str,
        limit_bytes: int,
        check: Check | None = None,
        http_status: int | None = None,
        etag: str | None = None,
        last_modified: str | None = None,
        details: dict[str, Any] | None = None,
        fetched_at: datetime | None = None,
    ) -> Payload:
        """Keep one payload and record it.

        Args:
            data: the bytes, a file, a stream that is read once, or a payload that was spooled and hashed already.
            source: upstream name: lower-case letters, digits, ``_ . -``.
            key: what of the upstream; any text.
            url: where it came from; credentials are taken out.
            content_type: media type.
            licence: of the data.
            limit_bytes: largest acceptable uncompressed size; more is quarantined, keeping the first `limit_bytes`.
            check: raises `PayloadRejected` for a payload that must not come into force.
            http_status: of the answer.
            etag: of the answer.
            last_modified: of the answer.
            details: JSON-serialisable facts to keep.
            fetched_at: aware time; default now, and then the record takes the next place in the sequence of its key.

        Returns:
            The record. `outcome` says whether it came into force; a failed check is no exception here.

        Raises:
            ValueError: for a bad source name or a naive time.
        """
        record = Payload(
            source=_checked_source(source),
            key=key,
            url=public_url(url),
            sha256="",
            fetched_at=self._utc(fetched_at),
            outcome="landed",
            reason=None,
            bytes=0,
            content_type=content_type,
            licence=licence,
            http_status=http_status,
            etag=etag,
            last_modified=last_modified,
            details=dict(details or {}),
        )
        with self._spooled(data, limit_bytes) as spool:
            record = dataclasses.replace(record, sha256=spool.sha256, bytes=spool.size)
            reason = reason_to_reject(spool, limit_bytes, check)
            if reason is not None:
                record = dataclasses.replace(record, outcome="quarantined", reason=reason)
            else:
                last = self.latest(source, key)
                if last is not None and last.sha256 == spool.sha256:
                    record = dataclasses.replace(record, outcome="unchanged")
            if not self.intact(record):
                # identical content gives an identical object, so a concurrent writer does no harm; a damaged
                # object is the one thing that is ever replaced
                spool.file.seek(0)
                self._files.put_gzip(_object_path(record), spool.file)
        self._record(record, is_sequenced=fetched_at is None)
        if record.outcome == "quarantined":
            log.warning("%s %s from %s is quarantined: %s", source, key, record.url, record.reason)
        return record

    def unchanged(
        self,
        previous: Payload,
        *,
        http_status: int | None = 304,
        etag: str | None = None,
        last_modified: str | None = None,
        details: dict[str, Any] | None = None,
        fetched_at: datetime | None = None,
    ) -> Payload:
        """Record that upstream was asked and has nothing new.

        Args:
            previous: the last good payload.
            http_status: of the answer.
            etag: new validator; default the previous one.
            last_modified: new validator; default the previous one.
            details: default the previous ones.
            fetched_at: aware time; default now.

        Returns:
            The new record, for the same bytes.

        Raises:
            ValueError: when `previous` is quarantined, or for a naive time.
        """
        if previous.outcome == "quarantined":
            raise ValueError(f"{previous.source} {previous.key}: a quarantined payload cannot stay in force")
        record = dataclasses.replace(
            previous,
            fetched_at=self._utc(fetched_at),
            outcome="unchanged",
            http_status=http_status,
            etag=etag or previous.etag,
            last_modified=last_modified or previous.last_modified,
            details=dict(previous.details if details is None else details),
        )
        self._record(record, is_sequenced=fetched_at is None)
        return record

    def latest(self, source: str, key: str) -> Payload | None:
        """The payload in force: the last one that was good.

        Args:
            source: upstream name.
            key: what of the upstream.

        Returns:
            The newest record that is not quarantined, or None.
        """
        folder = _manifest_folder(source, key)
        # read backwards and stop, however long the history has become
        names = reversed(self._records_in(folder))
        for _, same_time in groupby(names, key=place):
            loaded = (self._load(f"{folder}/{name}") for name in same_time)
            good = [r for r in loaded if r and r.payload.key == key and r.payload.outcome != "quarantined"]
            if good:
                return max(good, key=lambda r: r.recorded_ns).payload
        return None

    def history(self, source: str | None = None, key: str | None = None) -> list[Payload]:
        """Every record, the quarantined ones too.

        Args:
            source: only this upstream.
            key: only this key.

        Returns:
            Records, oldest first.
        """
        sources = [_checked_source(source)] if source else self._files.names("manifest")
        records: list[_Record] = []
        for one in sources:
            slugs = [_slug(key)] if key is not None else self._files.names(f"manifest/{one}")
            for slug in slugs:
                folder = f"manifest/{one}/{slug}"
                records += [r for name in self._records_in(folder) if (r := self._load(f"{folder}/{name}"))]
        chosen = [r for r in records if key is None or r.payload.key == key]
        return [r.payload for r in sorted(chosen, key=lambda r: (r.payload.fetched_at, r.recorded_ns))]

    def quarantined(self, source: str | None = None, key: str | None = None) -> list[Payload]:
        """The records of `history` that were quarantined, oldest first.

        Args:
            source: only this upstream.
            key: only this key.

        Returns:
            Quarantined records; `read` and `open` give what was kept of them.
        """
        return [p for p in self.history(source, key) if p.outcome == "quarantined"]

    def keys(self, source: str) -> list[str]:
        """Every key ever recorded for an upstream, good or not.

        Args:
            source: upstream name.

        Returns:
            Sorted keys.
        """
        keys: set[str] = set()
        for slug in self._files.names(f"manifest/{_checked_source(source)}"):
            folder = f"manifest/{source}/{slug}"
            for name in self._records_in(folder):
                if record := self._load(f"{folder}/{name}"):
                    keys.add(record.payload.key)  # a folder has one key: any readable record has it
                    break
        return sorted(keys)

    def sources(self) -> list[str]:
        """Upstreams that have a manifest, by name."""
        return sorted(self._files.names("manifest"))

    def record_names(self, source: str) -> dict[str, list[str]]:
        """The manifest of an upstream by name, without reading a record.

        A name begins with the time of its fetch and never changes its content: a caller that keeps what it has
        read has to load only names it has not seen.

        Args:
            source: upstream name.

        Returns:
            For each folder (one key each), the names of its records in their sequence, quarantined ones included.
        """
        folders = sorted(self._files.names(f"manifest/{_checked_source(source)}"))
        return {
            folder: names for folder in folders if (names := self._records_in(f"manifest/{source}/{folder}"))
        }

    def ahead_of_clock(self) -> list[Payload]:
        """Payloads that are not in force because their time is yet to come: the newest of each key."""
        payloads: list[Payload] = []
        for source in self.sources():
            for key in self._files.names(f"manifest/{source}"):
                folder = f"manifest/{source}/{key}"
                newest = in_sequence(self._files.names(folder))[-1:]
                if (
                    newest
                    and is_ahead(newest[0], self._now())
                    and (record := self._load(f"{folder}/{newest[0]}"))
                ):
                    payloads.append(record.payload)
        return payloads

    def load_records(self, source: str, folder: str, names: Iterable[str]) -> dict[str, Payload]:
        """Records of one key, by their names.

        Args:
            source: upstream name.
            folder: from `record_names`.
            names: from `record_names`.

        Returns:
            The readable ones by name, in the order given; an unreadable one is logged and left out. Records of one
            microsecond differ by name only, not in the order they were written.

        Raises:
            FileNotFoundError: for a name that `record_names` did not give.
        """
        path = f"manifest/{_checked_source(source)}/{folder}"
        loaded = ((name, self._load(f"{path}/{name}")) for name in names)
        return {name: record.payload for name, record in loaded if record}

    def address(self, payload: Payload) -> str:
        """Where the stored (gzip-compressed) object of a payload is, for a person to look at.

        Args:
            payload: a record of this landing zone.

        Returns:
            A path, or a URL without credentials for a remote landing zone.
        """
        return public_url(self._files.address(_object_path(payload)))

    def read(self, payload: Payload) -> bytes:
        """The bytes of a payload, verified.

        Args:
            payload: a record of this landing zone.

        Returns:
            The uncompressed bytes.

        Raises:
            PayloadRejected: when the stored object is missing or damaged.
        """
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
            except FileNotFoundError:
                raise damaged(payload, f"its object {path} is missing") from None
            # one handle for both passes: what was verified is what is read
            if problem := damage(raw, payload):
                raise damaged(payload, f"its object {path} is damaged ({problem})")
            raw.seek(0)
            yield cast(BinaryIO, stack.enter_context(igzip.GzipFile(fileobj=raw, mode="rb")))

    def intact(self, payload: Payload) -> bool:
        """Whether the stored object of a payload is there and still has its sha256.

        Args:
            payload: a record of this landing zone.

        Returns:
            False when the payload has to be fetched in full again.
        """
        problem = self.problem_of(payload)
        if problem and problem != MISSING:
            log.warning(
                "object %s is damaged (%s): it is replaced by the next good fetch",
                _object_path(payload),
                problem,
            )
        return problem is None

    def problem_of(self, payload: Payload) -> str | None:
        """What is wrong with the stored object of a payload, read to its end; None if it is intact."""
        path = _object_path(payload)
        if not self._files.exists(path):
            return MISSING
        with self._files.open(path) as raw:
            return damage(raw, payload)

    def set_aside(self, payload: Payload) -> str:
        """Move a damaged object out of the way of the next good fetch, and return where it is now.

        Raises:
            FileNotFoundError: the object is missing.
        """
        path = _object_path(payload)
        aside = f"damaged/{path.rpartition('/')[2]}"
        self._files.move(path, aside)
        return public_url(self._files.address(aside))

    def sweep(self, older_than: timedelta = timedelta(days=1)) -> int:
        """Remove what crashed writers left behind.

        Args:
            older_than: younger temporary files may belong to a living writer and stay.

        Returns:
            Number of files removed.
        """
        return self._files.sweep(time.time() - older_than.total_seconds())

    @contextmanager
    def _spooled(self, data: bytes | Path | BinaryIO | Spool, limit_bytes: int) -> Iterator[Spool]:
        if isinstance(data, Spool):
            yield data
            return
        with tempfile.TemporaryFile(dir=self._files.spool_dir) as file:
            if isinstance(data, bytes):
                digest = copy_up_to(limit_bytes, io.BytesIO(data), file)
            elif isinstance(data, Path):
                with data.open("rb") as source:
                    digest = copy_up_to(limit_bytes, source, file)
            else:
                digest = copy_up_to(limit_bytes, data, file)
            yield Spool(file, *digest)

    def _utc(self, moment: datetime | None) -> datetime:
        if moment is None:
            return self._now().astimezone(UTC)
        if moment.tzinfo is None:
            raise ValueError(f"fetched_at {moment.isoformat()} has no time zone: give an aware time")
        return moment.astimezone(UTC)

    def _records_in(self, folder: str) -> list[str]:
        now = self._now()
        return [name for name in in_sequence(self._files.names(folder)) if not is_ahead(name, now)]

    def _record(self, payload: Payload, *, is_sequenced: bool) -> None:
        folder = _manifest_folder(payload.source, payload.key)
        stem = f"{payload.fetched_at:{TIME_FORMAT}}-{payload.sha256[:12]}"
        if is_sequenced:
            names = in_sequence(self._files.names(folder))
            stem += f"-s{place(names[-1])[0] + 1 if names else 1}"
        body = {
            "record_version": _RECORD_VERSION,
            "recorded_ns": time.time_ns(),
            **dataclasses.asdict(payload),
            "fetched_at": payload.fetched_at.isoformat(),
        }
        data = (json.dumps(body, indent=1) + "\n").encode()
        number = 1
        # the same content recorded twice in one microsecond (or with a given time) still makes two records
        while not self._files.put_new(f"{folder}/{stem}{f'-{number}' if number > 1 else ''}.json", data):
            number += 1

    def _load(self, path: str) -> _Record | None:
        try:
            body = json.loads(self._files.read(path))
            known = {f.name: body[f.name] for f in dataclasses.fields(Payload)}
            known["fetched_at"] = datetime.fromisoformat(body["fetched_at"])
            return _Record(Payload(**known), body["recorded_ns"])
        except (ValueError, KeyError, TypeError) as error:
            # one unreadable record must not take the whole source down: the others still tell the truth
            log.warning(
                "manifest record %s is unreadable (%r) and left out: restore it from a backup or delete it",
                path,
                error,
            )
            return None


def _checked_source(source: str) -> str:
    if not _SOURCE_NAME.fullmatch(source):
        raise ValueError(f"source {source!r}: use lower-case letters, digits, '_', '.' and '-' only")
    return source


def _slug(key: str) -> str:
    """A folder name for any key; a digest is added where the name alone would not tell keys apart."""
    slug = re.sub(r"[^a-z0-9._-]+", "-", key.lower()).lstrip(".")[:80]
    return slug if slug == key and slug else f"{slug}-{hashlib.sha256(key.encode()).hexdigest()[:12]}"


def _manifest_folder(source: str, key: str) -> str:
    return f"manifest/{_checked_source(source)}/{_slug(key)}"


def _object_path(payload: Payload) -> str:
    top = "quarantine" if payload.outcome == "quarantined" else "objects"
    return f"{top}/{payload.sha256[:2]}/{payload.sha256}.gz"
