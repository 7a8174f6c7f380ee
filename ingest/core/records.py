"""The account of records: what a parser read, what it yielded, what it rejected, and that the two sides are equal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from ingest.core.errors import RecordRejected

RowT = TypeVar("RowT")


@dataclass
class Parsed(Generic[RowT]):
    """Rows and rejects of one payload (or one release of it), with the account of every record.

    ``records_in`` = rows + duplicates + records merged into a row + rejects + records left out. ``remarks`` are
    defects that did not cost a row; ``left_out`` counts by reason the records that are none of our business.
    """

    rows: list[RowT] = field(default_factory=list)
    rejects: list[RecordRejected] = field(default_factory=list)
    records_in: int = 0
    duplicates: int = 0
    merged: int = 0
    remarks: list[RecordRejected] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)

    @property
    def is_balanced(self) -> bool:
        """Nothing got lost on the way."""
        out = len(self.rows) + self.duplicates + self.merged + len(self.rejects)
        return self.records_in == out + sum(self.left_out.values())


def require_balance(parsed: Parsed[RowT], where: str) -> Parsed[RowT]:
    """Return `parsed`, or fail: a parser that loses records is a defect of ours, not of the payload.

    Raises:
        AssertionError: records in ≠ rows + duplicates + merged + rejects + left out.
    """
    if not parsed.is_balanced:
        raise AssertionError(
            f"{where}: {parsed.records_in} records in, but {len(parsed.rows)} rows + {parsed.duplicates} "
            f"duplicates + {parsed.merged} merged + {len(parsed.rejects)} rejects + "
            f"{sum(parsed.left_out.values())} left out"
        )
    return parsed


def required(entry: dict[str, object], names: Sequence[str]) -> list[str]:
    """The keys of `names` that the entry lacks or holds empty."""
    return [name for name in names if entry.get(name) is None or str(entry[name]).strip() == ""]
