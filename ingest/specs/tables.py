"""Any table of specifications as (product, attribute, figure with its unit), from HTML, definition lists and RST.

Spec tables are written for people, and say as much in their heads and footnotes as in their cells: a figure may be with
sparsity because of a footnote, of eight accelerators because of the head, of one direction of a link because nothing
says otherwise, in the unit the row is headed with. All that is read here, once for all sources; what cannot be told
is rejected by name.

Habits met (2023-2026): ``1,979 teraFLOPS*`` with ``* With sparsity`` below; ``183 I 366*`` (a capital I for a bar);
``144 PFLOPS | 108 PFLOPS`` under a footnote ``Sparse | Dense``; a count in the head (``NVL72``), in a row
(``Configuration: 36 Grace CPU : 72 Blackwell GPUs``, ``# of Trainium2 chips``, ``8x NVIDIA B200 SXM``); ``16 GB, 819
GBps`` in one cell; ``380 INT8 TOPS, 190 FP16/BF16 TFLOPS`` as a sentence; units in the row's name only.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bs4 import BeautifulSoup, Tag
from docutils import core, nodes
from docutils.parsers.rst import Directive, directives, roles

from ingest.prices.pages import clean, read_table, text_of
from ingest.specs.values import UNITS, SpecAccount

NOT_COMPARED = "an attribute that is not compared"
NO_FIGURE = "no figure is published"
BESIDE_DENSE = "a rate with sparsity beside the dense one"
OF_MORE = "a figure of more than the accelerators (host, pod, CPU and GPU together)"
BESIDE_MATRIX = "a vector rate beside the matrix rate of the format"
BESIDE_TRAINING = "a rate of inference beside that of training (with compression)"

# ---------------------------------------------------------------- units

_PREFIX = {
    **dict.fromkeys(("p", "peta"), "peta"),
    **dict.fromkeys(("t", "tera"), "tera"),
    **dict.fromkeys(("g", "giga"), "giga"),
    **dict.fromkeys(("m", "mega"), "mega"),
    **dict.fromkeys(("k", "kilo"), "kilo"),
    "": "",
}
_UNIT = re.compile(
    r"(?<![A-Za-z])(?:(?P<rate>(?P<rp>(?i:peta|tera|giga|[PTG])?)[\s-]?(?P<ops>(?i:FLOP|OP))(?i:s)?(?i:/s(?:ec)?)?)(?![A-Za-z])"
    r"|(?P<bits>(?P<bp>[KMGTP])(?P<bi>i?)b(?:it)?(?:s|\s?/\s?s(?:ec)?|ps))(?![A-Za-z])"
    r"|(?P<bytes>(?P<yp>[KMGTP]|kilo|mega|giga|tera)?(?P<yi>i?)(?:B|[Bb]ytes?)(?P<per>\s?/\s?s(?:ec(?:ond)?)?|ps)?)(?![A-Za-z])"
    r"|(?P<watts>(?P<wp>k?)(?:W|[Ww]atts?))(?![A-Za-z]))"
)
_BINARY = {"k": "kibi", "m": "mebi", "g": "gibi", "t": "tebi", "p": "pebi"}
_TARGET = {
    "flops": "teraflop/second",
    "ops": "teraop/second",
    "bytes": "gigabyte",
    "bytes/s": "gigabyte/second",
}
_DIMENSION = {"TFLOP/s": "flops", "TOP/s": "ops", "GB": "bytes", "GB/s": "bytes/s", "W": "watts"}


@functools.cache
def _registry() -> Any:
    import pint  # a third of a second, which nobody pays who reads no specification

    registry: Any = pint.UnitRegistry()
    registry.define("flop = [floating_point_operation]")
    registry.define("op = [integer_operation]")
    return registry


@dataclass(frozen=True)
class Unit:
    """A unit as printed: its words, what it measures (flops, ops, bytes, bytes/s, watts) and pint's name for it."""

    words: str
    dimension: str
    pint_name: str

    def convert(self, figure: float) -> float:
        """The figure in TFLOP/s, TOP/s, GB (10⁹), GB/s or W."""
        target = _TARGET.get(self.dimension, "watt")
        # twelve digits: 2.9 TB/s is 2900 GB/s, not 2900.0000000000005
        return float(f"{_registry().Quantity(figure, self.pint_name).to(target).magnitude:.12g}")


def unit_in(text: str) -> Unit | None:
    """The first unit in the text; None if there is none. ``GiB`` is 2³⁰ bytes, ``Gbps`` bits, ``GBps`` bytes."""
    match = _UNIT.search(text)
    return _unit(match) if match else None


def _unit(match: re.Match[str]) -> Unit:
    words = clean(match[0])
    if match["rate"]:
        kind = "flop" if match["ops"].lower() == "flop" else "op"
        return Unit(words, f"{kind}s", f"{_PREFIX[(match['rp'] or '').lower()]}{kind}/second")
    if match["bits"]:
        prefix = _BINARY[match["bp"].lower()] if match["bi"] else _PREFIX[match["bp"].lower()]
        return Unit(words, "bytes/s", f"{prefix}bit/second")
    if match["bytes"]:
        letter = (match["yp"] or "").lower()
        prefix = _BINARY[letter] if match["yi"] and letter in _BINARY else _PREFIX[letter]
        return Unit(
            words, *(("bytes/s", f"{prefix}byte/second") if match["per"] else ("bytes", f"{prefix}byte"))
        )
    return Unit(words, "watts", f"{'kilo' if match['wp'] else ''}watt")


# ---------------------------------------------------------------- figures in a cell

_NUMBER = r"(?<![\w.,])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
_MARKS = re.compile(r"\{\^([^}]*)\}|[*†‡]+|[¹²³⁴⁵]+")
_SUPERSCRIPTS = str.maketrans("¹²³⁴⁵", "12345")


@dataclass(frozen=True)
class Figure:
    """A number with its unit and the footnote marks that hang on it; `before` are the words that lead to it."""

    digits: str
    unit: Unit | None
    marks: tuple[str, ...]
    before: str

    @property
    def number(self) -> float:
        """The digits as a number."""
        return float(self.digits.replace(",", ""))


def marks_in(text: str) -> tuple[str, ...]:
    """Footnote marks: superscripts (kept as ``{^1}`` by `keep_marks`), asterisks and daggers."""
    found: list[str] = []
    for match in _MARKS.finditer(text):
        words = match[1] if match[1] is not None else match[0].translate(_SUPERSCRIPTS)
        found += [mark.strip() for mark in words.split(",") if mark.strip()]
    return tuple(found)


def without_marks(text: str) -> str:
    """The text without footnote marks."""
    return clean(_MARKS.sub("", text))


def figures_in(text: str, default: Unit | None = None) -> list[Figure]:
    """All figures with a unit; and bare numbers that are all a segment says, in the unit that stands in the row's name.

    Segments are parted by ``|`` (or ``I``, as some tables print it).
    """
    out: list[Figure] = []
    for segment in re.split(r"\s*\|\s*|\s+I\s+(?=\d)", text):
        found = []
        end = 0
        for match in re.finditer(_NUMBER, segment):
            marks = _MARKS.match(segment, match.end())
            unit = _UNIT.match(segment, _blank(segment, marks.end() if marks else match.end()))
            if unit is None:
                continue
            behind = re.match(r"(?:\s*(?:\{\^[^}]*\}|[*†‡¹²³⁴⁵]+))*", segment[unit.end() :])
            hanging = (marks[0] if marks else "") + (behind[0] if behind else "")
            found.append(Figure(match[0], _unit(unit), marks_in(hanging), segment[end : match.start()]))
            end = unit.end()
        if not found:
            bare = re.fullmatch(
                rf"(?:up to\s+)?{_NUMBER}\s*((?:\{{\^[^}}]*\}}|[*†‡¹²³⁴⁵\s])*)", segment.strip(), re.I
            )
            if bare:
                found.append(Figure(bare[1], default, marks_in(bare[2]), ""))
        out += found
    # "1,440 | 1,080 PFLOPS": the unit stands once, behind the last figure
    last = next((f.unit for f in reversed(out) if f.unit), default)
    return [f if f.unit else Figure(f.digits, last, f.marks, f.before) for f in out]


def _blank(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():  # thin and no-break spaces too
        at += 1
    return at


# ---------------------------------------------------------------- what a row is about

_FORMATS = {
    **dict.fromkeys(("bf16", "bfloat16"), "bf16_dense_tflops"),
    **dict.fromkeys(("fp16", "half precision"), "fp16_dense_tflops"),
    **dict.fromkeys(
        ("fp8", "mxfp8", "cfp8", "eight-bit precision", "8-bit precision", "e5m2", "e4m3"), "fp8_dense_tflops"
    ),
    **dict.fromkeys(("fp4", "mxfp4", "nvfp4"), "fp4_dense_tflops"),
    "tf32": "tf32_dense_tflops",
    **dict.fromkeys(("fp32", "single precision"), "fp32_tflops"),
    **dict.fromkeys(("fp64", "double precision"), "fp64_tflops"),
    "int8": "int8_dense_tops",
}
_FORMAT = re.compile(r"(?<![a-z0-9])(" + "|".join(sorted(_FORMATS, key=len, reverse=True)) + r")(?![a-z0-9])")
_NOT_OURS = re.compile(
    r"cache|sram|sbuf|system memory|\blds\b|register|clock|\bcpu\b|\bgrace\b|lpddr|\bhost\b|\bdram\b|\bdma\b"
    r"|network|data.?center|\bnic\b|efa\b|pci|c2c|interface|memory type|memory pool|improvement|price|cost"
    r"|decoder|encoder|bisection|all.?reduce|\bslice\b|sparsecore|\bint4\b|\bint16\b|fast memory|fabric\W* link"
)
_POD = re.compile(r"\bpods?\b|per (?:host|slice|vm)\b")
_LINK = re.compile(r"nvlink|neuronlink|\bici\b|inter-?chip|infinity fabric|interconnect|scale-?up|gpu-to-gpu")
_PER_ONE = re.compile(
    r"(?i)\bper (?:chip|gpu|device|accelerator)\b|/(?:chip|gpu|device)\b|gpu-to-gpu|per-gpu"
)


def attributes_of(words: str) -> dict[str, tuple[str, ...]]:
    """Which of our attributes a row's words speak of: what is measured → attributes. Empty: none that is compared.

    FP64 and FP32 of tensor or matrix units are other figures than the plain (vector) ones we compare.
    """
    low = without_marks(words).lower()
    if re.search(
        r"\btdp\b|\btbp\b|\btgp\b|thermal design|board power|max(?:imum)?\.? (?:power|consumption)"
        r"|^power consumption|^power$",
        low,
    ):
        return {"watts": ("tdp_w",)}
    named = [_FORMATS[f] for f in _FORMAT.findall(low.replace("-precision", " precision"))]
    if "mixed" in low:  # "Mixed-Precision (FP16/FP32)": FP16 is multiplied, FP32 adds up
        named = [a for a in named if a != "fp32_tflops"]
    if named and not _NOT_OURS.search(low.replace("tensor cores", "tensor").replace("tensor core", "tensor")):
        is_matrix = bool(re.search(r"tensor|matrix", low))
        names_both = bool(re.search(r"fp(64|32)\s*/\s*fp\1\s*tensor", low))
        plain = ("fp64_tflops", "fp32_tflops")
        kept = [a for a in named if not (a in plain and is_matrix and not names_both)]
        if "vector" in low:
            kept = [a for a in kept if a in plain]
        rates = tuple(dict.fromkeys(a for a in kept if UNITS[a] == "TFLOP/s"))
        integer = tuple(dict.fromkeys(a for a in kept if UNITS[a] == "TOP/s"))
        return {k: v for k, v in (("flops", rates), ("ops", integer)) if v}
    if re.search(r"memory|hbm|vram", low) and not _NOT_OURS.search(low):
        return {"bytes": ("memory_gb",), "bytes/s": ("memory_bandwidth_gb_s",)}
    if _LINK.search(low) and not _NOT_OURS.search(low):
        return {"bytes/s": ("scale_up_bandwidth_gb_s",)}
    return {}


_SENTENCE = re.compile(
    rf"{_NUMBER}\s+(?P<formats>[A-Za-z]*\d+(?:/[A-Za-z]*\d+)*)\s+(?P<sparse>sparse\s+)?(?P<unit>[PTG](?:FLOP|OP)S?)\b"
)


# ---------------------------------------------------------------- tables of any origin


@dataclass(frozen=True)
class SpecRow:
    """One row: where it stands, its words, and the text of each product's cell."""

    record: str
    words: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class SpecTable:
    """A table with a product a column. `footnotes`: what its marks mean; `counts`: accelerators of a product."""

    products: tuple[str, ...]
    rows: tuple[SpecRow, ...]
    footnotes: Mapping[str, str] = field(default_factory=dict)

    def turned(self) -> SpecTable:
        """The same with rows and columns exchanged, for tables that have a product a row."""
        place = self.rows[0].record.partition(" row")[0] if self.rows else ""
        columns = tuple(
            SpecRow(f"{place} column {name!r}", name, tuple(row.cells[i] for row in self.rows))
            for i, name in enumerate(self.products)
        )
        return SpecTable(tuple(row.words for row in self.rows), columns, self.footnotes)


_COUNT_ROW = re.compile(
    r"(?i)^(?:configuration|form factor|gpus?|gpu count|number of (?:gpus|accelerators|chips))$"
)
_HOW_MANY = re.compile(
    r"(?i)(\d+)\s*[x×]?\s*(?:nvidia|amd|intel)?\s*(?:[a-z]+\s+){0,3}?(?:[a-z]*\d+\w*\s+)?(?:gpus?|sxm\d?|oam|accelerators?)\b"
)
_CHIPS_ROW = re.compile(r"(?i)^(?:#|number) of [\w ]*?(?:chips|devices|accelerators)$")


def _counts(table: SpecTable) -> list[tuple[str, int]]:
    """What each column is of, and how many accelerators that has: by its head, or by a row that says so."""
    out: list[tuple[str, int]] = []
    for i, product in enumerate(table.products):
        named = re.search(r"NVL(\d+)", product)
        n = int(named[1]) if named else 1
        for row in table.rows:
            if len(row.cells) != len(table.products):
                continue
            words, cell = without_marks(row.words), without_marks(row.cells[i])
            # a pod of 256 chips is no table of pods: its other rows say "per chip"
            if _CHIPS_ROW.match(words) and "pod" not in words.lower() and re.fullmatch(r"[\d,]+", cell):
                n = int(cell.replace(",", ""))
            elif _COUNT_ROW.match(words) and (found := _HOW_MANY.findall(cell)):
                n = int(found[-1])  # "1 Grace CPU : 2 Blackwell GPU": the last is the GPUs'
        if _PER_ONE.search(product):
            n = 1  # "GB200 NVL72 (per GPU)"
        low = product.lower()
        per = "chip" if n == 1 else "superchip" if "superchip" in low else "rack" if n > 16 else "board"
        if n > 1 and re.search(r"xlarge|ultraserver", low):
            per = "instance"
        out.append((per, n))
    return out


@dataclass(frozen=True)
class Reading:
    """How a source's tables are to be read.

    Attributes:
        source: its name.
        url: where a person sees the table.
        member: file inside the payload.
        link_is_bidirectional: what a link figure is where the words say nothing; None: not known.
        links: whether link figures of these tables are of the accelerator at all.
        skip_columns: heads of columns that are no product.
    """

    source: str
    url: str
    member: str
    link_is_bidirectional: bool | None = None
    links: bool = True
    skip_columns: re.Pattern[str] = re.compile(r"(?i)improvement factor|^notes?$")


@dataclass(frozen=True)
class _Statement:
    product: str
    attribute: str
    figure: Figure
    is_sparse: bool
    per: str
    count: int
    record: str
    cell: str
    direction: bool | None
    words: str = ""

    @property
    def sense(self) -> tuple[object, ...]:
        """Two statements of one sense say one number, or contradict each other."""
        return self.product, self.attribute, self.is_sparse, self.count, self.direction


def read_specs(account: SpecAccount, tables: Iterable[SpecTable], how: Reading) -> None:
    """Put every figure of the tables into the account.

    Of a product's rate, the one with sparsity is left out where the dense one stands beside it, and the vector rate
    where the matrix rate does. What a table says twice with different numbers is rejected.
    """
    for table in tables:
        counts = _counts(table)
        rate_unit = _common_rate_unit(table)
        said: list[_Statement] = []
        for row in table.rows:
            if len(row.cells) != len(table.products):
                if attributes_of(row.words):
                    account.reject(
                        row.record,
                        f"{row.words!r} has {len(row.cells)} cells under {len(table.products)} products",
                        how.member,
                    )
                else:
                    account.leave_out(NOT_COMPARED)
                continue
            for i, cell in enumerate(row.cells):
                product = without_marks(table.products[i])
                if how.skip_columns.search(product):
                    account.leave_out(NOT_COMPARED)
                else:
                    record = f"{row.record}, {product}" if len(row.cells) > 1 else row.record
                    said += _read_cell(account, table, row, cell, product, record, counts[i], how, rate_unit)
        said = _beside(account, said, r"matrix|tensor", r"(?!.*(?:matrix|tensor))", BESIDE_MATRIX)
        said = _beside(account, said, "training", ".*inference", BESIDE_TRAINING)
        dense = {(s.product, s.attribute) for s in said if not s.is_sparse}
        numbers: dict[tuple[object, ...], dict[float, str]] = {}
        for s in said:
            numbers.setdefault(s.sense, {})[_converted(s)] = s.cell
        for s in said:
            if s.is_sparse and (s.product, s.attribute) in dense:
                account.leave_out(BESIDE_DENSE)
                continue
            if len(numbers[s.sense]) > 1:
                account.reject(
                    s.record,
                    f"{s.attribute} of {s.product!r} stands in one table with several numbers: "
                    + "; ".join(repr(cell) for cell in numbers[s.sense].values()),
                    how.member,
                )
                continue
            unit = s.figure.unit
            assert unit is not None
            account.add(
                source=how.source,
                product_published=s.product,
                attribute=s.attribute,
                value=_converted(s),
                value_published=s.figure.digits,
                unit_published=unit.words,
                is_sparse=s.is_sparse,
                is_bidirectional=s.direction,
                per=s.per,
                per_count=s.count,
                member=how.member,
                record=s.record,
                source_url=how.url,
                note=s.cell,
            )


def _common_rate_unit(table: SpecTable) -> Unit | None:
    """The unit of floating-point rates where rows carry one in their words, all the same; some rows forget it."""
    found = {
        unit.pint_name: unit
        for row in table.rows
        if "flops" in attributes_of(row.words) and (unit := unit_in(without_marks(row.words)))
    }
    return next(iter(found.values())) if len(found) == 1 else None


def _converted(said: _Statement) -> float:
    return said.figure.unit.convert(said.figure.number) if said.figure.unit else 0.0


def _beside(
    account: SpecAccount, said: list[_Statement], better: str, worse: str, reason: str
) -> list[_Statement]:
    """Leave out rates of rows called `worse` where a row called `better` tells the same format of the product."""
    plain = ("fp64_tflops", "fp32_tflops")  # of these the vector rate is the one that is compared
    kept, told = [], {(s.product, s.attribute) for s in said if re.search(better, s.words)}
    for s in said:
        is_rate = UNITS[s.attribute] in ("TFLOP/s", "TOP/s") and s.attribute not in plain
        if is_rate and (s.product, s.attribute) in told and re.match(worse, s.words):
            account.leave_out(reason)
            continue
        kept.append(s)
    return kept


def _read_cell(
    account: SpecAccount,
    table: SpecTable,
    row: SpecRow,
    cell: str,
    product: str,
    record: str,
    of: tuple[str, int],
    how: Reading,
    rate_unit: Unit | None,
) -> list[_Statement]:
    words = without_marks(row.words)
    note = f"{words}: {without_marks(cell)}"
    sentence = list(_SENTENCE.finditer(without_marks(cell)))
    wanted = attributes_of(row.words)
    if not wanted and re.search(r"(?i)peak compute|peak performance", words):
        wanted = attributes_of(
            f"{words} {' '.join(re.findall(r'[(]([^)]*)[)]', cell))}"
        )  # "275 TFLOPS (bf16 or int8)"
    if not wanted and sentence:
        return _read_sentence(account, sentence, product, record, note)
    if not wanted or (not how.links and "scale_up_bandwidth_gb_s" in wanted.get("bytes/s", ())):
        account.leave_out(NOT_COMPARED)
        return []
    if _POD.search(words.lower()):
        account.leave_out(OF_MORE)
        return []
    stated = unit_in(words) or (rate_unit if "flops" in wanted else None)
    figures = [f for f in figures_in(cell, stated) if f.unit is not None]
    if not figures:
        if re.search(r"\d", without_marks(cell)) and stated:
            account.reject(record, f"{cell!r} under {words!r} is no figure in a form that is known")
        else:
            account.leave_out(NO_FIGURE)
        return []
    is_one = bool(_PER_ONE.search(words) or _PER_ONE.search(cell))
    per, count = ("chip", 1) if is_one else of
    if "tdp_w" in wanted.get("watts", ()) and (count > 1 or re.search(r"\bCPU\b", words + cell)):
        account.leave_out(OF_MORE)
        return []
    out: list[_Statement] = []
    marks = marks_in(row.words)
    for dimension, attributes in wanted.items():
        # an FP row in OPS, or INT8 in FLOPS, is the table's slip of a letter: the format says which it is
        kinds = ("flops", "ops") if dimension in ("flops", "ops") else (dimension,)
        mine = [f for f in figures if f.unit is not None and f.unit.dimension in kinds]
        if kinds[0].startswith("bytes") and any(re.search(r"\d\s*/\s*$", f.before) for f in mine):
            account.reject(
                record, f"{words!r} has several figures and nothing that sets them apart: {cell!r}"
            )
            continue  # "32/16 GB": two variants of the product
        if dimension == "bytes/s" and "scale_up_bandwidth_gb_s" in attributes:
            named = [f for f in mine if _LINK.search(f.before.lower())]
            mine = (named or [f for f in mine if not re.search(r"(?i)pcie", f.before)])[:1]
        if dimension == "watts":
            mine = _power(mine, cell)
        sparse = (
            _are_sparse(mine, marks, row.words, cell, table.footnotes)
            if kinds[0] == "flops"
            else [False] * len(mine)
        )
        if sparse is None:
            account.reject(
                record, f"{words!r}: {cell!r} has a mark without a footnote: dense or sparse cannot be told"
            )
            continue
        by_sense: dict[bool, set[float]] = {}
        for figure, is_sparse in zip(mine, sparse, strict=True):
            by_sense.setdefault(is_sparse, set()).add(
                figure.unit.convert(figure.number) if figure.unit else 0.0
            )
        if any(len(values) > 1 for values in by_sense.values()):
            account.reject(
                record, f"{words!r} has several figures and nothing that sets them apart: {cell!r}"
            )
            continue
        is_link = "scale_up_bandwidth_gb_s" in attributes
        both = re.search(r"(?i)bi-?directional", words + " " + cell)
        one = re.search(r"(?i)uni-?directional|each (?:way|direction)|per direction", words + " " + cell)
        direction = (False if one else True if both else how.link_is_bidirectional) if is_link else None
        for figure, is_sparse in zip(mine, sparse, strict=True):
            for attribute in attributes:
                same = _in_kind(figure, attribute)
                out.append(
                    _Statement(
                        product,
                        attribute,
                        same,
                        is_sparse,
                        per,
                        count,
                        record,
                        note,
                        direction,
                        words.lower(),
                    )
                )
    if not out and not any(f.unit and f.unit.dimension in wanted for f in figures):
        account.leave_out(NOT_COMPARED)
    elif not out:
        account.leave_out(NO_FIGURE, 0)
    return out


def _power(figures: list[Figure], cell: str) -> list[Figure]:
    """The upper end of a range; of ``500W | 560W Peak`` the figure that is no peak."""
    steady = [f for f in figures if not re.search(rf"(?i)\b{re.escape(f.digits)}\s*k?W\w*\s*\(?peak", cell)]
    kept = steady or figures
    if len(kept) == 2 and re.search(r"\bto\b|[-–—]", kept[1].before):
        return kept[1:]
    return kept


def _in_kind(figure: Figure, attribute: str) -> Figure:
    """The figure with FLOPS read as OPS (or the other way round) where the number format says so."""
    unit, kind = figure.unit, _DIMENSION[UNITS[attribute]]
    if unit is None or unit.dimension == kind or kind not in ("flops", "ops"):
        return figure
    old, new = unit.dimension[:-1], kind[:-1]
    prefix = unit.pint_name.split("/")[0].removesuffix(old)
    return Figure(figure.digits, Unit(unit.words, kind, f"{prefix}{new}/second"), figure.marks, figure.before)


def _read_sentence(
    account: SpecAccount, found: Sequence[re.Match[str]], product: str, record: str, note: str
) -> list[_Statement]:
    """``380 INT8 TOPS, 190 FP16/BF16 TFLOPS``: rates told in a sentence, each with its formats."""
    out = []
    for match in found:
        attributes = [_FORMATS[f] for f in match["formats"].lower().split("/") if f in _FORMATS]
        if not attributes:
            account.leave_out(NOT_COMPARED)
        for attribute in attributes:
            figure = _in_kind(Figure(match[1], unit_in(match["unit"]), (), ""), attribute)
            out.append(
                _Statement(product, attribute, figure, bool(match["sparse"]), "chip", 1, record, note, None)
            )
    return out


def _are_sparse(
    figures: Sequence[Figure], row_marks: Sequence[str], words: str, cell: str, footnotes: Mapping[str, str]
) -> list[bool] | None:
    """Which of a cell's rates hold with sparsity only; None when a mark cannot be looked up."""
    if any(mark not in footnotes for f in figures for mark in f.marks) or any(
        m not in footnotes for m in row_marks
    ):
        return None
    if (
        re.search(r"(?i)with(?:\s+structured)?\s+sparsity|\bsparse\b", words)
        and "without" not in words.lower()
    ):
        return [True] * len(figures)
    row_notes = [footnotes[m].lower() for m in row_marks]
    both = next((n for n in row_notes if _order(n)), None)
    if both and len(figures) == 2:
        return [_order(both) == "sparse first", _order(both) == "dense first"]
    unmarked = any(_says_sparse(n) for n in row_notes)
    low = words.lower()
    if (
        EVERY_TENSOR_RATE in footnotes and "tensor" in low and not re.search("fp64|fp32", low)
    ):  # have no sparsity
        unmarked = unmarked or not any(_says_dense(n) for n in row_notes)
    own = [[footnotes[m].lower() for m in f.marks] for f in figures]
    if any(_says_sparse(n) for notes in own for n in notes):
        unmarked = False  # "183 | 366*": the mark on the other figure tells them apart
    return [
        any(_says_sparse(n) for n in notes) or (unmarked and not any(_says_dense(n) for n in notes))
        for notes in own
    ]


def _order(note: str) -> str:
    if re.search(r"(?:sparse|with sparsity)\s*[|/]\s*(?:dense|without sparsity)", note):
        return "sparse first"
    if re.search(r"(?:dense|without sparsity)\s*[|/]\s*(?:sparse|with sparsity)", note):
        return "dense first"
    return ""


def _says_sparse(note: str) -> bool:
    return bool(re.search(r"sparse|sparsity", note)) and not _says_dense(note)


def _says_dense(note: str) -> bool:
    # not "Shown with sparsity. Specifications are one-half lower without sparsity."
    return bool(re.search(r"^\W*(?:\w+ )?(?:without sparsity|dense\b)", note))


# ---------------------------------------------------------------- HTML

EVERY_TENSOR_RATE = "every Tensor Core rate"
"""Key of the footnote that speaks for all Tensor Core rows, whatever its mark and wherever that stands."""
_FOR_ALL = re.compile(r"(?i)\ball (?:other )?tensor core spec\w* (?:are |shown )+(?:with sparsity|sparse)")
_FOOTNOTE = re.compile(r"^\s*(?:\{\^(\d|[*†‡]+)\}|([*†‡]+)|(\d)[.)](?=\s))\s*(.+)$")


def keep_marks(soup: BeautifulSoup) -> None:
    """Turn superscripts into ``{^1}``, so that a figure's footnote mark neither is lost nor becomes a digit of it."""
    for sup in soup.find_all("sup"):
        sup.replace_with("{^" + clean(sup.get_text()).rstrip(".") + "}")


def footnotes_of(soup: BeautifulSoup) -> dict[str, str]:
    """Footnotes by mark: a block of its own, or several in one block (``1. Preliminary. 2. With sparsity.``)."""
    out: dict[str, str] = {}
    for block in soup.find_all(["p", "li", "div", "small", "td", "span", "em"]):
        if block.find(["p", "li", "div", "table", "td"]) is not None:
            continue
        for line in _lines(block):
            if _FOR_ALL.search(line):
                out.setdefault(EVERY_TENSOR_RATE, line)
            match = _FOOTNOTE.match(line)
            if match is None:
                continue
            for part in re.split(r"\s+(?=(?:\{\^(?:\d|[*†‡]+)\}|\d[.)]\s|\*+\s))", line):
                if one := _FOOTNOTE.match(part):
                    out.setdefault(one[1] or one[2] or one[3], clean(one[4]))
    return out


def _lines(block: Tag) -> Iterator[str]:
    for br in block.find_all("br"):
        br.replace_with("\n")
    for line in block.get_text().split("\n"):
        if line.strip():
            yield clean(line)


def html_tables(soup: BeautifulSoup, default_product: str = "") -> list[SpecTable]:
    """Every ``<table>`` whose first column are the rows' words, with the products of its head.

    A table without a head, or with one product column of no name, is of `default_product`.
    `keep_marks` must have been called. A row with other cells than the head has products is kept, to be rejected.
    """
    notes = footnotes_of(soup)
    out = []
    for number, table in enumerate(soup.find_all("table"), 1):
        lines = read_table(table)
        rows: list[SpecRow] = []
        products: tuple[str, ...] = ()
        for line in lines:
            # one cell across several columns is the figure of each of them
            under = [(head, cell.text) for cell in line.cells for head in cell.headers]
            texts = [text for _, text in under]
            if len(texts) < 2:
                continue
            if not products:
                heads = [head for head, _ in under[1:]]
                if not any(heads) and not rows and not texts[0].strip() and len(texts) > 2:
                    products = tuple(texts[1:])  # a head made of ordinary cells
                    continue
                products = tuple(heads)
            rows.append(SpecRow(f"table {number} row {line.number}", texts[0], tuple(texts[1:])))
        named = tuple(_product(p, default_product, len(products)) for p in products)
        if rows:
            out.append(SpecTable(named, tuple(rows), notes))
    return out


def _product(head: str, default: str, n: int) -> str:
    words = without_marks(head)
    is_no_name = not words or re.search(
        r"(?i)^(?:value|values|specification|specifications|details?)s?\b|values$", words
    )
    if n == 1 and default and not re.search(r"\d", words):
        return default  # "GPU Architecture | NVIDIA Ada Lovelace architecture" is no product
    return default if is_no_name or (n == 1 and default and words.lower() in default.lower()) else words


def pairs_table(soup: BeautifulSoup, product: str) -> SpecTable:
    """All ``<dt>``/``<dd>`` pairs of a page as one table of one product. A ``<dt>`` is followed by its own ``<dd>``."""
    rows = []
    for i, term in enumerate(soup.find_all("dt"), 1):
        value = term.find_next_sibling()
        if isinstance(value, Tag) and value.name == "dd":
            rows.append(SpecRow(f"pair {i}", text_of(term), (text_of(value),)))
    return SpecTable((product,), tuple(rows), footnotes_of(soup))


# ---------------------------------------------------------------- reStructuredText


class _Transparent(Directive):
    """A directive of Sphinx that only wraps other content (tabs, cards): read what is inside."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec = None

    def run(self) -> list[nodes.Node]:
        box = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, box)
        return [box]


class _Ignored(_Transparent):
    """A directive of Sphinx whose content is no text."""

    def run(self) -> list[nodes.Node]:
        return []


class _Option(dict[str, Callable[[str], object]]):
    """Any option is taken as it is: what a wrapper is called or looks like does not matter."""

    def __missing__(self, key: str) -> Callable[[str], object]:
        return lambda value: value

    def __contains__(self, key: object) -> bool:
        return True


@functools.cache
def _teach_docutils() -> None:
    wrapping = ("tab-set", "tab-item", "grid", "grid-item-card", "card", "dropdown", "tabs", "tab", "only")
    for name in wrapping:
        directives.register_directive(name, type(f"_{name}", (_Transparent,), {"option_spec": _Option()}))
    for name in ("toctree", "seealso", "program-page"):
        directives.register_directive(name, type(f"_{name}", (_Ignored,), {"option_spec": _Option()}))

    def as_text(*args: Any, **kwargs: Any) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        return [nodes.Text(re.sub(r"\s*<[^<>]*>$", "", str(args[2])))], []

    for name in ("ref", "doc", "term", "numref", "cpp:func"):
        roles.register_local_role(name, as_text)  # type: ignore[arg-type]  # its stubs know references only


@dataclass(frozen=True)
class RstPage:
    """An RST page: its title, its tables (each with head lines and body lines), and what of it could not be read."""

    title: str
    problems: tuple[str, ...]
    tables: tuple[tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]], ...]


def read_rst(text: str) -> RstPage:
    """Title and tables (grid, simple, list-table, csv-table) of an RST page, inside tabs and cards too.

    Nothing is included or executed. Cells of several lines are joined by spaces.
    """
    _teach_docutils()
    document = core.publish_doctree(
        text,
        settings_overrides={
            "report_level": 5,
            "halt_level": 6,
            "file_insertion_enabled": False,
            "raw_enabled": False,
            "_disable_config": True,
        },
    )
    title = next((clean(t.astext()) for t in document.findall(nodes.title)), "")
    tables = []
    for table in document.findall(nodes.table):
        head: list[tuple[str, ...]] = []
        body: list[tuple[str, ...]] = []
        for row in table.findall(nodes.row):
            cells = tuple(clean(entry.astext()) for entry in row.findall(nodes.entry))
            (head if isinstance(row.parent, nodes.thead) else body).append(cells)
        tables.append((tuple(head), tuple(body)))
    errors = (clean(m.astext()) for m in document.findall(nodes.system_message) if m["level"] >= 3)
    problems = tuple(
        error.partition(" .. ")[0] for error in errors if "directive" in error or "table" in error.lower()
    )
    return RstPage(title, problems, tuple(tables))


def rst_tables(page: RstPage, default_product: str = "") -> list[SpecTable]:
    """The page's tables with a product a column; a table without a head is of `default_product`."""
    out = []
    for number, (head, body) in enumerate(page.tables, 1):
        heads = head[0][1:] if head else ()
        lines = [*head[1:], *body]
        rows = tuple(
            SpecRow(f"table {number} row {i}", cells[0], cells[1:])
            for i, cells in enumerate(lines, 1)
            if len(cells) > 1 and (not heads or len(cells) - 1 == len(heads))
        )
        if rows:
            width = len(rows[0].cells)
            products = tuple(heads) if heads else (default_product,) * width
            out.append(SpecTable(products, tuple(r for r in rows if len(r.cells) == width)))
    return out
