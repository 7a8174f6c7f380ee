"""Whether to rent accelerators or to own them, over months."""

from __future__ import annotations

from datetime import date

from accelmart.errors import QuestionError
from accelmart.estimate.options import above_zero, optional
from accelmart.published import DEFAULT_OWNER, Database, Table, reading
from accelmart.words import accelerator_named, unknown, unknown_accelerator

_LONGEST = 120

_RENT_OR_OWN = """
from rent_or_own(
    $accelerator, $gpus, $months, utilisation := $utilisation, scenario := $scenario, price_each := $price_each,
    price_is := $price_is, running_usd_per_hour := $running, residual_pct := $residual_pct,
    interest_pct := $interest_pct, rent_usd_per_hour := $rent, rent_1y_usd_per_hour := $rent_1y,
    rent_3y_usd_per_hour := $rent_3y, as_of := $as_of
)
"""


def estimate_ownership(
    *,
    accelerator: str,
    gpus: int,
    months: int,
    utilisation: float = 60,
    scenario: str = DEFAULT_OWNER,
    price_each: float | None = None,
    price_is: str = "all-in",
    running: float | None = None,
    residual_pct: float | None = None,
    interest_pct: float | None = None,
    rent: float | None = None,
    rent_1y: float | None = None,
    rent_3y: float | None = None,
    as_of: date | None = None,
    database: Database = None,
) -> Table:
    """Return what owning and renting so many accelerators costs over months; the formula is the macro ``rent_or_own``.

    Args:
        accelerator: key of dim_accelerator, or a usual name such as ``H100``.
        gpus: accelerators; a purchase is of whole machines.
        months: whole months of 730 hours, at most 120.
        utilisation: hours used, in per cent; up to 1 a share of them (0.6 is 60 %).
        scenario: ownership scenario of mart_tco.
        price_each: dollars that one accelerator costs; None takes mart_tco's.
        price_is: ``all-in``, or ``server``: without network and storage, which are added in the published proportion.
        running: dollars an hour of running one accelerator; None takes the scenario's.
        residual_pct: share of the price for which hardware is sold in the end; None takes published ranges.
        interest_pct: per cent a year; None takes the scenario's cost of capital.
        rent: dollars an hour on demand; None takes the price level.
        rent_1y: under a commitment of a year; None takes that of sellers.
        rent_3y: under a commitment of three years; None takes that of sellers, else one that third parties published.
        as_of: rents of that day; None takes the day of the newest price.
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.

    Returns:
        One row an ``option``, cheapest first: ``usd`` with low and high, ``standing`` (cheapest, dearer, no order where
        ranges overlap), the break-even of owning against it, and every input with its source.

    Raises:
        QuestionError: an argument cannot be used.
        NotPublishedError: there is no warehouse file.
    """
    above_zero("--gpus", gpus)
    optional("--months", months, highest=_LONGEST, unit="whole months")
    optional("--utilisation", utilisation, highest=100, unit="per cent, or a share up to 1")
    optional("--price-each", price_each, unit="dollars per accelerator")
    for option, usd in (
        ("--running", running),
        ("--rent", rent),
        ("--rent-1y", rent_1y),
        ("--rent-3y", rent_3y),
    ):
        optional(option, usd, unit="dollars per accelerator-hour")
    for option, share in (("--residual-pct", residual_pct), ("--interest-pct", interest_pct)):
        if share is not None and not 0 <= share <= 100:
            raise QuestionError(f"{option} is {share:g}: it must be between 0 and 100 (per cent)")
    if price_is not in ("all-in", "server"):
        raise QuestionError(f"--price-is is {price_is}: it must be all-in or server")
    with reading(database) as reader:
        part = accelerator_named(reader, accelerator)
        if part is None:
            raise QuestionError(f"--accelerator is {accelerator}: {unknown_accelerator(reader, accelerator)}")
        owners = reader.words("select distinct scenario_id from mart_tco")
        if scenario not in owners:
            raise QuestionError(f"--scenario: {unknown('ownership scenario', scenario, owners)}")
        asked = {
            "accelerator": part,
            "gpus": int(gpus),
            "months": int(months),
            "utilisation": float(utilisation),
            "scenario": scenario,
            "price_each": price_each,
            "price_is": price_is,
            "running": running,
            "residual_pct": residual_pct,
            "interest_pct": interest_pct,
            "rent": rent,
            "rent_1y": rent_1y,
            "rent_3y": rent_3y,
            "as_of": as_of,
        }
        return reader.table(_RENT_OR_OWN, asked)
