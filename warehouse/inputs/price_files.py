"""Files of collected prices: those of the bundled snapshot, and the user's own in ``overrides/prices/``.

A file is parsed once, like a payload that was landed; the name of its part holds its hash. The user's own are read
where they lie, so that a file that is changed or removed takes its prices with it. Those of the snapshot are parsed
when the snapshot is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import pyarrow.parquet as pq

from accelmart.urls import published_origin
from ingest.core.errors import PayloadRejected
from ingest.core.names import key_of_file
from ingest.core.records import Parsed
from ingest.core.source import Part, Source
from ingest.prices.collected import OWN_PRICES
from ingest.prices.dated import is_dated, moment_of
from ingest.prices.offers import PriceOffer
from ingest.prices.registry import PRICE_SOURCES
from warehouse.inputs.parsing import settle_prices
from warehouse.inputs.raw import Provenance, RawPart, read_parts, write_part
from warehouse.storage.files import sha256_of
from warehouse.storage.home import SNAPSHOT_DIR, Home

COLLECTED = "collected_prices"
"""Folder of the snapshot: ``<source>__<key>.csv``."""


@dataclass(frozen=True)
class PriceFile:
    """A file of prices.

    Attributes:
        source: whose prices it holds.
        key: what a payload with its content would be landed under.
        path: where it lies.
    """

    source: Source
    key: str
    path: Path

    @cached_property
    def sha256(self) -> str:
        """Hash of its content."""
        return sha256_of(self.path)

    @property
    def at(self) -> datetime:
        """When it came here: the day that its key states, else when it was written."""
        if is_dated(self.key):
            return moment_of(self.key)[0]
        return datetime.fromtimestamp(self.path.stat().st_mtime, UTC)

    def write(self, root: Path) -> RawPart:
        """Write its part below a root. A file that is not of the form is one reject, and a build goes on without it."""
        with self.path.open("rb") as file:
            name = "" if is_dated(self.key) else self.path.name
            try:
                (part,) = self.source.parts([(name, file)], key=self.key)
            except PayloadRejected as e:
                parsed = Parsed[PriceOffer](records_in=1)
                parsed.reject("the file", e.problem, payload=e.payload, remedy=e.remedy)
                part = Part("", self.source.dialect, parsed)
        provenance = Provenance(
            source=self.source.name,
            payload_key=self.key,
            payload_url=self.source.home_url if is_dated(self.key) else published_origin(str(self.path)),
            payload_sha256=self.sha256,
            payload_bytes=self.path.stat().st_size,
            licence=self.source.licence,
            fetched_at=self.at,
            parser_version=self.source.parser_version,
        )
        return write_part(root, settle_prices(part, provenance), provenance, parts_in_payload=1)


def bundled_files() -> list[PriceFile]:
    """Return the files of prices that are shipped with the code; the snapshot has what is parsed of them."""
    named = [(path, path.stem.partition("__")) for path in sorted((SNAPSHOT_DIR / COLLECTED).glob("*.csv"))]
    return [PriceFile(PRICE_SOURCES[source], key, path) for path, (source, _, key) in named]


def own_parts(home: Home) -> list[RawPart]:
    """Return the parts of the user's own files; those that are new or changed are parsed."""
    version = OWN_PRICES.parser_version
    known = {
        p.payload: p for p in read_parts(home.raw, OWN_PRICES.name) if p.provenance.parser_version == version
    }
    return [known.get((file.key, file.sha256)) or file.write(home.raw) for file in own_files(home)]


def own_files(home: Home) -> list[PriceFile]:
    """Return the user's own files, ``overrides/prices/*.csv``."""
    return [
        PriceFile(OWN_PRICES, key_of_file(path.stem), path)
        for path in _own_paths(home)
        if path.suffix == ".csv"
    ]


def _own_paths(home: Home) -> list[Path]:
    return sorted(path for path in own_folder(home).glob("*") if not path.name.startswith("."))


def own_folder(home: Home) -> Path:
    """Return the folder of the user's own price files."""
    return home.overrides / "prices"


def own_file_problems(home: Home) -> list[str]:
    """Return what of the user's own files is not used, by file and line."""
    folder = own_folder(home).relative_to(home.root).as_posix()
    problems = [
        f"{folder}/{path.name}: not a .csv file" for path in _own_paths(home) if path.suffix != ".csv"
    ]
    names = {file.key: file.path.name for file in own_files(home)}
    for part in own_parts(home):
        rejects = pq.read_table(part.path(part.family.rejects)).to_pylist()
        name = names[part.provenance.payload_key]
        problems += [f"{folder}/{name}, {row['record']}: {row['problem']}" for row in rejects]
    return problems
