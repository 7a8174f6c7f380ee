"""What every price page shares: anchors, tables by header, money words, the account of what was read.

A page is written for people and changes without notice. So a parser never searches for the next number: it asks for
the words the page must have (else `LayoutChanged`), reads a table by its headers, and takes a price only from a cell
that is nothing but a price. Bad habits met on real pages (2025-2026): blocks repeated for other screen widths, tables
repeated JSON-escaped in a script, em-dashes and "Contact sales" for a price, "from $0.79" which is no offer, prices in
the visitor's currency, and lookalike tables of another product with the same markup.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString
from bs4.exceptions import ParserRejectedMarkup

from ingest.errors import LayoutChanged, PayloadRejected, RecordRejected
from ingest.mlperf.records import Parsed
from ingest.prices.offers import Members, PriceOffer, settled
from ingest.prices.source import Fetch, Request

PAGE_LIMIT_BYTES = 16 << 20
PAGE_LICENCE = "none stated: a public price page; prices are facts"
ON_REQUEST = "price on request"
NO_PRICE = "no price is published"
LOWEST_ONLY = "only a lowest price is published (from, starting at)"

PER_ACCELERATOR_HOUR = (0.02, 100.0)
"""Prices per accelerator-hour that can be: V100 spot was 0.05, a GB300 10; a month's price is some hundreds."""

_TITLE_SHOWN = 80
_LOOK = "look at the saved page; if the page is right, mend its parser in ingest/prices"

# ---------------------------------------------------------------- text

_BLOCKS = {
    *("p", "div", "section", "header", "ul", "ol", "li", "table", "tr", "td", "th", "dl", "dt", "dd"),
    *("h1", "h2", "h3", "h4", "h5", "h6"),
}


def clean(text: str) -> str:
    """The text with all white space, no-break spaces too, as single spaces."""
    return " ".join(text.split())


def text_of(element: Tag | None) -> str:
    """What a person reads there: a space between blocks and none between inline parts.

    Scripts, styles and comments are not read, nor superscripts: on price pages these are footnote marks, and a
    count of 8 with footnote 1 must not become 81.
    """
    parts: list[str] = []
    last: Tag | None = None
    for node in element.descendants if element is not None else ():
        if isinstance(node, Tag):
            if node.name == "br":
                parts.append(" ")
        elif type(node) is NavigableString:  # its subclasses are comments, scripts, styles
            block, is_mark = node.parent, False
            while block is not None and block is not element and block.name not in _BLOCKS:
                is_mark = is_mark or block.name == "sup"
                block = block.parent
            if not is_mark:
                parts += [str(node)] if block is last else [" ", str(node)]
                last = block
    return clean("".join(parts))


def attribute(tag: Tag | None, name: str) -> str:
    """The attribute's text; "" without tag or attribute."""
    value = tag.get(name) if tag is not None else None
    return "" if value is None else value if isinstance(value, str) else " ".join(value)


def number(text: str) -> float | None:
    """A plain figure such as ``2,048`` or ``61.44``; None for ranges and words."""
    match = re.fullmatch(r"(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?", clean(text))
    return float((match[1] + (match[2] or "")).replace(",", "")) if match else None


def gigabytes(text: str) -> float | None:
    """``80 GB``, ``186GB`` or ``80`` as 80.0; None for anything else."""
    return number(re.sub(r"(?i)\s*g(i?b)$", "", clean(text)))


# ---------------------------------------------------------------- money

Per = Literal["", "hour", "gpu-hour"]

_CURRENCIES = {
    **dict.fromkeys(("$", "US$", "USD"), "USD"),
    **dict.fromkeys(("€", "EUR"), "EUR"),
    **dict.fromkeys(("£", "GBP"), "GBP"),
    **dict.fromkeys(("C$", "CA$", "CAD"), "CAD"),
    **dict.fromkeys(("A$", "AU$", "AUD"), "AUD"),
}
_SYMBOL = r"(?:US\$|CA\$|AU\$|C\$|A\$|\$|€|£|USD|EUR|GBP|CAD|AUD)"
_PRICE = re.compile(
    rf"(?P<before>{_SYMBOL})?\s?(?P<amount>\d[\d.,]*)\s?(?P<after>{_SYMBOL})?[*†¹²³]*\s*(?P<per>[/a-z(].*)?",
    re.I,
)
_PERS: dict[str, Per] = {
    **dict.fromkeys(("hr", "hour", "h"), "hour"),
    **dict.fromkeys(("gpuhr", "gpuhour", "gpuh", "hrgpu", "hourgpu", "acceleratorhour"), "gpu-hour"),
}
_ASK = re.compile(
    r"contact|sales|talk to|request|quote|custom|enquire|inquire|coming soon|waitlist|reserve", re.I
)
_LOWEST = re.compile(r"from|starting|as low as|up to|at least|approx|~|≈|≥|>|<|\+", re.I)
_DASHES = re.compile(r"[-‐‑‒–—―−\s]*|n/?a|tbd|tba", re.I)


@dataclass(frozen=True)
class Money:
    """What a price cell says.

    Attributes:
        words: the cell's own words.
        amount: in `currency`; None when the cell is no price.
        currency: ISO 4217, from the symbol or code beside the amount; never assumed.
        per: what the cell itself says it is per; "" when it does not say.
        absent: why there is rightly no price here (on request, a dash, only a lowest price); None otherwise.
        problem: why the words cannot be trusted as a price; None otherwise.
    """

    words: str
    amount: float | None = None
    currency: str | None = None
    per: Per = ""
    absent: str | None = None
    problem: str | None = None


def money(text: str) -> Money:
    """Read a price cell: ``$2.49``, ``$2.49 / GPU / hr``, ``€1,99``, ``—``, ``Contact sales``, ``from $1.55``.

    The whole cell must be a price: digits among other words are a problem, not a price. A figure without a
    currency, in a currency that cannot be told from its symbol, of zero, or with a separator that can be read two
    ways is a problem too.
    """
    words = clean(text)
    if _DASHES.fullmatch(words):
        return Money(words, absent=NO_PRICE)
    if not re.search(r"\d", words):
        if _ASK.search(words):
            return Money(words, absent=ON_REQUEST)
        return Money(words, problem=f"{words!r} is no price")
    match = _PRICE.fullmatch(words)
    if match is None:
        bare = re.sub(
            r"^\W*(from|starting (at|from)|as low as|up to)\b|[+~≈≥><]", "", words, flags=re.I
        ).strip()
        if _LOWEST.search(words) and _PRICE.fullmatch(bare):
            return Money(words, absent=LOWEST_ONLY)
        return Money(words, problem=f"{words!r} is no price in a form that is known")
    symbols = {_CURRENCIES[s.upper()] for s in (match["before"], match["after"]) if s}
    if match["before"] == "$" and match["after"] and match["after"].upper() != "USD":
        symbols.discard("USD")  # "$2.49 CAD": the code says which dollar
    if len(symbols) != 1:
        return Money(
            words, problem=f"{words!r} names {'two currencies' if symbols else 'no currency that is known'}"
        )
    currency = symbols.pop()
    amount = _amount(match["amount"], currency)
    if amount is None:
        return Money(words, problem=f"{match['amount']!r} in {words!r} can be read in two ways or in none")
    if amount <= 0:
        return Money(words, problem=f"the price is {words!r}")
    per = re.sub(r"\bper\b|[\s/().-]", "", (match["per"] or "").lower())
    if per and per not in _PERS:
        return Money(words, problem=f"{words!r} is not per hour")
    return Money(words, amount, currency, _PERS.get(per, ""))


def _amount(digits: str, currency: str) -> float | None:
    """``1,234.50``, ``1.234,50``, ``2.49``, ``1,99``; None where a separator may be decimal or may group thousands."""
    if re.fullmatch(r"\d+", digits):
        return float(digits)
    if re.fullmatch(r"\d{1,3}(,\d{3})+\.\d+", digits):
        return float(digits.replace(",", ""))
    if re.fullmatch(r"\d{1,3}(\.\d{3})+,\d+", digits):
        return float(digits.replace(".", "").replace(",", "."))
    groups_or_decimals = re.fullmatch(r"[1-9]\d{0,2}([.,])\d{3}", digits)
    if groups_or_decimals and currency == "EUR":
        return None
    if re.fullmatch(r"\d+\.\d+", digits):
        return float(digits)
    if re.fullmatch(r"[1-9]\d{0,2}(,\d{3})+", digits):
        return float(digits.replace(",", "")) if currency != "EUR" else None
    if re.fullmatch(r"\d+,\d+", digits):
        return float(digits.replace(",", "."))
    return None


def stated(amount: object, currency: object) -> Money:
    """A price from machine-readable data: a number and an ISO 4217 code (JSON-LD `price` and `priceCurrency`)."""
    words = str(amount)
    if isinstance(amount, bool) or not isinstance(amount, int | float | str):
        return Money(words, problem=f"the price is {amount!r}")
    try:
        value = float(amount)
    except ValueError:
        return Money(words, problem=f"the price is {amount!r}")
    if not 0 < value < float("inf"):
        return Money(words, problem=f"the price is {amount!r}")
    if not (isinstance(currency, str) and re.fullmatch(r"[A-Z]{3}", currency)):
        return Money(words, problem=f"the price {amount!r} is in the currency {currency!r}")
    return Money(words, value, currency)


def agreed(copies: Iterable[str]) -> Money:
    """The price several copies of one cell state (a page repeats cells for other screen widths).

    Returns:
        The price, when every copy that is there states it; the copies' reason, when none has a price; a problem,
        when they contradict each other.
    """
    read = [money(copy) for copy in copies]
    if not read:
        return Money("", problem="there is no such cell")
    if broken := next((m for m in read if m.problem), None):
        return broken
    stated_ = {(m.amount, m.currency) for m in read}
    if len(stated_) > 1:
        said = ", ".join(dict.fromkeys(repr(m.words) for m in read))
        return Money(read[0].words, problem=f"copies of one cell contradict each other: {said}")
    return next((m for m in read if m.absent == ON_REQUEST), read[0])


# ---------------------------------------------------------------- tables


@dataclass(frozen=True)
class Cell:
    """One cell: its text, and the headers of the columns it covers (several for a colspan)."""

    headers: tuple[str, ...]
    text: str

    @property
    def header(self) -> str:
        """The first header it stands under."""
        return self.headers[0]


@dataclass(frozen=True)
class TableRow:
    """One body row; `number` counts from 1 in the table. `problem` says why its cells cannot be told apart."""

    number: int
    cells: tuple[Cell, ...]
    problem: str | None = None

    def get(self, *headers: str) -> str:
        """Text of the first cell under one of these headers (letter case does not matter); "" if none."""
        wanted = [h.lower() for h in headers]
        for name in wanted:
            for cell in self.cells:
                if any(h.lower() == name for h in cell.headers):
                    return cell.text
        return ""


def read_table(table: Tag) -> list[TableRow]:
    """Body rows of a ``<table>`` (or the one row of a ``<dl>``) by header.

    Handles headers in ``<thead>`` (with or without its ``<tr>``) or in a first row of ``<th>``, headers in several
    levels (``Reserved / 7-30 days``), colspan, rowspan, row headers, and ``data-label`` on a cell, which wins over
    the column it stands in.
    """
    if table.name == "dl":
        terms, values = table.find_all("dt"), table.find_all("dd")
        if len(terms) != len(values):
            return [TableRow(1, (), f"has {len(terms)} terms and {len(values)} values")]
        pairs = zip(terms, values, strict=True)
        return [TableRow(1, tuple(Cell((text_of(t),), text_of(v)) for t, v in pairs))]
    thead = table.find("thead")
    head: list[list[Tag]] = []
    if thead is not None:
        head = [_cells(tr) for tr in thead.find_all("tr")] or [_cells(thead)]
    body = [_cells(tr) for tr in table.find_all("tr") if tr.find_parent("thead") is None]
    if not head:
        while body and body[0] and all(cell.name == "th" for cell in body[0]):
            head.append(body.pop(0))
    headers = _headers(head)
    rows = []
    for i, line in enumerate(_grid(body), 1):
        cells: list[Cell] = []
        for cell, columns in line:
            label = attribute(cell, "data-label")
            named = tuple(headers[c] for c in columns if c < len(headers))
            cells.append(Cell((label,) if label else named or ("",), text_of(cell)))
        is_short = bool(headers) and sum(len(columns) for _, columns in line) != len(headers)
        is_labelled = all(attribute(cell, "data-label") for cell, _ in line)
        problem = f"has not the {len(headers)} cells of its header" if is_short and not is_labelled else None
        rows.append(TableRow(i, tuple(cells), problem))
    return rows


def read_grid(headers: Sequence[str], lines: Iterable[Sequence[str]]) -> list[TableRow]:
    """Rows of a table made of ``<div>``, from the texts of its header and of its lines."""
    rows = []
    for i, line in enumerate(lines, 1):
        if len(line) != len(headers):
            rows.append(TableRow(i, (), f"has {len(line)} cells under {len(headers)} headers"))
        else:
            cells = tuple(Cell((h,), text) for h, text in zip(headers, line, strict=True))
            rows.append(TableRow(i, cells))
    return rows


def _cells(row: Tag) -> list[Tag]:
    return [cell for cell in row.find_all(["th", "td"]) if cell.find_parent(["tr", "thead"]) is row]


def _span(cell: Tag, name: str) -> int:
    text = attribute(cell, name)
    return min(max(int(text), 1), 100) if text.isdigit() else 1


def _grid(rows: list[list[Tag]]) -> list[list[tuple[Tag, list[int]]]]:
    """Each row's cells with the columns they cover, cells reaching down from rows above included."""
    hanging: dict[int, tuple[Tag, int]] = {}  # column: (cell, rows it still covers)
    out = []
    for row in rows:
        line: list[tuple[Tag, list[int]]] = []
        column, waiting = 0, list(row)
        while waiting or column in hanging:
            if column in hanging:
                cell, left = hanging.pop(column)
                columns = [column]
                if left > 1:
                    hanging[column] = (cell, left - 1)
            else:
                cell = waiting.pop(0)
                columns = list(range(column, column + _span(cell, "colspan")))
                if (down := _span(cell, "rowspan")) > 1:
                    hanging |= dict.fromkeys(columns, (cell, down - 1))
            line.append((cell, columns))
            column = columns[-1] + 1
        out.append(line)
    return out


def _headers(head: list[list[Tag]]) -> list[str]:
    levels: list[list[str]] = []
    for line in _grid(head):
        names: dict[int, str] = {c: text_of(cell) for cell, columns in line for c in columns}
        levels.append([names.get(c, "") for c in range(max(names, default=-1) + 1)])
    width = max((len(level) for level in levels), default=0)
    out: list[str] = []
    for column in range(width):
        parts = [level[column] for level in levels if column < len(level) and level[column]]
        name = " / ".join(dict.fromkeys(parts))
        out.append(f"{name} ({out.count(name) + 1})" if name in out else name)
    return out


# ---------------------------------------------------------------- pages


@dataclass(frozen=True)
class Page:
    """A page as it was landed."""

    url: str
    member: str
    soup: BeautifulSoup

    @property
    def text(self) -> str:
        """All that a person reads on it."""
        return text_of(self.soup)

    def changed(self, expected: str) -> LayoutChanged:
        """The error to raise when something is not where it was."""
        return LayoutChanged(url=self.url, expected=expected, title=text_of(self.soup.title)[:_TITLE_SHOWN])

    def require_text(self, *anchors: str) -> None:
        """Refuse the page unless a person can read these words on it (letter case does not matter).

        Raises:
            LayoutChanged: an anchor is missing; nothing on the page is read.
        """
        read = self.text.lower()
        for anchor in anchors:
            if anchor.lower() not in read:
                raise self.changed(f"the text {anchor!r}")


def open_page(members: Members, url: str) -> Page:
    """The one page of a payload.

    Raises:
        PayloadRejected: there is no file, or more than one.
        LayoutChanged: the file is no HTML, or HTML that no parser takes.
    """
    found = [(name, file.read()) for name, file in members]
    if len(found) != 1:
        raise PayloadRejected(
            payload=url, problem=f"{len(found)} files in place of one page", remedy="fetch the page again"
        )
    name, data = found[0]
    try:
        soup = BeautifulSoup(data.decode("utf-8", errors="replace"), "html.parser")
    except ParserRejectedMarkup as error:
        raise LayoutChanged(url=url, expected=f"an HTML page ({error})") from error
    if soup.find(True) is None:
        raise LayoutChanged(url=url, expected="an HTML page")
    return Page(url, name, soup)


class Account:
    """What was read from a page, every record in its place.

    Args:
        source: name of the price source.
        provider: who sells.
        page: where it was read.
    """

    def __init__(self, *, source: str, provider: str, page: Page) -> None:
        self._source, self._provider, self._page = source, provider, page
        self._parsed: Parsed[PriceOffer] = Parsed()

    def leave_out(self, reason: str) -> None:
        """Count a record that is none of our business."""
        self._parsed.records_in += 1
        self._parsed.left_out[reason] = self._parsed.left_out.get(reason, 0) + 1

    def merge(self) -> None:
        """Count a record that says again what another row says."""
        self._parsed.records_in += 1
        self._parsed.merged += 1

    def reject(self, record: str, problem: str) -> None:
        """Count a record that cannot be trusted."""
        self._parsed.records_in += 1
        self._parsed.rejects.append(
            RecordRejected(
                payload=self._page.member or self._page.url, record=record, problem=problem, remedy=_LOOK
            )
        )

    def price(
        self,
        record: str,
        price: Money,
        *,
        price_unit: Literal["instance_hour", "accelerator_hour"],
        instance_type: str,
        pricing_model: str,
        **more: Any,
    ) -> None:
        """Count one price cell: as an offer, as left out when it is rightly no price, as rejected otherwise.

        Args:
            record: where the cell stands on the page.
            price: what it says.
            price_unit: what the page says it is per.
            instance_type: page's words, or the API's where these are certain.
            pricing_model: of the offer.
            more: further fields of `PriceOffer`.
        """
        if price.absent:
            self.leave_out(price.absent)
            return
        if price.problem or price.amount is None or price.currency is None:
            self.reject(record, price.problem or "has no price")
            return
        if price_unit == "instance_hour" and price.per == "gpu-hour":
            self.reject(record, f"{price.words!r} is per accelerator where a price per instance is expected")
            return
        count = (more.get("accelerator_count") or 1.0) if price_unit == "instance_hour" else 1.0
        low, high = PER_ACCELERATOR_HOUR
        if not low <= price.amount / count <= high:
            self.reject(
                record, f"{price.words!r} is {price.amount / count:.4g} an accelerator-hour: not plausible"
            )
            return
        if not instance_type:
            self.reject(record, "names no accelerator")
            return
        self._parsed.records_in += 1
        self._parsed.rows.append(
            PriceOffer(
                source=self._source,
                provider_published=self._provider,
                instance_type=instance_type,
                region=more.pop("region", None),
                pricing_model=pricing_model,
                price=price.amount,
                price_published=price.words,
                price_unit=price_unit,
                currency=price.currency,
                source_url=self._page.url,
                member=self._page.member,
                record=record,
                **more,
            )
        )

    def settle(self, *, at_least: int, at_most: int) -> Parsed[PriceOffer]:
        """The account, settled; refused when the number of prices is not plausible.

        Args:
            at_least: prices (before repeats are taken out) without which the layout must have changed.
            at_most: prices with more of which something else must have been read.

        Raises:
            LayoutChanged: fewer or more prices; the message carries the first reject.
        """
        found = len(self._parsed.rows)
        if not at_least <= found <= at_most:
            first = f" (first reject: {self._parsed.rejects[0].problem})" if self._parsed.rejects else ""
            raise self._page.changed(f"{at_least} to {at_most} prices where {found} were read{first}")
        return settled(self._parsed, self._page.url)


def page_plan(url: str) -> Callable[[Mapping[str, str]], Sequence[Fetch]]:
    """The plan of a source that is one page, the same for everybody."""

    def plan(environment: Mapping[str, str]) -> Sequence[Fetch]:
        return [Fetch(key="pricing", first=Request(url=url), is_page=True)]

    return plan
