"""Public lists of token prices, as files of intervals: each in its own columns, which say which list a file is.

- models.dev: a price of a provider from the day a contributor set it to the day before the next; base price only.
- Model Price Hub: a price by vendor, channel and tier. Its collector was rewritten in August 2026 and defines prices
  in another way: two series. Prices that it did not read on an official page come from LiteLLM and are stale.
- genai-prices: one meter a line, of prices that changed after the bundled list's end.
- OpenRouter: a price of an endpoint, after its provider's discount of the day.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby

from ingest.core import values
from ingest.core.cadence import PRICES
from ingest.core.csv_table import CsvLine, read_csv
from ingest.core.errors import PayloadRejected
from ingest.core.fetch_plan import Members
from ingest.core.records import OutOfScope, Parsed
from ingest.core.source import Source
from ingest.prices.dated import moment_of

KINDS = ("list", "discounted", "peak", "off_peak")
"""A provider's list price; one after the discount of the day; one of the hours of high or low load."""

_STALE = "not read on an official page: it comes from LiteLLM, whose prices are stale"
_REMEDY = "compare the line with the list that it was read from"


@dataclass(frozen=True, kw_only=True)
class TokenPrice:
    """A price of tokens in one list, for as long as the list had it, in US$ per million tokens.

    Attributes:
        series: of one collector; prices of two are not compared in time.
        provider_published: provider in the words of the list.
        sold_through: shop in which the provider lists the price; None for its own.
        model_published: model in the words of the list.
        terms: what else distinguishes the listing: region, quantization, range of the context, endpoint.
        price_kind: of `KINDS`.
        usd_per_input_mtok: of input that is not cached.
        usd_per_output_mtok: of output.
        usd_per_cached_input_mtok: of input read from a cache; None where the list states none.
        discount_pct: of the base price, which is price ÷ (1 − discount); None where the list states none.
        first_seen: first day with this price (YYYY-MM-DD).
        last_seen: last day with this price.
        exclusion_reason: why the price is known to be wrong; None where it is not.
        member: file inside the payload; "" when the payload is one file.
        record: position in that file.
    """

    series: str
    provider_published: str
    sold_through: str | None = None
    model_published: str
    terms: str = ""
    price_kind: str = "list"
    usd_per_input_mtok: float
    usd_per_output_mtok: float
    usd_per_cached_input_mtok: float | None = None
    discount_pct: float | None = None
    first_seen: str
    last_seen: str
    exclusion_reason: str | None = None
    member: str = ""
    record: str


def _usd(line: CsvLine, column: str) -> float:
    """Return a price above zero; raise `ValueError` where there is none, and `OutOfScope` where it is free."""
    if values.number(line[column]) == 0:
        raise OutOfScope("a price of zero")
    return line.figure(column)


def _cached(text: str) -> float | None:
    return values.number(text) or None


def _discount_pct(text: str) -> float:
    """Return a discount in percent, 0 where none is stated; raise `ValueError` unless it is a share below one."""
    share = values.number(text) or 0
    if not 0 <= share < 1:
        raise ValueError(f"discount is {text!r}, not a share below one")
    return share * 100


def _day(text: str) -> date:
    return date.fromisoformat(text)


def _models_dev(line: CsvLine, ends: date) -> TokenPrice:
    first, until = _day(line["listed_from"]), line["listed_until"]
    last = max(first, _day(until) - timedelta(days=1)) if until else ends
    return TokenPrice(
        series="models.dev",
        provider_published=line["provider"],
        model_published=line["model"],
        usd_per_input_mtok=_usd(line, "usd_per_input_mtok"),
        usd_per_output_mtok=_usd(line, "usd_per_output_mtok"),
        usd_per_cached_input_mtok=_cached(line["usd_per_cached_input_mtok"]),
        first_seen=str(first),
        last_seen=str(last),
        record=line.record,
    )


def _model_price_hub(line: CsvLine, ends: date) -> TokenPrice:
    if line["currency"] != "USD":
        raise OutOfScope(f"a price in {line['currency'] or 'no currency'}")
    window, channel = line["time_window"], line["channel"]
    kind = window.replace("-", "_") if window else "list"
    if kind not in KINDS:
        raise ValueError(f"time_window is {window!r}, which is no kind of price")
    return TokenPrice(
        series=f"{line['collector_generation']} collector",
        provider_published=line["vendor"] if channel == "official" else channel,
        model_published=line["model"],
        terms=", ".join(filter(None, (line["region"], line["context_range"].strip('"')))),
        price_kind=kind,
        usd_per_input_mtok=_usd(line, "per_input_mtok"),
        usd_per_output_mtok=_usd(line, "per_output_mtok"),
        usd_per_cached_input_mtok=_cached(line["per_cached_input_mtok"]),
        first_seen=str(_day(line["first_seen"])),
        last_seen=str(_day(line["last_seen"])),
        exclusion_reason=None if line["official_page"] == "True" or channel == "openrouter" else _STALE,
        record=line.record,
    )


def _openrouter(line: CsvLine, ends: date) -> TokenPrice:
    return TokenPrice(
        series="openrouter",
        provider_published=line["provider"],
        sold_through="OpenRouter",
        model_published=line["model"],
        terms=", ".join(filter(None, (line["region"], line["quantization"], line["endpoint_id"]))),
        price_kind="discounted",
        usd_per_input_mtok=_usd(line, "usd_per_input_mtok"),
        usd_per_output_mtok=_usd(line, "usd_per_output_mtok"),
        usd_per_cached_input_mtok=_cached(line["usd_per_cached_input_mtok"]),
        discount_pct=_discount_pct(line["discount"]),
        first_seen=str(_day(line["first_seen"])),
        last_seen=str(_day(line["last_seen"])),
        record=line.record,
    )


_LINES: dict[str, Callable[[CsvLine, date], TokenPrice]] = {
    "listed_from": _models_dev,
    "collector_generation": _model_price_hub,
    "endpoint_id": _openrouter,
}
"""A column that only one list has → reader of its lines."""
_OF_CHANGES = ("commit_day", "provider", "model", "meter", "usd_before", "usd_after")


def parse(members: Members, *, key: str) -> Parsed[TokenPrice]:
    """Return the prices of one list.

    Args:
        members: one file of intervals, or of changes.
        key: ``prices@<date>``, the newest day of the list.

    Raises:
        PayloadRejected: its columns are those of no list.
        AccelmartError: the key has no date.
    """
    ends = moment_of(key)[0].date()
    account: Parsed[TokenPrice] = Parsed(payload=key, remedy=_REMEDY)
    for _, file in members:
        content = file.read()
        header = content.partition(b"\n")[0].decode("utf-8", "replace").split(",")
        read = next((_LINES[column] for column in header if column in _LINES), None)
        if read is None:
            _add_changes(account, read_csv(content, key, _OF_CHANGES, remedy=_REMEDY), ends)
            continue
        for line in read_csv(content, key, (), remedy=_REMEDY):
            account.read()
            with account.catch(line.record):
                account.add(read(line, ends))
    if not account.records_in:
        raise PayloadRejected(payload=key, problem="has no line with a price", remedy=_REMEDY)
    account.fold(lambda row: tuple(v for n, v in vars(row).items() if n != "record"), lambda same: "")
    return account.checked(key)


def _add_changes(account: Parsed[TokenPrice], lines: Iterator[CsvLine], ends: date) -> None:
    """Add the prices that changed: the meters of one model on one day are one price."""

    def listing(line: CsvLine) -> tuple[str, ...]:
        return tuple(line.cells[column] for column in ("commit_day", "provider", "model"))

    for (day, provider, model), changed in groupby(lines, listing):
        of_listing = list(changed)
        account.read(len(of_listing))
        meters = {line.cells["meter"]: line for line in of_listing}
        cached = meters.get("cache_read_mtok")
        if not {"input_mtok", "output_mtok"} <= meters.keys():
            account.out_of_scope("a change of the price of cached input alone", len(of_listing))
            continue
        with account.catch(of_listing[0].record):
            account.add(
                TokenPrice(
                    series="changes since 2026-07-26",
                    provider_published=provider,
                    model_published=model,
                    usd_per_input_mtok=_usd(meters["input_mtok"], "usd_after"),
                    usd_per_output_mtok=_usd(meters["output_mtok"], "usd_after"),
                    usd_per_cached_input_mtok=_cached(cached["usd_after"]) if cached else None,
                    first_seen=str(_day(day)),
                    last_seen=str(ends),
                    record=of_listing[0].record,
                )
            )
        account.merged += len(of_listing) - 1


TOKEN_SOURCES: dict[str, Source] = {
    name: Source(
        name=name,
        title=f"Prices of tokens: {title}",
        home_url=f"https://github.com/{repository}",
        licence=licence,
        dialect="tokens",
        cadence=PRICES,
        parse=parse,
        polls_to_close=0,
        rank=rank,
        ships=True,
    )
    for name, title, repository, licence, rank in (
        ("genai-prices", "genai-prices of Pydantic", "pydantic/genai-prices", "MIT", 3),
        ("models-dev", "models.dev", "anomalyco/models.dev", "MIT", 3),
        ("model-price-hub", "Model Price Hub", "Microllin/model-price-hub", "MIT", 4),
        (
            "openrouter-endpoints",
            "endpoints of OpenRouter",
            "sui414/openrouter-pricing-data",
            "none stated: facts",
            4,
        ),
    )
}
"""Lists whose files are landed: nothing of them is fetched yet."""
