"""Figures in the text of a specification: numbers with their unit and their footnote marks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ingest.core.html import clean

_UNIT = re.compile(
    r"(?<![A-Za-z])(?:(?P<rate>(?P<rp>(?i:peta|tera|giga|[PTG])?)[\s-]?(?P<ops>(?i:FLOP|OP))(?i:s)?(?i:/s(?:ec)?)?)(?![A-Za-z])"
    r"|(?P<bits>(?P<bp>[KMGTP])(?P<bi>i?)b(?:it)?(?:s|\s?/\s?s(?:ec)?|ps))(?![A-Za-z])"
    r"|(?P<bytes>(?P<yp>[KMGTP]|kilo|mega|giga|tera)?(?P<yi>i?)(?:B|[Bb]ytes?)(?P<per>\s?/\s?s(?:ec(?:ond)?)?|ps)?)(?![A-Za-z])"
    r"|(?P<watts>(?P<wp>k?)(?:W|[Ww]atts?))(?![A-Za-z]))"
)
_THOUSANDS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}


@dataclass(frozen=True)
class Unit:
    """A unit as printed: its words, what it measures (flops, ops, bytes, bytes/s, watts) and its size.

    The size is in TFLOP/s, TOP/s, GB (10⁹), GB/s or W.
    """

    words: str
    dimension: str
    size: float

    def convert(self, figure: float) -> float:
        """The figure in the unit of `size`."""
        # twelve digits: 2.9 TB/s is 2900 GB/s, not 2900.0000000000005
        return float(f"{figure * self.size:.12g}")


def unit_in(text: str) -> Unit | None:
    """The first unit in the text; None if there is none. ``GiB`` is 2³⁰ bytes, ``Gbps`` bits, ``GBps`` bytes."""
    match = _UNIT.search(text)
    return _unit(match) if match else None


def _unit(match: re.Match[str]) -> Unit:
    words = clean(match[0])
    if match["rate"]:
        kind = "flops" if match["ops"].lower() == "flop" else "ops"
        return Unit(words, kind, _times(match["rp"]) / 1e12)
    if match["bits"]:
        return Unit(words, "bytes/s", _times(match["bp"], is_binary=bool(match["bi"])) / 8e9)
    if match["bytes"]:
        size = _times(match["yp"], is_binary=bool(match["yi"])) / 1e9
        return Unit(words, "bytes/s" if match["per"] else "bytes", size)
    return Unit(words, "watts", _times(match["wp"]))


def _times(prefix: str | None, *, is_binary: bool = False) -> float:
    """What a prefix multiplies by: ``T`` and ``tera`` 10¹², with an ``i`` behind it 2⁴⁰."""
    return float(1024 if is_binary else 1000) ** _THOUSANDS[(prefix or "")[:1].lower()]


NUMBER = r"(?<![\w.,])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
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
    marks: list[str] = []
    for match in _MARKS.finditer(text):
        words = match[1] if match[1] is not None else match[0].translate(_SUPERSCRIPTS)
        marks += [mark.strip() for mark in words.split(",") if mark.strip()]
    return tuple(marks)


def without_marks(text: str) -> str:
    """The text without footnote marks."""
    return clean(_MARKS.sub("", text))


def figures_in(text: str, default: Unit | None = None) -> list[Figure]:
    """All figures with a unit; and bare numbers that are all a segment says, in the unit that stands in the row's name.

    Segments are parted by ``|`` (or ``I``, as some tables print it).
    """
    out: list[Figure] = []
    for segment in re.split(r"\s*\|\s*|\s+I\s+(?=\d)", text):
        figures = []
        end = 0
        for match in re.finditer(NUMBER, segment):
            marks = _MARKS.match(segment, match.end())
            unit = _UNIT.match(segment, _blank(segment, marks.end() if marks else match.end()))
            if unit is None:
                continue
            behind = re.match(r"(?:\s*(?:\{\^[^}]*\}|[*†‡¹²³⁴⁵]+))*", segment[unit.end() :])
            hanging = (marks[0] if marks else "") + (behind[0] if behind else "")
            figures.append(Figure(match[0], _unit(unit), marks_in(hanging), segment[end : match.start()]))
            end = unit.end()
        if not figures:
            bare = re.fullmatch(
                rf"(?:up to\s+)?{NUMBER}\s*((?:\{{\^[^}}]*\}}|[*†‡¹²³⁴⁵\s])*)", segment.strip(), re.I
            )
            if bare:
                figures.append(Figure(bare[1], default, marks_in(bare[2]), ""))
        out += figures
    # "1,440 | 1,080 PFLOPS": the unit stands once, behind the last figure
    last = next((f.unit for f in reversed(out) if f.unit), default)
    return [f if f.unit else Figure(f.digits, last, f.marks, f.before) for f in out]


def _blank(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():  # thin and no-break spaces too
        at += 1
    return at
