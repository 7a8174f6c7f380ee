"""The raw layer of one installation: what is landed, what of it is parsed, and which parts a build uses."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property, partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.core.errors import AccelmartError, PayloadRejected
from ingest.core.landing import Landing
from ingest.core.payload import Payload
from ingest.core.source import Part, Source
from ingest.core.urls import LOCAL_FORM
from ingest.fetch.plan import members_of
from ingest.mlperf.registry import (
    MLPERF_COLLECTION,
    MLPERF_INFERENCE,
    MLPERF_SOURCES,
    MLPERF_TRAINING,
    MLPERF_TRAINING_COLLECTION,
)
from ingest.prices.collected import OWN_PRICES
from ingest.prices.registry import PRICE_SOURCES
from ingest.registry import LIST_SOURCES, SOURCES
from warehouse.empty_tables import write_missing_tables
from warehouse.files import link_or_copy, replace_by_link, written_whole
from warehouse.holds import Action, Hold, Holds, read_holds
from warehouse.home import SNAPSHOT_DIR, Home
from warehouse.isolation import (
    Isolated,
    accepted_payloads,
    isolated_payload,
    problems_found,
    problems_of_part,
)
from warehouse.list_parts import serving_parts, shippable
from warehouse.price_files import bundled_files, own_files
from warehouse.price_history import PriceHistory, write_poll_index
from warehouse.price_observations import Observed
from warehouse.raw import (
    INFERENCE_FAMILY,
    PRICE_FAMILY,
    SERVING_FAMILY,
    TRAINING_FAMILY,
    Family,
    RawPart,
    in_force,
    parse_into,
    provenance_of,
    read_parts,
)
from warehouse.spec_values import SPEC_TABLES, spec_parts

_SOURCES_OF = {
    INFERENCE_FAMILY.name: (MLPERF_INFERENCE, MLPERF_COLLECTION),
    TRAINING_FAMILY.name: (MLPERF_TRAINING, MLPERF_TRAINING_COLLECTION),
}
COLLECTION_KEY = "all"
_SAMPLE_COLUMNS = (
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

    @cached_property
    def holds(self) -> Holds:
        """What the operator holds or withdraws, read once."""
        return read_holds(self.home)

    @cached_property
    def accepted(self) -> frozenset[str]:
        """Hashes of payloads that an operator accepted although checks fail, read once."""
        return accepted_payloads(self.home)

    def good_payloads(self, source: Source, key: str, hold: Hold | None = None) -> list[list[Payload]]:
        """Payloads that were landed under a key and that a hold admits: for each form (file, tree) the newest first."""
        by_form: dict[str, list[Payload]] = {}
        for payload in reversed(self.landing.history(source.name, key)):
            if payload.outcome != "quarantined" and (hold is None or payload.sha256 in hold.payloads):
                of_form = by_form.setdefault(payload.content_type, [])
                if payload.sha256 not in {p.sha256 for p in of_form}:
                    of_form.append(payload)
        return list(by_form.values())

    def _parts(self, source: Source, key: str) -> list[RawPart]:
        """Parts of the good payloads of a key that are neither withdrawn nor later than a hold."""
        release = key if source.has_releases else None
        if self.holds.is_withdrawn(source.name, release):
            return []
        # a payload of several rounds is read once for each hold on one of them
        holds = {self.holds.hold_of(source.name, release)}
        if not source.has_releases:
            holds |= {h for h in self.holds.items if h.source == source.name and h.action is Action.hold}
        return [
            part
            for hold in holds
            for part in self._parts_under(source, key, hold)
            if self.holds.hold_of(source.name, part.account.release) == hold
            and not self.holds.is_withdrawn(source.name, part.account.release)
        ]

    def _parts_under(self, source: Source, key: str, hold: Hold | None) -> list[RawPart]:
        """Parts that a build uses of what was landed under a key: of each round and dialect the newest sound one."""
        return [
            part
            for payloads in self.good_payloads(source, key, hold)
            for part in self._sound_parts(source, payloads)
        ]

    def _sound_parts(self, source: Source, payloads: list[Payload]) -> list[RawPart]:
        """Parts of the newest payload of one form; where a check fails, of the payloads before it."""
        chosen: dict[tuple[str, str], RawPart] = {}
        for place, payload in enumerate(payloads):
            try:
                parts = self._parsed(source, payload)
            except AccelmartError as e:
                self._isolate(source, payload, "", [str(e)])
                continue
            is_sound = True
            for part in parts:
                subject = part.account.release, part.account.dialect
                if subject in chosen:
                    continue
                problems = problems_found(partial(self._problems, source, part, payloads[place + 1 :]))
                if problems and payload.sha256 not in self.accepted:
                    self._isolate(source, payload, part.account.release, problems)
                    is_sound = False
                else:
                    chosen[subject] = part
            if is_sound:
                break
        return list(chosen.values())

    def _problems(self, source: Source, part: RawPart, earlier: list[Payload]) -> list[str]:
        """Failed checks of a part against the payload before it."""
        return problems_of_part(part, self._part_before(source, part, earlier), self.home.raw / "verdicts")

    def _part_before(self, source: Source, part: RawPart, earlier: list[Payload]) -> RawPart | None:
        """The same round and dialect in the newest earlier payload that was parsed, else in the snapshot.

        An earlier payload is parsed for it only where there is neither.
        """
        subject = part.account.release, part.account.dialect
        stems = f"*__{part.account.release or 'unknown'}__{part.account.dialect}__*"
        known = {p.provenance.payload_sha256: p for p in read_parts(self.home.raw, stems)}
        for payload in earlier:
            if payload.sha256 in known:
                return known[payload.sha256]
        shipped = read_parts(self.snapshot, stems)
        if shipped or not earlier:
            return shipped[-1] if shipped else None
        try:
            parts = self._parsed(source, earlier[0])
        except AccelmartError:
            return None  # it is isolated by itself
        return next((p for p in parts if (p.account.release, p.account.dialect) == subject), None)

    def _parsed(self, source: Source, payload: Payload) -> list[RawPart]:
        """Parts of one payload, parsed only where the cache has none.

        Raises:
            PayloadRejected: it is damaged, or its parser fails on it.
        """

        def parse() -> list[Part]:
            with members_of(self.landing, source, payload) as members:
                return source.parts(members, key=payload.key)

        try:
            parts, is_parsed_now = parse_into(self.home.raw, provenance_of(source, payload), parse)
        except (AccelmartError, OSError, MemoryError):
            raise
        except Exception as e:  # a parser meets any bytes: its failure is this payload's alone
            raise PayloadRejected(
                payload=f"{source.name} {payload.key} of {payload.fetched_at:%Y-%m-%d %H:%M} UTC",
                problem=f"its parser fails on it ({type(e).__name__}: {e})",
                remedy="look at the payload, and correct the parser in ingest/mlperf",
            ) from e
        if is_parsed_now:
            self.parsed.update(f"{p.family.name} {p.account.release}" for p in parts)
        return parts

    def _isolate(self, source: Source, payload: Payload, release: str, problems: list[str]) -> None:
        item = isolated_payload(
            source=source.name,
            key=payload.key,
            release=release or (payload.key if source.has_releases else ""),
            sha256=payload.sha256,
            fetched_at=payload.fetched_at,
            problems=problems,
        )
        self.isolated[item.name, item.payload_sha256] = item

    @cached_property
    def parsed(self) -> set[str]:
        """Rounds that this lake parsed, as ``mlperf_inference v5.1``; complete after `parts_in_force`."""
        return set()

    @cached_property
    def isolated(self) -> dict[tuple[str, str], Isolated]:
        """Payloads that failed checks, by name and hash; complete after `parts_in_force` and `observed_prices`."""
        return {}

    def live_parts(self, family: Family | None = None, release: str | None = None) -> list[RawPart]:
        """Parts of everything landed, of one family and round or of all.

        Raises:
            PayloadRejected: a stored payload is damaged.
        """
        parts = []
        for source in MLPERF_SOURCES.values():
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
            if (family is None or p.family is family)
            and (release is None or p.account.release == release)
            and not self.holds.is_withdrawn(p.provenance.source, p.account.release)
        ]
        return in_force(shipped, self.live_parts(family, release))

    def price_history(self, source: Source) -> PriceHistory:
        """What is known of one source's prices."""
        hold = self.holds.hold_of(source.name)
        return PriceHistory(
            source,
            self.landing,
            self.home.raw,
            self.snapshot,
            own_files(self.home) if source is OWN_PRICES else (),
            until=hold.as_of if hold else None,
            accepted=self.accepted,
        )

    def price_histories(self) -> list[PriceHistory]:
        """The history of every price source that is not withdrawn."""
        return [self.price_history(s) for s in PRICE_SOURCES.values() if not self.holds.is_withdrawn(s.name)]

    def observed_prices(self) -> list[Observed]:
        """What was observed of every price source; see `PriceHistory.observed`."""
        observed = []
        for history in self.price_histories():
            observed.append(history.observed())
            self.isolated.update({(i.name, i.payload_sha256): i for i in history.isolated()})
        return observed

    def spec_parts(self) -> tuple[list[RawPart], list[str]]:
        """The specifications a build uses; see `spec_parts`."""
        return spec_parts(self.landing, self.home.raw, self.snapshot, self.holds)

    def serving_parts(self) -> tuple[list[RawPart], list[str]]:
        """The measured serving a build uses; see `serving_parts`."""
        return serving_parts(self.landing, self.home.raw, self.snapshot, self.holds)

    def list_parts(self) -> tuple[list[RawPart], list[str]]:
        """The specifications and the measured serving a build uses, and what of them could not be read."""
        specs, serving = self.spec_parts(), self.serving_parts()
        return [*specs[0], *serving[0]], [*specs[1], *serving[1]]

    def rounds_here(self, family: Family) -> set[str]:
        """Rounds that are shipped or were landed as such. Parses nothing, unlike `releases`."""
        shipped = {p.account.release for p in read_parts(self.snapshot) if p.family is family}
        of_family = [MLPERF_SOURCES[name] for name in _SOURCES_OF[family.name]]
        landed = {key for s in of_family if s.has_releases for key in self.landing.keys(s.name)}
        return (shipped | landed) - {""}

    def known_releases(self, source: str) -> set[str]:
        """Rounds of one MLPerf source that are shipped, parsed or landed; none for a source without rounds."""
        parts = [*read_parts(self.snapshot), *read_parts(self.home.raw)]
        known = {p.account.release for p in parts if p.provenance.source == source}
        if source in MLPERF_SOURCES and MLPERF_SOURCES[source].has_releases:
            known |= set(self.landing.keys(source))
        return known - {""}


def data_version(parts: Iterable[RawPart]) -> str:
    """One hash for a set of parts: payloads and parser versions, by their file names."""
    return hashlib.sha256("\n".join(sorted(p.stem for p in parts)).encode()).hexdigest()[:16]


def link_tables(parts: Iterable[RawPart], folder: Path) -> None:
    """Lay parts into one folder per table, as a build reads them."""
    for part in parts:
        for table, path in part.files.items():
            link_or_copy(path, folder / table / path.name)


def complete_tables(folder: Path, *, may_be_empty: bool) -> None:
    """See that every raw table has at least one file.

    Args:
        folder: the raw tables of a build.
        may_be_empty: a source is withdrawn, so a table may have no rows at all.

    Raises:
        AccelmartError: a table has nothing, although nothing is withdrawn.
    """
    if may_be_empty:
        write_missing_tables(folder)
        return
    missing = [
        table
        for table in (*PRICE_FAMILY.tables, *SPEC_TABLES, *SERVING_FAMILY.tables)
        if not (folder / table).is_dir()
    ]
    if missing:
        raise AccelmartError(
            f"no rows of {', '.join(missing)}: the bundled snapshot is incomplete. Check out the code again"
        )


def write_snapshot(
    parts: list[RawPart], histories: Iterable[PriceHistory], lists: list[RawPart], folder: Path
) -> list[Path]:
    """Replace the bundled snapshot by these parts, and by the lists that may be shipped.

    Args:
        parts: of MLPerf.
        histories: of the price sources; one whose source does not ship is passed over.
        lists: parsed specifications and measured serving; those whose source does not ship are passed over.
        folder: the snapshot.

    Returns:
        The files it now consists of.
    """
    kept = [*parts, *shippable(lists, LIST_SOURCES)]
    written: dict[Path, Path] = {}
    for history in histories:
        if not history.source.ships:
            continue
        if files := bundled_files(history.source):
            # prices that people collected: what is shipped as text is what is reviewed
            for file in files:
                file.parse(folder)
                written |= {path: path for path in file.part(folder).files.values()}
            continue
        kept += history.parts()
        if index := write_poll_index(folder, history.source.name, history.polls()):
            written[index] = index
    written |= {folder / table / path.name: path for part in kept for table, path in part.files.items()}
    for target, path in written.items():
        if path != target:
            _ship(path, target)
    for old in folder.rglob("*.parquet"):
        if old not in written:
            old.unlink()
    return list(written)


def _ship(path: Path, target: Path) -> None:
    """Put one file into the snapshot. A payload that was had as a file is stated under its public address.

    Whoever writes the snapshot vouches for the file being upstream's; tests compare the two (NOTICE, docs/data.md).
    """
    table = pq.read_table(path)
    at = table.schema.get_field_index("payload_url")
    origins = table.column(at).to_pylist() if at >= 0 else []
    if not any(origin.startswith(LOCAL_FORM) for origin in origins):
        replace_by_link(path, target)
        return
    names = zip(
        table.column("source").to_pylist(), table.column("payload_key").to_pylist(), origins, strict=True
    )
    stated = [
        _public_address(source, key) if url.startswith(LOCAL_FORM) else url for source, key, url in names
    ]
    field = table.schema.field(at)
    with written_whole(target) as temporary:
        pq.write_table(
            table.set_column(at, field, pa.array(stated, field.type)),
            temporary,
            compression="zstd",
            compression_level=9,
        )


def _public_address(source: str, key: str) -> str:
    """Return where a source publishes the payload of a key."""
    return SOURCES[source].address(key)


def samples(part: RawPart, n: int = 3) -> Iterator[dict[str, object]]:
    """Yield a few rows of a part, with the columns that say what was measured."""
    columns = [f.name for f in fields(part.record) if f.name in _SAMPLE_COLUMNS]
    with pq.ParquetFile(
        part.path(part.tables[0])
    ) as file:  # `read_table` imports a good deal more of pyarrow
        for rows in file.iter_batches(n, columns=columns):
            yield from rows.to_pylist()
            return
