"""The account of records: what a parser read, what it yielded, what it rejected, and that the two sides are equal."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from ingest.core.errors import RecordRejected

RowT = TypeVar("RowT")


class OutOfScope(Exception):
    """Why the warehouse does not hold a record, in words that do not vary by record."""


@dataclass
class Parsed(Generic[RowT]):
    """The account of one payload (or of one release in it): rows, rejects, and what became of every other record.

    A parser counts what it reads with `read` and puts every record in one place: `rows`, `duplicates`, `merged`
    (into another row), `reject`, or `out_of_scope`. `checked` compares the two sides.

    Attributes:
        rows: what the parser yields.
        rejects: records that cannot be trusted.
        records_in: records read.
        duplicates: records that repeat a row.
        merged: records that became part of another record's row.
        warnings: defects that did not cost a row.
        exclusions: records that are out of scope, by reason.
        payload: file that rejects and warnings name, unless they name another.
        remedy: what to do about a reject or a warning, unless it has a remedy of its own.
    """

    rows: list[RowT] = field(default_factory=list)
    rejects: list[RecordRejected] = field(default_factory=list)
    records_in: int = 0
    duplicates: int = 0
    merged: int = 0
    warnings: list[RecordRejected] = field(default_factory=list)
    exclusions: dict[str, int] = field(default_factory=dict)
    payload: str = field(default="", compare=False)
    remedy: str = field(default="", compare=False)

    def read(self, n: int = 1) -> None:
        """Count `n` records of the payload."""
        self.records_in += n

    def add(self, row: RowT) -> None:
        """Yield a row."""
        self.rows.append(row)

    def reject(self, record: str, problem: str, *, payload: str = "", remedy: str = "") -> None:
        """Name a record that cannot be trusted, and why."""
        self.rejects.append(self._named(record, problem, payload, remedy))

    def warn(self, record: str, problem: str, *, payload: str = "", remedy: str = "") -> None:
        """Name a defect that did not cost a row."""
        self.warnings.append(self._named(record, problem, payload, remedy))

    def out_of_scope(self, reason: str, n: int = 1) -> None:
        """Count `n` records that the warehouse does not hold, under a reason that does not vary by record."""
        if n:
            self.exclusions[reason] = self.exclusions.get(reason, 0) + n

    @contextmanager
    def catch(self, record: str, *, payload: str = "") -> Iterator[None]:
        """Reject the record for a `ValueError` of its reader, and count it as out of scope for `OutOfScope`."""
        try:
            yield
        except OutOfScope as reason:
            self.out_of_scope(str(reason))
        except ValueError as problem:
            self.reject(record, str(problem), payload=payload)

    def fold(
        self,
        key: Callable[[RowT], Hashable],
        contradiction: Callable[[Sequence[RowT]], str],
        *,
        payload: str = "",
        remedy: str = "",
    ) -> None:
        """Keep one of the rows that have a key in common: the others are duplicates, or all are rejected.

        Args:
            key: what rows of one thing have in common.
            contradiction: what is wrong with the rows of one key; "" if the first stands for all.
            payload: file that rejects name whose row has no `member`.
            remedy: of these rejects.
        """
        by_key: dict[Hashable, list[Any]] = {}
        for row in self.rows:
            by_key.setdefault(key(row), []).append(row)
        self.rows = []
        for same in by_key.values():
            if problem := contradiction(same):
                for row in same:
                    self.reject(row.record, problem, payload=row.member or payload, remedy=remedy)
            else:
                self.add(same[0])
                self.duplicates += len(same) - 1

    def _named(self, record: str, problem: str, payload: str, remedy: str) -> RecordRejected:
        return RecordRejected(
            payload=payload or self.payload, record=record, problem=problem, remedy=remedy or self.remedy
        )

    @property
    def accounted(self) -> int:
        """Records that are somewhere. Of a document without a list of records it is also the number of records read."""
        out = len(self.rows) + self.duplicates + self.merged + len(self.rejects)
        return out + sum(self.exclusions.values())

    @property
    def is_balanced(self) -> bool:
        """Whether records read = rows + duplicates + merged + rejects + out of scope."""
        return self.records_in == self.accounted

    def checked(self, where: str) -> Parsed[RowT]:
        """Return this account, or fail: a parser that loses records is a defect of ours, not of the payload.

        Args:
            where: the payload, for the message.

        Raises:
            AssertionError: the account is not balanced.
        """
        if not self.is_balanced:
            raise AssertionError(
                f"{where}: {self.records_in} records in, but {len(self.rows)} rows + {self.duplicates} "
                f"duplicates + {self.merged} merged + {len(self.rejects)} rejects + "
                f"{sum(self.exclusions.values())} out of scope"
            )
        return self


def required(entry: dict[str, object], names: Sequence[str]) -> list[str]:
    """Return the keys of `names` that the entry lacks or holds empty."""
    return [name for name in names if entry.get(name) is None or str(entry[name]).strip() == ""]
