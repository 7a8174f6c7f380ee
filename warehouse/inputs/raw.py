"""The raw layer: typed Parquet, one file per part and table, with the evidence on every row.

A part is what one payload gives of one kind of record: of a list (prices, specifications, measured serving) all of it,
of MLPerf one round in one dialect. The schema of a raw table is its parser's record plus the provenance columns below.
A file is named by source, round or key, dialect, payload hash and parser version. The account of a part is written
last, so that a part without one is incomplete. A further file keeps the SHA-256 of each file of the part: if one
differs, the payload is parsed again.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from accelmart.urls import published_origin
from ingest.core.payload import Payload
from ingest.core.records import Parsed
from ingest.core.serving_point import ServingPoint
from ingest.core.source import Part, Source
from ingest.core.spec_value import SpecValue
from ingest.energy.grids import GridIntensity
from ingest.mlperf.records import InferenceResult
from ingest.mlperf.registry import (
    TRAINING_COLLECTION,
    TRAINING_FORMATS,
    TRAINING_READ_SINGLY,
    TRAINING_RESULTS,
    TRAINING_RUNS,
)
from ingest.mlperf.tables import dialects_by_form
from ingest.mlperf.training_formats import TrainingConfiguration
from ingest.mlperf.training_records import TrainingResult, TrainingRun
from ingest.prices.dated import is_dated, moment_of, stream_of
from ingest.prices.offers import ExchangeRate, PriceOffer
from ingest.prices.token_lists import TokenPrice
from warehouse.storage.files import sha256_of, written_whole
from warehouse.storage.parquet import arrow_fields, write_rows

log = logging.getLogger(__name__)
HASHES = ".sha256"


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
        """Table of rejects, warnings and what is out of scope."""
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
PRICE_OFFERS, EXCHANGE_RATES = "price_offers", "exchange_rates"
SPEC_VALUES, GRID_INTENSITIES, TOKEN_PRICES = "spec_values", "grid_intensities", "token_prices"
PRICE_FAMILY = Family(
    "price", {PRICE_OFFERS: RecordTable(PriceOffer, ()), EXCHANGE_RATES: RecordTable(ExchangeRate, ())}
)
SPEC_FAMILY = Family(
    "spec",
    {
        SPEC_VALUES: RecordTable(SpecValue, ()),
        GRID_INTENSITIES: RecordTable(GridIntensity, ()),
        TOKEN_PRICES: RecordTable(TokenPrice, ()),
    },
)
SERVING_POINTS = "serving_points"
SERVING_FAMILY = Family("serving", {SERVING_POINTS: RecordTable(ServingPoint, ())})
FAMILIES = (INFERENCE_FAMILY, TRAINING_FAMILY, PRICE_FAMILY, SPEC_FAMILY, SERVING_FAMILY)
_TABLE_OF_DIALECT = {
    TRAINING_RUNS: RUNS,
    TRAINING_RESULTS: TRAINING,
    TRAINING_COLLECTION: TRAINING,
    TRAINING_READ_SINGLY: TRAINING,
    TRAINING_FORMATS: CONFIGURATIONS,
    "prices": PRICE_OFFERS,
    "rates": EXCHANGE_RATES,
    "specs": SPEC_VALUES,
    "grids": GRID_INTENSITIES,
    "tokens": TOKEN_PRICES,
    "serving": SERVING_POINTS,
}


def form_of(dialect: str) -> str:
    """Form of a round's results, such as ``summary`` of every dialect of a summary; other dialects are their own."""
    return dialects_by_form().get(dialect, (dialect, 0))[0]


def preference_of(dialect: str) -> int:
    """Order among the dialects of one payload's results, the preferred first."""
    return dialects_by_form().get(dialect, (dialect, 0))[1]


def table_of(dialect: str) -> str:
    """Raw table of a dialect's records."""
    return _TABLE_OF_DIALECT.get(dialect, RESULTS)


def family_of(dialect: str) -> Family:
    """The family a dialect belongs to."""
    return next(f for f in FAMILIES if table_of(dialect) in f.records)


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


@dataclass(frozen=True)
class Reject:
    """A record that is no row; or (severity ``warning``) a defect that did not cost its row; or (``out_of_scope``)
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
    """What became of every record of a part: in = rows + duplicates + merged + rejects + out of scope.

    Attributes:
        release: MLPerf round, or empty where a source has none.
        parts_in_payload: how many parts its source has of the payload: it is parsed whole when all of them are there.
        isolated_because: failed checks of the part, in words; None if it is sound.
    """

    release: str
    dialect: str
    records_in: int
    rows_out: int
    duplicates: int
    merged: int
    rejects: int
    warnings: int
    out_of_scope: int
    parts_in_payload: int
    isolated_because: str | None = None


def schema(record: type[Any]) -> pa.Schema:
    """Schema of a raw table: the record's own columns, then provenance (which alone says the source)."""
    evidence = arrow_fields(Provenance)
    own = [f for f in arrow_fields(record) if f.name not in {e.name for e in evidence}]
    return pa.schema([*own, *evidence])


RECORDS: dict[str, type[Any]] = {}
for _family in FAMILIES:
    RECORDS |= {table: of.record for table, of in _family.records.items()}
    RECORDS |= {_family.rejects: Reject, _family.reconciliation: Account}
EARLIER_TABLES = {table: f"{table}_earlier" for table in (RESULTS, TRAINING)}
"""Results that earlier payloads of a round held: what the newest lacks is withdrawn."""
RECORDS |= {earlier: RECORDS[table] for table, earlier in EARLIER_TABLES.items()}


@dataclass(frozen=True)
class RawPart:
    """One parsed part on disk: the same file name in every raw table of its family.

    Attributes:
        root: of the raw layer or the snapshot.
        stem: file name without its suffix.
        account: what became of every record.
        provenance: where its rows come from.
    """

    root: Path
    stem: str
    account: Account = field(compare=False)
    provenance: Provenance = field(compare=False)

    @property
    def family(self) -> Family:
        """Its tables."""
        return family_of(self.account.dialect)

    @property
    def record_table(self) -> str:
        """Table of its rows."""
        return table_of(self.account.dialect)

    @property
    def files(self) -> dict[str, Path]:
        """Table → file, the account last."""
        tables = (self.record_table, self.family.rejects, self.family.reconciliation)
        return {table: self.path(table) for table in tables}

    def path(self, table: str) -> Path:
        """Return the part's file of a raw table."""
        return self.root / table / f"{self.stem}.parquet"

    @property
    def payload(self) -> tuple[str, str]:
        """Key and hash of its payload."""
        return self.provenance.payload_key, self.provenance.payload_sha256

    @property
    def stream(self) -> tuple[str, str, str]:
        """What it is a state of, see `stream_of_part`."""
        return stream_of_part(self.provenance, self.account.release, self.account.dialect)


def stream_of_part(provenance: Provenance, release: str, dialect: str) -> tuple[str, str, str]:
    """Return what a part is a state of: (source, round or key without a date, form of a round's results or dialect)."""
    return provenance.source, release or stream_of(provenance.payload_key), form_of(dialect)


def provenance_of(source: Source, payload: Payload) -> Provenance:
    """Return where the rows of a stored payload come from.

    An archived table of facts is as old as its key says, whenever the file came here; archived prices have a
    date in each row.
    """
    is_archived = is_dated(payload.key) and family_of(source.dialect) is not PRICE_FAMILY
    return Provenance(
        source=source.name,
        payload_key=payload.key,
        payload_url=published_origin(payload.url),
        payload_sha256=payload.sha256,
        payload_bytes=payload.bytes,
        licence=payload.licence,
        fetched_at=moment_of(payload.key)[0] if is_archived else payload.fetched_at,
        parser_version=source.parser_version,
    )


def rejects_of(parsed: Parsed[Any], release: str, dialect: str) -> Iterator[Reject]:
    """Yield the rejects, warnings and out-of-scope counts of a payload."""
    for severity, items in (("reject", parsed.rejects), ("warning", parsed.warnings)):
        for item in items:
            yield Reject(release, dialect, severity, item.payload, item.record, item.problem, item.remedy)
    remedy = "nothing: they are outside of what the warehouse holds"
    for reason, count in sorted(parsed.exclusions.items()):
        yield Reject(release, dialect, "out_of_scope", "", f"{count} records", reason, remedy)


def write_part(
    root: Path,
    part: Part,
    provenance: Provenance,
    *,
    parts_in_payload: int,
    problems: Sequence[str] = (),
) -> RawPart:
    """Write the files of a part, its account last, and their hashes.

    Args:
        root: of the raw layer or the snapshot.
        part: what the parser gave.
        provenance: of its records; repeated on every row.
        parts_in_payload: how many parts its source has of the payload.
        problems: its failed checks, one sentence each.

    Raises:
        pyarrow.ArrowException: a value is none of its column.
    """
    parsed = part.parsed
    account = Account(
        release=part.release,
        dialect=part.dialect,
        records_in=parsed.records_in,
        rows_out=len(parsed.rows),
        duplicates=parsed.duplicates,
        merged=parsed.merged,
        rejects=len(parsed.rejects),
        warnings=len(parsed.warnings),
        out_of_scope=sum(parsed.exclusions.values()),
        parts_in_payload=parts_in_payload,
        isolated_because="; ".join(problems) or None,
    )
    out = RawPart(root, _stem(part, provenance), account, provenance)
    contents = parsed.rows, rejects_of(parsed, part.release, part.dialect), [account]
    hashes = {
        path: write_table(path, table, rows, provenance)
        for (table, path), rows in zip(out.files.items(), contents, strict=True)
    }
    _write_hashes(out.path(out.family.reconciliation), hashes)
    return out


def _hashes_of(account: Path) -> dict[Path, str]:
    """Return the hash of each file of a part, found by the name of its account."""
    return {file: sha256_of(file) for file in account.parent.parent.glob(f"*/{account.name}")}


def _as_lines(hashes: Mapping[Path, str]) -> bytes:
    """Return hashes as sha256sum writes them."""
    lines = (f"{sha256}  {file.parent.name}/{file.name}\n" for file, sha256 in sorted(hashes.items()))
    return "".join(lines).encode()


def _write_hashes(account: Path, hashes: Mapping[Path, str]) -> None:
    with written_whole(account.with_suffix(HASHES)) as temporary:
        temporary.write_bytes(_as_lines(hashes))


def _accounts(root: Path, source: str = "*") -> list[Path]:
    files = [p for f in FAMILIES for p in (root / f.reconciliation).glob(f"{source}__*")]
    return list(dict.fromkeys(p.with_suffix(".parquet") for p in files))


def _is_whole(account: Path) -> bool:
    kept = account.with_suffix(HASHES)
    return not kept.exists() or kept.read_bytes() == _as_lines(_hashes_of(account))


def damaged_parts(root: Path) -> list[Path]:
    """Return the accounts of parts that are not as they were written."""
    return [account for account in _accounts(root) if not _is_whole(account)]


def remove_damaged(root: Path) -> None:
    """Remove parts that are damaged, and the others of their payloads, so that these are parsed again.

    Parts of before hashes were kept get them where their files can be read.
    """
    damaged = damaged_parts(root)
    for account in set(_accounts(root)) - set(damaged):
        if not account.with_suffix(HASHES).exists():
            try:
                for file in root.glob(f"*/{account.name}"):
                    pq.read_table(file)
            except (pa.ArrowException, OSError):
                damaged.append(account)
            else:
                _write_hashes(account, _hashes_of(account))
    for account in damaged:
        log.warning("the parsed rows of %s are damaged: they are made again", account)
        payload = account.stem.split("__")[-2]
        for file in root.glob(f"*/*__{payload}__p*.*"):
            file.unlink(missing_ok=True)


def _stem(part: Part, provenance: Provenance) -> str:
    of = re.sub(r"[^a-z0-9@._-]+", "-", part.release or provenance.payload_key.lower())
    return f"{provenance.source}__{of}__{part.dialect}__{provenance.payload_sha256[:16]}__p{provenance.parser_version}"


def write_table(path: Path, table: str, rows: Iterable[Any], provenance: Provenance) -> str:
    """Write records with their provenance as one Parquet file, whole or not at all; return its sha256."""
    evidence = asdict(provenance)
    names = [f.name for f in fields(RECORDS[table]) if f.name not in evidence]
    # getattr, not asdict: a deep copy of 30,000 records costs a second
    body = [{**{n: getattr(r, n) for n in names}, **evidence} for r in rows]
    return write_rows(path, body, schema(RECORDS[table]))


def read_parts(root: Path, source: str = "*") -> list[RawPart]:
    """Return every complete and undamaged part of the present form below a folder, by file name.

    Args:
        root: of the raw layer or the snapshot.
        source: only parts of this source.
    """
    paths = [account for account in _accounts(root, source) if _is_whole(account)]
    if not paths:
        return []
    with duckdb.connect() as db:
        rows = db.read_parquet([str(p) for p in paths], union_by_name=True, filename=True).to_arrow_table()
    # an account of an earlier form has other columns: its payload is parsed again
    present = (row for row in rows.to_pylist() if row.get("out_of_scope") is not None)
    return sorted((_part_of(root, row) for row in present), key=lambda p: p.stem)


def _part_of(root: Path, row: dict[str, Any]) -> RawPart:
    row["fetched_at"] = row["fetched_at"].astimezone(UTC)
    # of the columns one may be absent everywhere: that of failed checks, where none failed
    account = Account(**{f.name: row[f.name] for f in fields(Account) if f.name in row})
    provenance = Provenance(**{f.name: row[f.name] for f in fields(Provenance)})
    return RawPart(root, Path(row["filename"]).stem, account, provenance)


def write_missing_tables(folder: Path) -> None:
    """Write an empty file for every raw table that has none: a source is withdrawn, or nothing is shipped of a kind.

    Args:
        folder: the raw tables of a build, one folder each.
    """
    for table, record in RECORDS.items():
        if not any((folder / table).glob("*.parquet")):
            (folder / table).mkdir(parents=True, exist_ok=True)
            pq.write_table(schema(record).empty_table(), folder / table / "empty.parquet")


def data_version(parts: Iterable[RawPart]) -> str:
    """One hash for a set of parts: payloads and parser versions, by their file names."""
    return hashlib.sha256("\n".join(sorted(p.stem for p in parts)).encode()).hexdigest()[:16]
