"""Any table of specifications as (product, attribute, figure with its unit), from HTML, definition lists and RST.

Spec tables are written for people, and say as much in their heads and footnotes as in their cells: a figure may be with
sparsity because of a footnote, of eight accelerators because of the head, of one direction of a link because nothing
says otherwise, in the unit the row is headed with. These rules are applied here, once for all sources; what
cannot be determined is rejected by name.

Habits met (2023-2026): ``1,979 teraFLOPS*`` with ``* With sparsity`` below; ``183 I 366*`` (a capital I for a bar);
``144 PFLOPS | 108 PFLOPS`` under a footnote ``Sparse | Dense``; a count in the head (``NVL72``), in a row
(``Configuration: 36 Grace CPU : 72 Blackwell GPUs``, ``# of Trainium2 chips``, ``8x NVIDIA B200 SXM``); ``16 GB, 819
GBps`` in one cell; ``380 INT8 TOPS, 190 FP16/BF16 TFLOPS`` as a sentence; units in the row's name only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ingest.core.figures import NUMBER, Figure, Unit, figures_in, marks_in, unit_in, without_marks
from ingest.core.spec_value import NO_FIGURE, UNITS, SpecAccount
from ingest.specs.attributes import FORMATS, LINK, attributes_of
from ingest.specs.footnotes import EVERY_TENSOR_RATE
from ingest.specs.tables import SpecTable

NOT_COMPARED = "an attribute that is not compared"
BESIDE_DENSE = "a rate with sparsity beside the dense one"
OF_MORE = "a figure of more than the accelerators (host, pod, CPU and GPU together)"
BESIDE_MATRIX = "a vector rate beside the matrix rate of the format"
BESIDE_TRAINING = "a rate of inference beside that of training (with compression)"
_DIMENSION = {"TFLOP/s": "flops", "TOP/s": "ops", "GB": "bytes", "GB/s": "bytes/s", "W": "watts"}
_POD = re.compile(r"\bpods?\b|per (?:host|slice|vm)\b")
_PER_ONE = re.compile(
    r"(?i)\bper (?:chip|gpu|device|accelerator)\b|/(?:chip|gpu|device)\b|gpu-to-gpu|per-gpu"
)

_SENTENCE = re.compile(
    rf"{NUMBER}\s+(?P<formats>[A-Za-z]*\d+(?:/[A-Za-z]*\d+)*)\s+(?P<sparse>sparse\s+)?(?P<unit>[PTG](?:FLOP|OP)S?)\b"
)

_COUNT_ROW = re.compile(
    r"(?i)^(?:configuration|form factor|gpus?|gpu count|number of (?:gpus|accelerators|chips))$"
)
_HOW_MANY = re.compile(
    r"(?i)(\d+)\s*[x×]?\s*(?:nvidia|amd|intel)?\s*(?:[a-z]+\s+){0,3}?(?:[a-z]*\d+\w*\s+)?(?:gpus?|sxm\d?|oam|accelerators?)\b"
)
_CHIPS_ROW = re.compile(r"(?i)^(?:#|number) of [\w ]*?(?:chips|devices|accelerators)$")


def _counts(table: SpecTable) -> list[tuple[str, int]]:
    """What each column describes and how many accelerators it has, from its head or from a row of counts."""
    out: list[tuple[str, int]] = []
    for i, product in enumerate(table.products):
        named = re.search(r"NVL(\d+)", product)
        n = int(named[1]) if named else 1
        for row in table.rows:
            if len(row.cells) != len(table.products):
                continue
            words, cell = without_marks(row.words), without_marks(row.cells[i])
            # a pod of 256 chips is no table of pods: its other rows are "per chip"
            if _CHIPS_ROW.match(words) and "pod" not in words.lower() and re.fullmatch(r"[\d,]+", cell):
                n = int(cell.replace(",", ""))
            elif _COUNT_ROW.match(words) and (counts := _HOW_MANY.findall(cell)):
                n = int(counts[-1])  # "1 Grace CPU : 2 Blackwell GPU": the last is the GPUs'
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
    where the matrix rate does. A figure that a table repeats with another number is rejected.
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
                        payload=how.member,
                    )
                else:
                    account.out_of_scope(NOT_COMPARED)
                continue
            for i, cell in enumerate(row.cells):
                product = without_marks(table.products[i])
                if how.skip_columns.search(product):
                    account.out_of_scope(NOT_COMPARED)
                else:
                    record = f"{row.record}, {product}" if len(row.cells) > 1 else row.record
                    per, count = counts[i]
                    of_cell = _Cell(product, row.words, cell, record, per, count, rate_unit, table.footnotes)
                    said += _read_cell(account, of_cell, how)
        said = _beside(account, said, r"matrix|tensor", r"(?!.*(?:matrix|tensor))", BESIDE_MATRIX)
        said = _beside(account, said, "training", ".*inference", BESIDE_TRAINING)
        dense = {(s.product, s.attribute) for s in said if not s.is_sparse}
        numbers: dict[tuple[object, ...], dict[float, str]] = {}
        for s in said:
            numbers.setdefault(s.sense, {})[_converted(s)] = s.cell
        for s in said:
            if s.is_sparse and (s.product, s.attribute) in dense:
                account.out_of_scope(BESIDE_DENSE)
                continue
            if len(numbers[s.sense]) > 1:
                account.reject(
                    s.record,
                    f"{s.attribute} of {s.product!r} stands in one table with several numbers: "
                    + "; ".join(repr(cell) for cell in numbers[s.sense].values()),
                    payload=how.member,
                )
                continue
            unit = s.figure.unit
            assert unit is not None
            account.add_figure(
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
    units = {
        (unit.dimension, unit.size): unit
        for row in table.rows
        if "flops" in attributes_of(row.words) and (unit := unit_in(without_marks(row.words)))
    }
    return next(iter(units.values())) if len(units) == 1 else None


def _converted(said: _Statement) -> float:
    return said.figure.unit.convert(said.figure.number) if said.figure.unit else 0.0


def _beside(
    account: SpecAccount, said: list[_Statement], better: str, worse: str, reason: str
) -> list[_Statement]:
    """Leave out rates of rows called `worse` where a row called `better` tells the same format of the product."""
    plain = ("fp64_tflops", "fp32_tflops")  # of these the vector rate is the one that is compared
    kept, stated_better = [], {(s.product, s.attribute) for s in said if re.search(better, s.words)}
    for s in said:
        is_rate = UNITS[s.attribute] in ("TFLOP/s", "TOP/s") and s.attribute not in plain
        if is_rate and (s.product, s.attribute) in stated_better and re.match(worse, s.words):
            account.out_of_scope(reason)
            continue
        kept.append(s)
    return kept


@dataclass(frozen=True)
class _Cell:
    """One cell with the context that its row, column and table give.

    Attributes:
        product: head of the column.
        row: name of the row, with footnote marks.
        text: the cell, with footnote marks.
        record: position in the payload.
        per: what a figure is of, unless row or cell say that it is of one accelerator.
        count: how many accelerators that has.
        rate_unit: unit of floating-point rates where the row names none.
        footnotes: of the table, by mark.
    """

    product: str
    row: str
    text: str
    record: str
    per: str
    count: int
    rate_unit: Unit | None
    footnotes: Mapping[str, str]

    @property
    def words(self) -> str:
        """Name of the row without footnote marks."""
        return without_marks(self.row)

    @property
    def note(self) -> str:
        """Row and cell, as evidence."""
        return f"{self.words}: {without_marks(self.text)}"

    @property
    def of(self) -> tuple[str, int]:
        """What the figures are of, and how many accelerators that has."""
        is_one = _PER_ONE.search(self.words) or _PER_ONE.search(self.text)
        return ("chip", 1) if is_one else (self.per, self.count)


def _read_cell(account: SpecAccount, cell: _Cell, how: Reading) -> list[_Statement]:
    """Return what a cell states; what it does not state is counted in the account with the reason."""
    words = cell.words
    wanted = _attributes_wanted(cell)
    sentence = list(_SENTENCE.finditer(without_marks(cell.text)))
    if not wanted and sentence:
        return _read_sentence(account, sentence, cell)
    if not wanted or (not how.links and "scale_up_bandwidth_gb_s" in wanted.get("bytes/s", ())):
        account.out_of_scope(NOT_COMPARED)
        return []
    if _POD.search(words.lower()):
        account.out_of_scope(OF_MORE)
        return []
    stated = unit_in(words) or (cell.rate_unit if "flops" in wanted else None)
    figures = [f for f in figures_in(cell.text, stated) if f.unit is not None]
    if not figures:
        if re.search(r"\d", without_marks(cell.text)) and stated:
            account.reject(cell.record, f"{cell.text!r} under {words!r} is no figure in a form that is known")
        else:
            account.out_of_scope(NO_FIGURE)
        return []
    if "tdp_w" in wanted.get("watts", ()) and (cell.of[1] > 1 or re.search(r"\bCPU\b", words + cell.text)):
        account.out_of_scope(OF_MORE)
        return []
    out: list[_Statement] = []
    for dimension, attributes in wanted.items():
        out += _read_dimension(account, cell, how, dimension, attributes, figures)
    if not out and not any(f.unit and f.unit.dimension in wanted for f in figures):
        account.out_of_scope(NOT_COMPARED)
    return out


def _attributes_wanted(cell: _Cell) -> Mapping[str, Sequence[str]]:
    """Dimension → attributes that the row is about; a row of peak rates names its formats in the cell."""
    wanted = attributes_of(cell.row)
    if not wanted and re.search(r"(?i)peak compute|peak performance", cell.words):
        formats = " ".join(re.findall(r"[(]([^)]*)[)]", cell.text))  # "275 TFLOPS (bf16 or int8)"
        return attributes_of(f"{cell.words} {formats}")
    return wanted


def _read_dimension(
    account: SpecAccount,
    cell: _Cell,
    how: Reading,
    dimension: str,
    attributes: Sequence[str],
    figures: Sequence[Figure],
) -> list[_Statement]:
    """Return what a cell states in one dimension (rates, bytes, watts); a cell that is ambiguous is rejected."""
    # an FP row in OPS, or INT8 in FLOPS, is a typing error of the table: the format decides
    kinds = ("flops", "ops") if dimension in ("flops", "ops") else (dimension,)
    mine = [f for f in figures if f.unit is not None and f.unit.dimension in kinds]
    ambiguous = f"{cell.words!r} has several figures and nothing that sets them apart: {cell.text!r}"
    if kinds[0].startswith("bytes") and any(re.search(r"\d\s*/\s*$", f.before) for f in mine):
        account.reject(cell.record, ambiguous)  # "32/16 GB": two variants of the product
        return []
    is_link = "scale_up_bandwidth_gb_s" in attributes
    if dimension == "bytes/s" and is_link:
        named = [f for f in mine if LINK.search(f.before.lower())]
        mine = (named or [f for f in mine if not re.search(r"(?i)pcie", f.before)])[:1]
    if dimension == "watts":
        mine = _power(mine, cell.text)
    sparse = _are_sparse(mine, cell) if kinds[0] == "flops" else [False] * len(mine)
    if sparse is None:
        account.reject(
            cell.record,
            f"{cell.words!r}: {cell.text!r} has a mark without a footnote: dense or sparse is unknown",
        )
        return []
    by_sense: dict[bool, set[float]] = {}
    for figure, is_sparse in zip(mine, sparse, strict=True):
        by_sense.setdefault(is_sparse, set()).add(figure.unit.convert(figure.number) if figure.unit else 0.0)
    if any(len(values) > 1 for values in by_sense.values()):
        account.reject(cell.record, ambiguous)
        return []
    per, count = cell.of
    return [
        _Statement(
            product=cell.product,
            attribute=attribute,
            figure=_in_kind(figure, attribute),
            is_sparse=is_sparse,
            per=per,
            count=count,
            record=cell.record,
            cell=cell.note,
            direction=_is_bidirectional(cell, how) if is_link else None,
            words=cell.words.lower(),
        )
        for figure, is_sparse in zip(mine, sparse, strict=True)
        for attribute in attributes
    ]


def _is_bidirectional(cell: _Cell, how: Reading) -> bool | None:
    """Whether a link figure adds both directions up: by row or cell, else as the source does; None: not known."""
    words = f"{cell.words} {cell.text}"
    if re.search(r"(?i)uni-?directional|each (?:way|direction)|per direction", words):
        return False
    return True if re.search(r"(?i)bi-?directional", words) else how.link_is_bidirectional


def _power(figures: list[Figure], cell: str) -> list[Figure]:
    """The upper end of a range; of ``500W | 560W Peak`` the figure that is no peak."""
    steady = [f for f in figures if not re.search(rf"(?i)\b{re.escape(f.digits)}\s*k?W\w*\s*\(?peak", cell)]
    kept = steady or figures
    if len(kept) == 2 and re.search(r"\bto\b|[-–—]", kept[1].before):
        return kept[1:]
    return kept


def _in_kind(figure: Figure, attribute: str) -> Figure:
    """The figure with FLOPS read as OPS (or the other way round) where the number format requires it."""
    unit, kind = figure.unit, _DIMENSION[UNITS[attribute]]
    if unit is None or unit.dimension == kind or kind not in ("flops", "ops"):
        return figure
    return Figure(figure.digits, Unit(unit.words, kind, unit.size), figure.marks, figure.before)


def _read_sentence(account: SpecAccount, rates: Sequence[re.Match[str]], cell: _Cell) -> list[_Statement]:
    """Return the rates of a sentence such as ``380 INT8 TOPS, 190 FP16/BF16 TFLOPS``, each with its formats."""
    out = []
    for match in rates:
        attributes = [FORMATS[f] for f in match["formats"].lower().split("/") if f in FORMATS]
        if not attributes:
            account.out_of_scope(NOT_COMPARED)
        out += [
            _Statement(
                product=cell.product,
                attribute=attribute,
                figure=_in_kind(Figure(match[1], unit_in(match["unit"]), (), ""), attribute),
                is_sparse=bool(match["sparse"]),
                per="chip",
                count=1,
                record=cell.record,
                cell=cell.note,
                direction=None,
            )
            for attribute in attributes
        ]
    return out


def _are_sparse(figures: Sequence[Figure], cell: _Cell) -> list[bool] | None:
    """Return which of a cell's rates hold with sparsity only; None when a mark has no footnote."""
    words, footnotes, row_marks = cell.row, cell.footnotes, marks_in(cell.row)
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
