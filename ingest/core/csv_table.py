"""A payload that is one CSV table with a header, or a zip archive of one."""

from __future__ import annotations

import csv
import io
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import BinaryIO

from accelmart.spelling import did_you_mean
from ingest.core.errors import PayloadRejected, decode_utf8

_AGAIN = "fetch it again; if it stays so, look whether upstream has changed its form"


@dataclass(frozen=True)
class CsvLine:
    """One record: the number of its last line in the file, and its cells by column, without blanks around them."""

    number: int
    cells: dict[str, str]
    problem: str = ""
    separator: str = ","

    def __getitem__(self, column: str) -> str:
        """Return a cell; "" where the table has no such column.

        Raises:
            ValueError: the record has not the cells of its header.
        """
        if self.problem:
            raise ValueError(self.problem)
        return self.cells.get(column, "")


def read_csv(
    payload: bytes | str,
    where: str,
    required: Sequence[str],
    *,
    known: Sequence[str] = (),
    separators: Sequence[str] = ",",
    remedy: str = _AGAIN,
) -> Iterator[CsvLine]:
    """Yield the records of a table, whatever the order of its columns; blank lines are none.

    Args:
        payload: text, or UTF-8 with or without a byte order mark.
        where: the payload, for messages.
        required: columns without which it is another file.
        known: columns it may have; empty: any.
        separators: of cells, one character each; that which the first line has most often is the file's.
        remedy: what to do if it is another file.

    Raises:
        PayloadRejected: it is not UTF-8, lacks a column, has an unknown one, or ends inside a quoted cell.
    """
    text = payload if isinstance(payload, str) else decode_utf8(payload, where)
    separator = max(separators, key=text.partition("\n")[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        if missing := [name for name in required if name not in header]:
            problem = f"lacks {', '.join(missing)} in its first line {separator.join(header)[:60]!r}"
            raise PayloadRejected(payload=where, problem=problem, remedy=remedy)
        if known and (unknown := [name for name in header if name not in known]):
            problem = f"has an unknown column {unknown[0]!r}.{did_you_mean(unknown[0], known)}"
            remedy = f"remove or rename it; the columns are {', '.join(known)}"
            raise PayloadRejected(payload=where, problem=problem, remedy=remedy)
        for row in reader:
            if any(cell.strip() for cell in row):
                is_whole = len(row) == len(header)
                problem = "" if is_whole else f"has {len(row)} cells where the header has {len(header)}"
                cells = dict(zip_longest(header, map(str.strip, row[: len(header)]), fillvalue=""))
                yield CsvLine(reader.line_num, cells, problem, separator)
    except csv.Error as e:
        problem = f"line {reader.line_num} is no CSV ({e})"
        raise PayloadRejected(payload=where, problem=problem, remedy=_AGAIN) from e


def unzip_csv(file: BinaryIO, where: str, *, ending: str = ".csv", limit_bytes: int) -> tuple[str, bytes]:
    """Return name and content of the one CSV in a zip archive; no size that the archive states is believed.

    Args:
        file: the archive.
        where: the payload, for messages.
        ending: of the file's name.
        limit_bytes: of its content.

    Raises:
        PayloadRejected: no zip, damaged, without one CSV alone, or larger than `limit_bytes` unpacked.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(file.read())) as archive:
            names = [name for name in archive.namelist() if name.endswith(ending)]
            if len(names) != 1:
                problem = f"holds {len(names)} files *{ending}, one was expected"
                raise PayloadRejected(payload=where, problem=problem, remedy=_AGAIN)
            with archive.open(names[0]) as member:
                content = member.read(limit_bytes + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError) as e:
        # RuntimeError: encrypted, or a compression that cannot be undone here
        problem = f"is no zip archive that can be read ({e})"
        raise PayloadRejected(payload=where, problem=problem, remedy=_AGAIN) from e
    if len(content) > limit_bytes:
        problem = f"is larger than {limit_bytes >> 20} MiB unpacked"
        raise PayloadRejected(payload=where, problem=problem, remedy=_AGAIN)
    return names[0], content
