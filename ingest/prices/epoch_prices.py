"""Epoch AI's hardware prices: dated rents and purchase prices of accelerators since 2010, collected by people.

Upstream facts, checked 2026-11-22 on the file of 2026-04-01 (591 lines): a CSV with up to four prices a line, all in
US$ per chip: on demand, with a commitment of one or three years (per hour), and for purchase. ``Price date`` is a day.
A hardware model may leave the memory or the form factor open ("NVIDIA A100"). Ten lines have one GPU as the hardware
model and another one in their description. Some purchase prices are estimates, as their notes state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from ingest.core import values
from ingest.core.fetch_plan import Members, nothing_to_fetch
from ingest.core.records import Parsed
from ingest.core.source import Source
from ingest.prices.csv_lines import csv_lines
from ingest.prices.offers import HOURS_1Y, HOURS_3Y, UNNAMED_SELLER, PriceOffer, currency_problem, settled

# column → (pricing model, hours of commitment)
_PRICES: Mapping[str, tuple[str, float | None]] = {
    "Price per chip-hour (on-demand)": ("on_demand", None),
    "Price per chip-hour (1-year CUD)": ("reserved_1y", HOURS_1Y),
    "Price per chip-hour (3-year CUD)": ("reserved_3y", HOURS_3Y),
    "Price (hardware purchase)": ("purchase", None),
}
_COLUMNS = (
    *("Price source", "Price date", "Hardware model", "Vendor", "Location", *_PRICES),
    *("Notes", "Cloud GPU description", "Number of GPUs"),
)
_REMEDY = "look at the line and at its price source"
_ESTIMATE = re.compile(
    r"\bestimat(?:ed|ing)\b|\btaking the average\b|\bnot a real sale price\b|\$[\d,]+ - \$", re.IGNORECASE
)
_MEMORY = re.compile(r"(\d+) ?GB\b")
_MACHINE = re.compile(r"\d+ vCPU")  # what follows describes the machine, not the GPU
_AWS_TYPE = re.compile(r"^([a-z]\w*\.\d*x?large)$")
_AZURE_SIZE = re.compile(r"^(?:instance )?(N[CD]\d+[a-z]*(?: A100| H100| T4)?(?: v\d)?)\b")
_CHIP = re.compile(r"\b([A-Z]+\d+[A-Z]?)\b")


def parse(members: Members, *, key: str) -> Parsed[PriceOffer]:
    """Return the prices of the file, in US$ per accelerator-hour or, for purchases, per accelerator.

    Every price of a line is a record; a line without a price is one record too, and rejected.

    Args:
        members: the CSV file.
        key: what it was landed under, for messages.

    Raises:
        PayloadRejected: not UTF-8, or a column is missing.
    """
    parsed: Parsed[PriceOffer] = Parsed(remedy=_REMEDY)
    for member, file in members:
        where = member or key
        for number, line in csv_lines(file.read(), where, _COLUMNS, "hardware_prices.csv"):
            for record, offer in _offers(line, member=member, record=f"line {number}"):
                parsed.read()
                if isinstance(offer, PriceOffer):
                    parsed.add(offer)
                else:
                    parsed.reject(record, offer, payload=where)
    return settled(parsed, key)


def _offers(line: Mapping[str, str], *, member: str, record: str) -> Iterator[tuple[str, PriceOffer | str]]:
    """Yield (record, offer or why there is none) for every price of a line."""
    if None in line or None in line.values():
        yield record, "has another number of cells than the header"
        return
    columns = [column for column in _PRICES if line[column]]
    problem = currency_problem("USD", line)
    if not columns:
        yield record, "states no price"
    for column in columns:
        at = f"{record}, {column}"
        yield at, problem or _offer(line, column, member=member, record=at)


def _words(line: Mapping[str, str]) -> str:
    """Return the hardware model, with the memory of the description where the model states none."""
    model, description = values.words(line["Hardware model"]), values.words(line["Cloud GPU description"])
    memory = _MEMORY.search(_MACHINE.split(description)[0])
    return f"{model} {memory[1]} GB" if memory and not _MEMORY.search(model) else model


def _instance_type(line: Mapping[str, str]) -> str | None:
    """Return the instance type that the notes name, spelled as its seller's price list spells it; None without one.

    A K80 is a board of two GPUs: a price per chip is one of half of what its instance types are counted in.
    """
    notes = values.words(line["Notes"])
    if "K80" in line["Hardware model"]:
        return None
    if size := _AZURE_SIZE.match(notes):
        return f"Standard_{size[1].replace(' ', '_')}"
    return notes if _AWS_TYPE.match(notes) else None


def _contradiction(line: Mapping[str, str]) -> str | None:
    """Return the GPU that the description names where the hardware model is another one."""
    words = line["Cloud GPU description"].split("(")[0]
    chip = None if line["Cloud GPU description"].startswith(("http", "The ")) else _CHIP.search(words)
    model = re.sub(r"[ -]", "", line["Hardware model"])
    return None if chip is None or chip[1] in model or chip[1].startswith("HBM") else chip[1]


def _offer(line: Mapping[str, str], column: str, *, member: str, record: str) -> PriceOffer | str:
    """Return the offer of one price cell, or why there is none."""
    model, term_hours = _PRICES[column]
    price, count = values.number(line[column]), values.number(line["Number of GPUs"])
    if price is None or price <= 0:
        return f"{column} is {line[column]!r}, not a price"
    if not line["Hardware model"] or not line["Price source"]:
        return "lacks the hardware model or the price source"
    if model != "purchase" and not line["Vendor"]:
        return "lacks the vendor of a rent"
    try:
        day = datetime.strptime(line["Price date"], "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return f"Price date is {line['Price date']!r}, not a day"
    if _ESTIMATE.search(line["Notes"]):
        return f"price of {line['Hardware model']} is an estimate, not an observation"
    if other := _contradiction(line):
        return f"hardware model is {line['Hardware model']!r}, but the description names {other}"
    words = _words(line)
    host = re.search(r"://([^/]+)", line["Price source"])
    details = (
        host[1] if host and model == "purchase" else "",
        f"{count:g} GPU" if count else "",
        values.words(line["Notes"]),
        values.words(line["Cloud GPU description"]),
    )
    return PriceOffer(
        source=SOURCE.name,
        provider_published=line["Vendor"] or UNNAMED_SELLER,
        instance_type=_instance_type(line) or words,
        region=values.words(line["Location"]) or None,
        pricing_model=model,
        variant=", ".join(filter(None, details)) or None,
        price=price,
        price_published=line[column],
        price_unit="accelerator" if model == "purchase" else "accelerator_hour",
        currency="USD",
        term_hours=term_hours,
        accelerator_published=words,
        accelerator_count=count or None,
        observed_at=day,
        observed_precision="day",
        source_url=line["Price source"].split("#:~:text")[0],
        member=member,
        record=record,
    )


SOURCE = Source(
    name="epoch-hardware-prices",
    title="Epoch AI: hardware prices since 2010",
    home_url="https://github.com/epoch-research/training-cost-trends",
    licence="CC BY 4.0",
    licence_note='Prices of 2010 to 2025: Epoch AI, "Hardware prices", CC BY 4.0.',
    limit_bytes=8 << 20,
    plan=nothing_to_fetch,
    parse=parse,
    rank=3,
    polls_to_close=0,
    ships=True,
)
