"""The raw layer: typed Parquet, one file per part and table, with the evidence on every row.

A part is what one payload gives: of a list (prices, specifications, measured serving) all of it, of MLPerf one round
in one dialect. The schema of a raw table is its parser's record plus the provenance columns below. A part is parsed
once: its file name holds payload hash and parser version, and its account is written last, so that a part without one
is incomplete.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from functools import cached_property, lru_cache
from pathlib import Path
from types import NoneType
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.core.payload import Payload
from ingest.core.records import Parsed
from ingest.core.serving_point import ServingPoint
from ingest.core.source import Part, Source
from ingest.core.urls import published_origin
from ingest.energy.grids import GridIntensity
from ingest.mlperf.records import InferenceResult
from ingest.mlperf.registry import TRAINING_COLLECTION, TRAINING_FORMATS, TRAINING_RESULTS, TRAINING_RUNS
from ingest.mlperf.training_formats import TrainingConfiguration
from ingest.mlperf.training_records import TrainingResult, TrainingRun
from ingest.prices.offers import ExchangeRate, PriceOffer
from ingest.specs.values import SpecValue
from warehouse.files import written_whole
from warehouse.parquet import read_rows


class RecordTable(NamedTuple):
    """What one raw table holds.

    Attributes:
        record: dataclass of its rows.
        key: columns that identify a row within a part; empty where a list may repeat a row.
    """

    record: type[Any]
    key: tuple[str, ...]


@dataclass(frozen=True)
class Family:
    """The raw tables of one subject: one for each kind of record, rejects, and accounts.

    Attributes:
        name: prefix of its tables.
        records: table → record and key.
    """

    name: str
    records: Mapping[str, RecordTable]

    @property
    def rejects(self) -> str:
        """Table of rejects, remarks and what is out of scope."""
        return f"{self.name}_rejects"

    @property
    def reconciliation(self) -> str:
        """Table of accounts."""
        return f"{self.name}_reconciliation"

    @property
    def tables(self) -> tuple[str, ...]:
        """All its tables."""
        return (*self.records, self.rejects, self.reconciliation)


RESULTS = "mlperf_inference_results"
RUNS, TRAINING = "mlperf_training_runs", "mlperf_training_results"
CONFIGURATIONS = "mlperf_training_configurations"
INFERENCE_FAMILY = Family(
    "mlperf_inference",
    {
        RESULTS: RecordTable(
            InferenceResult,
            ("division", "suite_published", "submitter", "platform", "model_published", "scenario"),
        )
    },
)
TRAINING_FAMILY = Family(
    "mlperf_training",
    {
        RUNS: RecordTable(TrainingRun, ("location",)),
        # the collection links every result of a system to one file, so the location does not identify a result
        TRAINING: RecordTable(TrainingResult, ("submitter", "system", "benchmark")),
        # several folders can be implementations of one benchmark
        CONFIGURATIONS: RecordTable(
            TrainingConfiguration, ("submitter", "benchmark_folder", "implementation", "file")
        ),
    },
)
FAMILIES = (INFERENCE_FAMILY, TRAINING_FAMILY)
"""Those of MLPerf."""
PRICE_OFFERS, EXCHANGE_RATES = "price_offers", "exchange_rates"
SPEC_VALUES, GRID_INTENSITIES = "spec_values", "grid_intensities"
PRICE_FAMILY = Family(
    "price", {PRICE_OFFERS: RecordTable(PriceOffer, ()), EXCHANGE_RATES: RecordTable(ExchangeRate, ())}
)
SPEC_FAMILY = Family(
    "spec", {SPEC_VALUES: RecordTable(SpecValue, ()), GRID_INTENSITIES: RecordTable(GridIntensity, ())}
)
SERVING_POINTS = "serving_points"
SERVING_FAMILY = Family("serving", {SERVING_POINTS: RecordTable(ServingPoint, ())})
PRICE_REJECTS, PRICE_RECONCILIATION = PRICE_FAMILY.rejects, PRICE_FAMILY.reconciliation
SPEC_REJECTS, SPEC_RECONCILIATION = SPEC_FAMILY.rejects, SPEC_FAMILY.reconciliation
_TABLE_OF_DIALECT = {
    TRAINING_RUNS: RUNS,
    TRAINING_RESULTS: TRAINING,
    TRAINING_COLLECTION: TRAINING,
    TRAINING_FORMATS: CONFIGURATIONS,
}


def table_of(dialect: str) -> str:
    """Raw table of a dialect's records."""
    return _TABLE_OF_DIALECT.get(dialect, RESULTS)


def family_of(dialect: str) -> Family:
    """The family a dialect belongs to."""
    return next(f for f in FAMILIES if table_of(dialect) in f.records)


_ARROW = {
    str: pa.string(),
    float: pa.float64(),
    int: pa.int64(),
    bool: pa.bool_(),
    datetime: pa.timestamp("us", "UTC"),
}


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Where a raw row comes from: the payload's address, hash and time, and who read it."""

    source: str
    payload_key: str
    payload_url: str
    payload_sha256: str
    payload_bytes: int
    licence: str
    fetched_at: datetime
    parser_version: int


@dataclass(frozen=True, kw_only=True)
class Reject:
    """A record that is no row; or (severity ``remark``) a defect that did not cost its row; or (``left_out``)
    records that are out of scope, one line a reason with their number in `record`.
    """

    release: str
    dialect: str
    severity: str
    payload: str
    record: str
    problem: str
    remedy: str


@dataclass(frozen=True, kw_only=True)
class Account:
    """What became of every record of a part: in = rows + duplicates + merged + rejects + left out.

    `release` is the MLPerf round, or empty where a source has none.
    """

    release: str
    dialect: str
    records_in: int
    rows_out: int
    duplicates: int
    merged: int
    rejects: int
    remarks: int
    left_out: int = 0

    @property
    def is_balanced(self) -> bool:
        """Nothing got lost between reading and writing."""
        out = self.rows_out + self.duplicates + self.merged + self.rejects + self.left_out
        return self.records_in == out


def arrow_fields(record: type[Any]) -> list[pa.Field]:
    """Arrow fields of a dataclass: ``X | None`` is a nullable column, ``X`` a required one."""
    out = []
    for name, hint in typing.get_type_hints(record).items():
        options = typing.get_args(hint) or (hint,)
        kind = next(o for o in options if o is not NoneType)
        out.append(pa.field(name, _ARROW[kind], nullable=NoneType in options))
    return out


def schema(record: type[Any]) -> pa.Schema:
    """Schema of a raw table: the record's own columns, then provenance (which alone says the source)."""
    evidence = arrow_fields(Provenance)
    own = [f for f in arrow_fields(record) if f.name not in {e.name for e in evidence}]
    return pa.schema([*own, *evidence])


RECORDS: dict[str, type[Any]] = {}
for _family in (*FAMILIES, PRICE_FAMILY, SPEC_FAMILY, SERVING_FAMILY):
    RECORDS |= {table: of.record for table, of in _family.records.items()}
    RECORDS |= {_family.rejects: Reject, _family.reconciliation: Account}


@dataclass(frozen=True)
class RawPart:
    """One parsed part on disk: the same stem in every raw table of its family.

    Attributes:
        root: of the raw layer or the snapshot.
        family: its tables.
        stem: file name, which is the cache key; see `stem_of` and `list_part`.
        key: what its payload was landed under.
        sha256: of the payload.
    """

    root: Path
    family: Family = field(compare=False)
    stem: str
    key: str
    sha256: str

    def path(self, table: str) -> Path:
        """Return the part's file of a raw table."""
        return self.root / table / f"{self.stem}.parquet"

    @property
    def is_there(self) -> bool:
        """Whether the part was written whole: its account is written last."""
        return self.path(self.family.reconciliation).exists()

    @property
    def record_table(self) -> str:
        """Table of its rows."""
        tables = tuple(self.family.records)
        return next((t for t in tables if self.path(t).exists()), tables[-1])

    @property
    def record(self) -> type[Any]:
        """What its rows are."""
        return RECORDS[self.record_table]

    @property
    def row_key(self) -> tuple[str, ...]:
        """Columns that identify a row of it; see `RecordTable`."""
        return self.family.records[self.record_table].key

    @property
    def tables(self) -> tuple[str, str, str]:
        """Its three tables: records, rejects, account."""
        return self.record_table, self.family.rejects, self.family.reconciliation

    @property
    def files(self) -> dict[str, Path]:
        """Table → file."""
        return {table: self.path(table) for table in self.tables}

    @cached_property
    def _evidence(self) -> tuple[Account, Provenance]:
        path = self.path(self.family.reconciliation)
        return _account_in(path, path.stat().st_mtime_ns)

    @property
    def account(self) -> Account:
        """What became of every record; read from the part's file."""
        return self._evidence[0]

    @property
    def provenance(self) -> Provenance:
        """Where its rows come from; read from the part's file."""
        return self._evidence[1]


def list_part(root: Path, family: Family, source: Source, key: str, sha256: str) -> RawPart:
    """Return the part of a payload of a list, which need not be written yet.

    Args:
        root: of the raw layer or the snapshot.
        family: tables of the list.
        source: whose payload it is; its parser version is part of the file name.
        key: what the payload was landed under.
        sha256: of the payload.
    """
    slug = re.sub(r"[^a-z0-9@._-]+", "-", key)
    stem = f"{source.name}__{slug}__{sha256[:16]}__p{source.parser_version}"
    return RawPart(root, family, stem, key, sha256)


def provenance_of(source: Source, payload: Payload) -> Provenance:
    """Return where the rows of a stored payload come from."""
    return Provenance(
        source=source.name,
        payload_key=payload.key,
        payload_url=published_origin(payload.url),
        payload_sha256=payload.sha256,
        payload_bytes=payload.bytes,
        licence=payload.licence,
        fetched_at=payload.fetched_at,
        parser_version=source.parser_version,
    )


def stem_of(provenance: Provenance, release: str, dialect: str) -> str:
    """Return the file name of a part of MLPerf: the cache key, readable."""
    return (
        f"{provenance.source}__{release or 'unknown'}__{dialect}"
        f"__{provenance.payload_sha256[:16]}__p{provenance.parser_version}"
    )


def rejects_of(parsed: Parsed[Any], release: str, dialect: str) -> Iterator[Reject]:
    """Yield the rejects, remarks and out-of-scope counts of a payload."""
    named = [("reject", r) for r in parsed.rejects] + [("remark", r) for r in parsed.remarks]
    for severity, item in named:
        yield Reject(
            release=release,
            dialect=dialect,
            severity=severity,
            payload=item.payload,
            record=item.record,
            problem=item.problem,
            remedy=item.remedy,
        )
    for reason, count in sorted(parsed.left_out.items()):
        yield Reject(
            release=release,
            dialect=dialect,
            severity="left_out",
            payload="",
            record=f"{count} records",
            problem=reason,
            remedy="nothing: they are outside of what the warehouse holds",
        )


def account_of(parsed: Parsed[Any], release: str, dialect: str) -> Account:
    """The account of a parsed payload."""
    return Account(
        release=release,
        dialect=dialect,
        records_in=parsed.records_in,
        rows_out=len(parsed.rows),
        duplicates=parsed.duplicates,
        merged=parsed.merged,
        rejects=len(parsed.rejects),
        remarks=len(parsed.remarks),
        left_out=sum(parsed.left_out.values()),
    )


def write_part(root: Path, part: Part, provenance: Provenance) -> RawPart:
    """Write one part of MLPerf; see `write_files`."""
    stem = stem_of(provenance, part.release, part.dialect)
    out = RawPart(root, family_of(part.dialect), stem, provenance.payload_key, provenance.payload_sha256)
    write_files(out, part, provenance)
    return out


def write_files(
    target: RawPart, part: Part, provenance: Provenance, before_account: Callable[[], None] = lambda: None
) -> None:
    """Write a part's three files, the account last.

    Args:
        target: where to.
        part: what the parser gave.
        provenance: of the payload; repeated on every row.
        before_account: called when rows and rejects are written: what else must be there before the part is complete.
    """
    rows, family = part.parsed.rows, target.family
    default = table_of(part.dialect) if family in FAMILIES else next(iter(family.records))
    table = next((t for t, of in family.records.items() if rows and isinstance(rows[0], of.record)), default)
    write_table(target.path(table), table, rows, provenance)
    rejects = rejects_of(part.parsed, part.release, part.dialect)
    write_table(target.path(family.rejects), family.rejects, rejects, provenance)
    before_account()
    account = account_of(part.parsed, part.release, part.dialect)
    write_table(target.path(family.reconciliation), family.reconciliation, [account], provenance)


def write_table(path: Path, table: str, rows: Iterable[Any], provenance: Provenance) -> None:
    """Write records with their provenance as one Parquet file, whole or not at all."""
    shape = schema(RECORDS[table])
    evidence = asdict(provenance)
    names = [f.name for f in fields(RECORDS[table]) if f.name not in evidence]
    # getattr, not asdict: a deep copy of 30,000 records costs a second
    body = [{**{n: getattr(r, n) for n in names}, **evidence} for r in rows]
    with written_whole(path) as temporary:
        pq.write_table(
            pa.Table.from_pylist(body, schema=shape), temporary, compression="zstd", compression_level=9
        )


def read_parts(root: Path, stems: str = "*") -> list[RawPart]:
    """Return every complete part of MLPerf below `root` whose stem (see `stem_of`) matches a pattern, by file name."""
    out = []
    for family in FAMILIES:
        for path in sorted((root / family.reconciliation).glob(f"{stems}.parquet")):
            _, evidence = _account_in(path, path.stat().st_mtime_ns)
            out.append(RawPart(root, family, path.stem, evidence.payload_key, evidence.payload_sha256))
    return out


@lru_cache(maxsize=4096)
def _account_in(path: Path, changed_ns: int) -> tuple[Account, Provenance]:
    """What the account of a part tells: a build asks for all of them with every round, and files are replaced whole."""
    names = {f.name for f in fields(Account)}
    (row,) = read_rows(path)
    evidence = {f.name: row[f.name] for f in fields(Provenance)}
    return Account(**{n: row[n] for n in names if n in row}), Provenance(**evidence)


def parse_into(
    root: Path, provenance: Provenance, parts: Callable[[], Iterable[Part]]
) -> tuple[list[RawPart], bool]:
    """The parts of a payload, parsed only if they are not there yet.

    Args:
        root: the raw layer's root.
        provenance: of the payload, with the parser's version.
        parts: parses the payload.

    Returns:
        (its parts, whether they were parsed now).
    """
    key = (provenance.payload_sha256, provenance.parser_version, provenance.source, provenance.payload_key)
    known = [
        p
        for p in read_parts(
            root, f"{provenance.source}__*__{provenance.payload_sha256[:16]}__p{provenance.parser_version}"
        )
        if (
            p.provenance.payload_sha256,
            p.provenance.parser_version,
            p.provenance.source,
            p.provenance.payload_key,
        )
        == key
    ]
    marker = (
        root
        / "parsed"
        / f"{provenance.source}__{provenance.payload_sha256[:16]}__p{provenance.parser_version}"
    )
    if known and marker.exists():
        return known, False
    written = [write_part(root, part, provenance) for part in parts()]
    with written_whole(marker) as temporary:
        temporary.write_text("\n".join(p.stem for p in written), encoding="utf-8")
    return written, True


def in_force(snapshot: Iterable[RawPart], live: Iterable[RawPart]) -> list[RawPart]:
    """The parts a build uses: per (round, dialect) the newest live one, else the snapshot's.

    A part of which no record could be read does not take the place of a good one: both stay, the good one
    for its rows, the other for its rejects.

    Args:
        snapshot: parts shipped with the code.
        live: parts of the last good payload of each landed key.
    """
    chosen: dict[tuple[str, str], list[RawPart]] = {}
    by_age = [sorted(parts, key=lambda p: p.provenance.fetched_at) for parts in (snapshot, live)]
    for part in (part for parts in by_age for part in parts):
        key = part.account.release, part.account.dialect
        good = [p for p in chosen.get(key, []) if p.account.rows_out]
        chosen[key] = [part] if part.account.rows_out else [*good, part]
    return [part for key in sorted(chosen) for part in chosen[key]]
