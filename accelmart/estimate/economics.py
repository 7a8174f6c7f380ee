"""Prices, hardware, power and site that an estimate of serving uses: answers of functions of the published file."""

from __future__ import annotations

from collections.abc import Collection

from accelmart.errors import QuestionError
from accelmart.estimate.request import Request
from accelmart.published import Row

# figures of an hour: dollars, their range, and what the price is where it was not asked for
RATE = (
    "usd_per_accelerator_hour",
    "usd_per_accelerator_hour_low",
    "usd_per_accelerator_hour_high",
    "price_basis",
)
_PAID = ("price", "provider", "pricing", "scenario")


def prices(asked: Request, accelerators: Collection[str]) -> dict[str, Row]:
    """Return what an hour costs, by accelerator, of those that have a price; at least one has.

    Returns:
        Rows of the function ``hourly_rate``: the figures of `RATE` that there are (only a price level has a range)
        and ``basis``, a sentence.

    Raises:
        QuestionError: none has a price of the kind asked for.
    """
    one = next(iter(accelerators)) if len(accelerators) == 1 else None
    paid = {name: getattr(asked, name) for name in _PAID}
    rates = asked.reader.ask("hourly_rate", accelerator=one, **paid).records()
    known = {rate["accelerator_id"]: rate for rate in rates if rate["accelerator_id"] in accelerators}
    if not known:
        wanted = ", ".join(f"{name} {value}" for name, value in paid.items() if value is not None)
        raise QuestionError(
            f"{wanted}: none of {', '.join(accelerators)} has such a price. Give another one, or accelerator and price"
        )
    return {name: {n: v for n, v in rate.items() if v is not None} for name, rate in known.items()}


def take_rate(asked: Request, rate: Row) -> Row:
    """Add the sentence of one of `prices` to the estimate, and return its figures of an hour."""
    asked.done.basis.append(rate["basis"])
    return {name: rate[name] for name in RATE if name in rate}


def with_price_range(figures: Row, rate: Row, costs: Collection[str]) -> Row:
    """Return figures with low and high of each cost in the range of the rate, beside it.

    Args:
        figures: estimated values.
        rate: one of `prices`.
        costs: names of figures in proportion to the rate.
    """
    usd, low, high = (rate.get(name) for name in RATE[:3])
    if not (usd and low and high):
        return figures
    spread: Row = {}
    for name, value in figures.items():
        spread[name] = value
        if name in costs and value is not None:
            spread |= {f"{name}_low": value * low / usd, f"{name}_high": value * high / usd}
    return spread


def price_uncertainty(rate: Row) -> str:
    """Return what low and high of a cost rest on beside the speed."""
    return f"range of the {rate['price_basis']}" if rate.get(RATE[1]) is not None else "one price"


def costs(asked: Request, accelerator: str) -> Row:
    """Return hardware, power and site as inputs of an estimate, units in the names, by ``hardware_and_site``."""
    given = {name: getattr(asked, name) for name in ("scenario", "capex", "pue", "electricity", "grid")}
    (row,) = asked.reader.ask("hardware_and_site", accelerator=accelerator, **given).records()
    asked.done.basis += row.pop("basis")
    return row


def note_purchase(asked: Request) -> None:
    """Add a sentence on a purchase of more accelerators than are needed."""
    figures = asked.done.figures
    if figures["accelerators_idle"]:
        asked.done.basis.append(
            f"Hardware is bought in whole machines: {figures['accelerators_bought']:,} accelerators, of which "
            f"{figures['accelerators_idle']:,} are idle; rent, energy and the cost of an owned hour are those of the "
            "others."
        )


def measured_energy(asked: Request, accelerator: str, served: Row) -> Row:
    """Return measured energy of serving a benchmark on the part, beside the modelled."""
    rows = asked.reader.ask("measured_energy", accelerator=accelerator, **served).records()
    measured = rows[0] if rows else {}
    if measured:
        asked.done.results.append(measured["result_id"])
        asked.done.basis.append(measured["basis"])
    return {
        "measured_watts_per_accelerator_before_pue": measured.get("watts_per_accelerator"),
        "measured_j_per_output_token_before_pue": measured.get("j_per_output_token_before_pue"),
    }
