"""The account of records: what a parser read, what it yielded, what it rejected, and that the two sides are equal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from ingest.core.errors import RecordRejected

RowT = TypeVar("RowT")


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
        remarks: defects that did not cost a row.
        left_out: records that are out of scope, by reason.
        payload: file that rejects and remarks name, unless they name another.
        remedy: what to do about a reject or a remark, unless it has a remedy of its own.
    """

    rows: list[RowT] = field(default_factory=list)
    rejects: list[RecordRejected] = field(default_factory=list)
    records_in: int = 0
    duplicates: int = 0
    merged: int = 0
    remarks: list[RecordRejected] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)
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

    def remark(self, record: str, problem: str, *, payload: str = "", remedy: str = "") -> None:
        """Name a defect that did not cost a row."""
        self.remarks.append(self._named(record, problem, payload, remedy))

    def out_of_scope(self, reason: str, n: int = 1) -> None:
        """Count `n` records that the warehouse does not hold, under a reason that does not vary by record."""
        if n:
            self.left_out[reason] = self.left_out.get(reason, 0) + n

    def keep_first(self, key: Callable[[RowT], object]) -> None:
        """Count every row as a duplicate whose key an earlier row has."""
        distinct: dict[object, RowT] = {}
        for row in self.rows:
            distinct.setdefault(key(row), row)
        self.duplicates += len(self.rows) - len(distinct)
        self.rows = list(distinct.values())

    def _named(self, record: str, problem: str, payload: str, remedy: str) -> RecordRejected:
        return RecordRejected(
            payload=payload or self.payload, record=record, problem=problem, remedy=remedy or self.remedy
        )

    @property
    def is_balanced(self) -> bool:
        """Whether records read = rows + duplicates + merged + rejects + out of scope."""
        out = len(self.rows) + self.duplicates + self.merged + len(self.rejects)
        return self.records_in == out + sum(self.left_out.values())

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
                f"{sum(self.left_out.values())} out of scope"
            )
        return self


@dataclass
class Recognised(Parsed[RowT]):
    """The account of a document without a list of records: whatever is recognised in it counts as one record."""

    def add(self, row: RowT) -> None:
        """Yield a row, and count it as read."""
        self.read()
        super().add(row)

    def reject(self, record: str, problem: str, *, payload: str = "", remedy: str = "") -> None:
        """Name a record that cannot be trusted, and count it as read."""
        self.read()
        super().reject(record, problem, payload=payload, remedy=remedy)

    def out_of_scope(self, reason: str, n: int = 1) -> None:
        """Count `n` records that the warehouse does not hold, and count them as read."""
        self.read(n)
        super().out_of_scope(reason, n)

    def merge(self) -> None:
        """Count a record that repeats another row."""
        self.read()
        self.merged += 1


def required(entry: dict[str, object], names: Sequence[str]) -> list[str]:
    """Return the keys of `names` that the entry lacks or holds empty."""
    return [name for name in names if entry.get(name) is None or str(entry[name]).strip() == ""]
