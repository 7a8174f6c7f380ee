"""Whether to rent accelerators or to own them, over months."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from accelmart.calibration import level_errors
from accelmart.names import Names, read_day
from accelmart.published import Database, Table, reading


def estimate_ownership(
    accelerator: str,
    gpus: int,
    months: int,
    utilisation: float = 60,
    *,
    scenario: str | None = None,
    price_each: float | None = None,
    price_is: str = "all-in",
    running: float | None = None,
    residual_pct: float | None = None,
    interest_pct: float | None = None,
    rent: float | None = None,
    rent_1y: float | None = None,
    rent_3y: float | None = None,
    as_of: date | str | None = None,
    database: Database = None,
) -> Table:
    """Own or rent accelerators over months: purchase, interest, running cost and residual value against rents.

    They are the rows of the function ``rent_or_own``. Each way has a cost with its range, and where owning breaks even.

    Args:
        accelerator: key of dim_accelerator or a usual name, such as ``H100``.
        gpus: accelerators; machines are bought whole.
        months: whole months of 730 hours, at most 120.
        utilisation: hours used, in per cent; up to 1 a share of them (0.6 is 60 %).
        scenario: an ownership scenario of mart_tco, such as ``hyperscaler``; default: a small buyer.
        price_each: dollars that one accelerator costs; default: of the scenario, with its range.
        price_is: ``all-in``, or ``server``: without network and storage, which are added in the published proportion.
        running: dollars an hour of running one accelerator.
        residual_pct: per cent of the price for which hardware is sold in the end.
        interest_pct: per cent a year.
        rent: dollars per accelerator-hour on demand; default: the price level.
        rent_1y: the same under a commitment of a year; default: that of sellers.
        rent_3y: the same under a commitment of three years; default: that of sellers, or a published one.
        as_of: rents of that day, YYYY-MM-DD; default: the day of the newest price.
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.

    Returns:
        One row an ``option``, lowest first: ``usd`` with low and high, ``standing`` and ``verdict`` (costs less,
        probably costs less, about the same), ``months_to_break_even`` and ``break_even_utilisation_pct`` (from when
        owning costs no more than that rent), ``basis`` in words, every input and its source.

    Raises:
        QuestionError: an argument cannot be used.
        NotPublishedError: there is no warehouse file.
    """
    with reading(database) as reader:
        names = Names(reader)
        owner = {} if scenario is None else {"scenario": names.key("ownership scenario", scenario)}
        ways = reader.ask(
            "rent_or_own",
            accelerator=names.key("accelerator", accelerator),
            gpus=gpus,
            months=months,
            utilisation=float(utilisation),
            price_each=price_each,
            price_is=price_is,
            running=running,
            residual_pct=residual_pct,
            interest_pct=interest_pct,
            rent=rent,
            rent_1y=rent_1y,
            rent_3y=rent_3y,
            as_of=read_day(as_of),
            **owner,
        )
        return replace(ways, notes=(*names.notes, *level_errors(reader)))
