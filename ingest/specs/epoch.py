"""Epoch AI, "Data on Machine Learning Hardware": one CSV of about 175 chips, dense figures, CC-BY.

Upstream facts (versions of 2025-12, 2026-01 and 2026-04): column names carry the unit and change (``Memory size per
board (Byte)`` became ``Memory (bytes)``), so columns are found by words, never by place; numbers are floats as text;
``inf`` comes and goes; cells hold line breaks; an empty cell is unknown, not zero. Compute is without sparsity. Columns
that Epoch derives with changing definitions (Max performance, ML OP/s, Energy efficiency, Price-performance) are not
read. ``Tensor-FP16/BF16`` is one column for both formats: a part without BF16 has its FP16 rate there.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from typing import Any

from ingest.core.cadence import SPECIFICATIONS
from ingest.core.errors import PayloadRejected
from ingest.core.fetch_plan import Members, one_request_each
from ingest.core.figures import Unit, unit_in
from ingest.core.html import clean
from ingest.core.records import Parsed
from ingest.core.source import Source
from ingest.core.spec_value import NO_FIGURE, SpecAccount, SpecValue

URL = "https://epoch.ai/data/ml_hardware.csv"
HOME = "https://epoch.ai/data/machine-learning-hardware"
NAME = "Hardware name"

_COLUMNS: dict[str, tuple[str, ...]] = {
    r"Tensor-FP16/BF16 performance": ("bf16_dense_tflops", "fp16_dense_tflops"),
    r"FP8 performance": ("fp8_dense_tflops",),
    r"FP4 performance": ("fp4_dense_tflops",),
    r"TF32 \(TensorFloat-32\) performance": ("tf32_dense_tflops",),
    r"FP32 \(single precision\) performance": ("fp32_tflops",),
    r"FP64 \(double precision\) performance": ("fp64_tflops",),
    r"INT8 performance": ("int8_dense_tops",),
    r"Memory(?: size per board)?": ("memory_gb",),
    r"Memory bandwidth": ("memory_bandwidth_gb_s",),
    r"Intranode bandwidth": ("scale_up_bandwidth_gb_s",),
    r"TDP": ("tdp_w",),
}


def parse(members: Members, *, key: str) -> Parsed[SpecValue]:
    """Every figure of the columns we compare. A record is one cell and attribute.

    A column that is expected and not there is a warning: the other columns are read.

    Raises:
        PayloadRejected: no CSV with the column of names and at least one column we know.
    """
    account = SpecAccount(URL)
    for member, file in members:
        text = file.read().decode("utf-8-sig", errors="replace")
        reader = csv.DictReader(io.StringIO(text, newline=""))
        columns = _find_columns(account, list(reader.fieldnames or ()), member)
        for row in reader:
            _read_row(account, row, columns, f"line {reader.line_num}", member)
    return account.settle()


def _find_columns(
    account: SpecAccount, names: list[str], member: str
) -> dict[str, tuple[tuple[str, ...], Unit]]:
    columns: dict[str, tuple[tuple[str, ...], Unit]] = {}
    for pattern, attributes in _COLUMNS.items():
        for name in names:
            match = re.fullmatch(rf"{pattern} \(([^()]+)\)", clean(name))
            unit = unit_in(match[1]) if match else None
            if unit is not None:
                columns[name] = (attributes, unit)
                break
        else:
            account.warn(
                "line 1",
                f"there is no column for {' and '.join(attributes)} ({pattern} with its unit in brackets)",
                payload=member,
                remedy="if the column was renamed, add its new name to ingest/specs/epoch.py",
            )
    if NAME not in names or not columns:
        raise PayloadRejected(
            payload=member or URL,
            problem=f"it has no column {NAME!r} with figures beside it, but {', '.join(names[:5]) or 'nothing'}",
            remedy="fetch it again; if it stays so, compare it with ingest/specs/epoch.py",
        )
    return columns


def _read_row(
    account: SpecAccount,
    row: Mapping[str, Any],
    columns: Mapping[str, tuple[tuple[str, ...], Unit]],
    line: str,
    member: str,
) -> None:
    product = clean(row.get(NAME) or "")
    for column, (attributes, unit) in columns.items():
        words = clean(row.get(column) or "")
        for attribute in attributes:
            record = f"{line}, {column}"
            if not words:
                account.out_of_scope(NO_FIGURE)
                continue
            if not re.fullmatch(r"\d+(\.\d+)?([eE][+-]?\d+)?", words):
                account.reject(
                    record, f"{product!r} has {words!r} under {column!r}: no number", payload=member
                )
                continue
            account.add_figure(
                source="epoch",
                product_published=product,
                attribute=attribute,
                value=unit.convert(float(words)),
                value_published=words,
                unit_published=unit.words,
                member=member,
                record=record,
                source_url=HOME,
                note=f"{column}: {words}",
                per="card",
            )


SOURCE = Source(
    dialect="specs",
    name="epoch",
    title="Epoch AI: Data on Machine Learning Hardware",
    home_url=HOME,
    licence="CC-BY-4.0",
    cadence=SPECIFICATIONS,
    limit_bytes=8 << 20,
    plan=one_request_each({"ml_hardware": URL}, "text/csv"),
    parse=parse,
    rank=3,
    ships=True,
    polls_to_close=0,
)
