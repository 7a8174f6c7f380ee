"""Fold prices again, by any engine, and compare all files of every month with the first fold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from warehouse.fold_engine import FoldEngine
from warehouse.parquet import quoted
from warehouse.price_fold import (
    FOLD_EXCHANGE,
    MONTHS_FOLDER,
    PRICE_CLOSED,
    PRICE_OPEN,
    PRICE_POLLS,
    PRICE_RUNS,
    PRICE_WITHDRAWN,
    Bundle,
)
from warehouse.price_history import PriceHistory

_COMPARED = (PRICE_RUNS, PRICE_POLLS, PRICE_CLOSED, PRICE_OPEN, PRICE_WITHDRAWN)


@dataclass(frozen=True)
class FoldComparison:
    """One source, folded twice.

    Args:
        source: its name.
        months: number of months.
        rows: number of rows of the first fold, over all compared tables.
        differing: rows that only one of the two has, each as often as it is missing.
        examples: files that differ, as ``table month: n rows``.
    """

    source: str
    months: int
    rows: int
    differing: int
    examples: tuple[str, ...]


def verify_fold(histories: Iterable[PriceHistory], engine: FoldEngine) -> Iterator[FoldComparison]:
    """Fold the observations of every source again, from the first month on, and compare with what is there.

    The caller holds `warehouse.locks.raw_layer`.

    Args:
        histories: what their months were folded to stays as it is; what is missing is folded by their own engine first.
        engine: of the second fold. It writes to a temporary folder of the raw layer.
    """
    for history in histories:
        exchange = history.raw / FOLD_EXCHANGE
        exchange.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix="verify-", dir=exchange) as name:
            raw = Path(name) / "raw"
            raw.mkdir()
            first = history.bundles()
            for table in history.raw.iterdir():
                if table.name not in (MONTHS_FOLDER, FOLD_EXCHANGE):
                    (raw / table.name).symlink_to(table.absolute())
            second = replace(history, raw=raw, engine=engine).bundles()
            yield _comparison(history.source.name, first, second)


def _comparison(source: str, first: list[Bundle], second: list[Bundle]) -> FoldComparison:
    rows, differing, examples = 0, 0, []
    with duckdb.connect() as db:
        for one, other in zip(first, second, strict=True):
            for table in _COMPARED:
                n, n_differing = _compare(db, one.path(table), other.path(table))
                rows, differing = rows + n, differing + n_differing
                if n_differing:
                    examples.append(f"{table} {one.stem.split('__')[1]}: {n_differing:,} rows")
    return FoldComparison(source, len(first), rows, differing, tuple(examples))


def _compare(db: duckdb.DuckDBPyConnection, one: Path, other: Path) -> tuple[int, int]:
    """Return the number of rows of the first file, and of rows that only one of the two has."""
    relations = [f"read_parquet({quoted([str(p)])})" if p.exists() else None for p in (one, other)]
    known = [r for r in relations if r]
    if not known:
        return 0, 0
    a, b = (r or f"(select * from {known[0]} limit 0)" for r in relations)
    ((n, only_a, only_b),) = db.execute(
        f"""
        select (select count(*) from {a}),
            (select count(*) from (select * from {a} except all select * from {b})),
            (select count(*) from (select * from {b} except all select * from {a}))
        """
    ).fetchall()
    return n, only_a + only_b
