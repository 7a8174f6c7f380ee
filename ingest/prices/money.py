"""Prices as pages print them: amount, currency and what one price is per; or why there is none."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ingest.core.html import clean

ON_REQUEST = "price on request"
NO_PRICE = "no price is published"
LOWEST_ONLY = "only a lowest price is published (from, starting at)"

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
    currency, in a currency that its symbol does not identify, of zero, or with a separator that can be read two
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
    except (ValueError, OverflowError):
        value = 0.0
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
