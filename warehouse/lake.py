"""The raw layer of one installation: what is landed, what of it is parsed, and which parts a build uses."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path

import pyarrow.parquet as pq

from ingest.errors import AccelmartError
from ingest.fetch.archive import iter_tarball
from ingest.landing import Landing, Payload
from ingest.mlperf.releases import release_order
from ingest.prices.registry import PRICE_SOURCES
from ingest.prices.source import PriceSource
from ingest.source import (
    MLPERF_COLLECTION,
    MLPERF_INFERENCE,
    MLPERF_TRAINING,
    MLPERF_TRAINING_COLLECTION,
    SOURCES,
    Part,
    Source,
    parse_payload,
    parser_version,
    tree_limits,
    upstream_url,
)
from warehouse.files import replace_by_link
from warehouse.home import SNAPSHOT_DIR, Home
from warehouse.price_history import BUNDLE_TABLES, Bundle, PriceHistory, write_poll_index
from warehouse.raw import (
    INFERENCE_FAMILY,
    TRAINING_FAMILY,
    Family,
    Provenance,
    RawPart,
    in_force,
    parse_into,
    read_parts,
)
from warehouse.spec_values import SPEC_TABLES, SpecPart, shippable, spec_parts

TAR = "application/x-tar"
_SOURCES_OF = {
    INFERENCE_FAMILY.name: (MLPERF_INFERENCE, MLPERF_COLLECTION),
    TRAINING_FAMILY.name: (MLPERF_TRAINING, MLPERF_TRAINING_COLLECTION),
}
COLLECTION_KEY = "all"
_TELLING = (
    *("submitter", "platform", "system", "benchmark_published", "benchmark", "scenario", "run"),
    *("result", "result_unit_published", "minutes"),
)


@dataclass(frozen=True)
class Lake:
    """Landing zone, raw layer and bundled snapshot together.

    Args:
        home: the installation's folders.
        snapshot: root of the raw parts shipped with the code.
    """

    home: Home
    snapshot: Path = SNAPSHOT_DIR

    @property
    def landing(self) -> Landing:
        """The landing zone."""
        return Landing(self.home.landing_url)

    def good_payloads(self, source: Source, key: str) -> list[Payload]:
        """The newest good payload of each form (file, tree) that was landed under a key."""
        newest: dict[str, Payload] = {}
        for payload in self.landing.history(source.name, key):
            if payload.outcome != "quarantined":
                newest[payload.content_type] = payload
        return list(newest.values())

    def _parts(self, source: Source, key: str) -> list[RawPart]:
        """Parts of the good payloads of a key, parsed only where the cache has none."""
        release = key if source.has_releases else None
        parts: list[RawPart] = []
        for payload in self.good_payloads(source, key):

            def parse(payload: Payload = payload) -> list[Part]:
                with self._members(source, payload) as members:
                    return parse_payload(source, release=release, members=members)

            parts += parse_into(self.home.raw, _provenance(source, payload, release), parse)[0]
        return parts

    @contextmanager
    def _members(self, source: Source, payload: Payload) -> Iterator[Iterable[tuple[str, bytes]]]:
        """The files of a payload, one at a time: a training round is hundreds of MB of logs."""
        if payload.content_type == TAR:
            with self.landing.open(payload) as tar:
                yield iter_tarball(tar, source.patterns, tree_limits(source))
            return
        data = self.landing.read(payload)
        is_object = data.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{")
        yield [("summary.json" if is_object else "summary_results.json", data)]

    def live_parts(self, family: Family | None = None, release: str | None = None) -> list[RawPart]:
        """Parts of everything landed, of one family and round or of all.

        Raises:
            PayloadRejected: a stored payload is damaged.
        """
        parts = []
        for source in SOURCES.values():
            if family is not None and source.name not in _SOURCES_OF[family.name]:
                continue
            keys = self.landing.keys(source.name) if release is None or not source.has_releases else [release]
            parts += [p for key in keys for p in self._parts(source, key)]
        return [p for p in parts if release is None or p.account.release == release]

    def parts_in_force(self, family: Family | None = None, release: str | None = None) -> list[RawPart]:
        """What a build uses: per (round, dialect) the live part, else the snapshot's."""
        shipped = [
            p
            for p in read_parts(self.snapshot)
            if (family is None or p.family is family) and (release is None or p.account.release == release)
        ]
        return in_force(shipped, self.live_parts(family, release))

    def price_history(self, source: PriceSource) -> PriceHistory:
        """What is known of one source's prices."""
        return PriceHistory(source, self.landing, self.home.raw, self.snapshot)

    def price_bundles(self) -> list[Bundle]:
        """The folded months of every price source; see `PriceHistory.bundles`."""
        return [b for source in PRICE_SOURCES.values() for b in self.price_history(source).bundles()]

    def spec_parts(self) -> tuple[list[SpecPart], list[str]]:
        """The specifications a build uses; see `spec_parts`."""
        return spec_parts(self.landing, self.home.raw, self.snapshot)

    def tables(self) -> list[Bundle | SpecPart]:
        """What a build uses beside the rounds of MLPerf: prices and specifications."""
        return [*self.price_bundles(), *self.spec_parts()[0]]

    def rounds_here(self, family: Family) -> set[str]:
        """Rounds that are shipped or were landed as such. Parses nothing, unlike `releases`."""
        shipped = {p.account.release for p in read_parts(self.snapshot) if p.family is family}
        of_family = [SOURCES[name] for name in _SOURCES_OF[family.name]]
        landed = {key for s in of_family if s.has_releases for key in self.landing.keys(s.name)}
        return (shipped | landed) - {""}

    def releases(self, family: Family) -> list[str]:
        """Rounds of which there is a part, oldest first. Records of no readable round count as one, ``""``."""
        found = {p.account.release for p in self.parts_in_force(family)}
        return sorted(found, key=lambda r: release_order(r) if r else (0, 0))


def _provenance(source: Source, payload: Payload, release: str | None) -> Provenance:
    # A payload that came from a folder of this machine is still MLCommons': its public address is the
    # evidence, the landing manifest keeps the true origin.
    is_public = payload.url.startswith(("http://", "https://", "git@", "ssh://"))
    return Provenance(
        source=source.name,
        payload_key=payload.key,
        payload_url=payload.url if is_public else upstream_url(source, release),
        payload_sha256=payload.sha256,
        payload_bytes=payload.bytes,
        licence=payload.licence,
        fetched_at=payload.fetched_at,
        parser_version=parser_version(source),
    )


def data_version(parts: Iterable[RawPart | Bundle | SpecPart]) -> str:
    """One hash for a set of parts: payloads and parser versions, by their file names."""
    return hashlib.sha256("\n".join(sorted(p.stem for p in parts)).encode()).hexdigest()[:16]


def link_raw(parts: list[RawPart], folder: Path) -> None:
    """Lay the parts in force into one folder per raw table, as a build reads them."""
    for part in parts:
        for table in part.tables:
            replace_by_link(part.path(table), folder / table / f"{part.stem}.parquet")


def link_tables(parts: Iterable[Bundle | SpecPart], folder: Path) -> None:
    """Lay folded months of prices, and specifications, into one folder per table, as a build reads them.

    Raises:
        AccelmartError: a table has nothing at all.
    """
    for part in parts:
        for table, path in part.files.items():
            replace_by_link(path, folder / table / path.name)
    missing = [table for table in (*BUNDLE_TABLES, *SPEC_TABLES) if not (folder / table).is_dir()]
    if missing:
        raise AccelmartError(
            f"there is nothing of {', '.join(missing)}: the bundled snapshot is incomplete. Check the code out anew"
        )


def write_snapshot(
    parts: list[RawPart], histories: Iterable[PriceHistory], specs: list[SpecPart], folder: Path
) -> list[Path]:
    """Replace the bundled snapshot by these parts, and by the prices and specifications that may be shipped.

    Args:
        parts: of MLPerf.
        histories: of the price sources; one whose source does not ship is passed over.
        specs: parsed specifications; those whose source does not ship are passed over.
        folder: the snapshot.

    Returns:
        The files it now consists of.
    """
    written = {
        folder / table / f"{part.stem}.parquet": part.path(table) for part in parts for table in part.tables
    }
    for history in histories:
        if not history.source.ships:
            continue
        for price_part in history.parts():
            written |= {folder / t / f"{price_part.stem}.parquet": p for t, p in price_part.files.items()}
        if index := write_poll_index(folder, history.source.name, history.polls()):
            written[index] = index
    for spec in shippable(specs):
        written |= {folder / t / path.name: path for t, path in spec.files.items()}
    for target, path in written.items():
        if path != target:
            replace_by_link(path, target)
    for old in folder.rglob("*.parquet"):
        if old not in written:
            old.unlink()
    return list(written)


def samples(part: RawPart, n: int = 3) -> Iterator[dict[str, object]]:
    """A few rows of a part, for people to look at: the columns that tell what was measured."""
    columns = [f.name for f in fields(part.record) if f.name in _TELLING]
    yield from pq.read_table(part.path(part.tables[0]), columns=columns).slice(0, n).to_pylist()
