"""Whether to rent accelerators or to own them, over months."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import date

from accelmart.errors import QuestionError
from accelmart.estimate.options import above_zero, optional
from accelmart.published import DEFAULT_OWNER, Database, Table, reading
from accelmart.words import accelerator_named, unknown, unknown_accelerator

_RENT_OR_OWN = """
from rent_or_own(
    $accelerator, $gpus, $months, utilisation := $utilisation, scenario := $scenario, price_each := $price_each,
    price_is := $price_is, running_usd_per_hour := $running, residual_pct := $residual_pct,
    interest_pct := $interest_pct, rent_usd_per_hour := $rent, rent_1y_usd_per_hour := $rent_1y,
    rent_3y_usd_per_hour := $rent_3y, as_of := $as_of
)
"""


@dataclass(frozen=True)
class Given:
    """Inputs of one's own; None takes that of the warehouse, with its range.

    Args:
        price_each: dollars that one accelerator costs.
        price_is: ``all-in``, or ``server``: without network and storage, which are added in the published proportion.
        running: dollars an hour of running one accelerator.
        residual_pct: per cent of the price for which hardware is sold in the end.
        interest_pct: per cent a year.
        rent: dollars an hour on demand; else the price level.
        rent_1y: under a commitment of a year; else that of sellers.
        rent_3y: under a commitment of three years; else that of sellers, or one that third parties published.
    """

    price_each: float | None = None
    price_is: str = "all-in"
    running: float | None = None
    residual_pct: float | None = None
    interest_pct: float | None = None
    rent: float | None = None
    rent_1y: float | None = None
    rent_3y: float | None = None

    def check(self) -> None:
        """Raise QuestionError if an input cannot be used."""
        if self.price_is not in ("all-in", "server"):
            raise QuestionError(f"--price-is is {self.price_is}: it must be all-in or server")
        for name, value in asdict(self).items():
            option = f"--{name.replace('_', '-')}"
            if not name.endswith("_pct"):
                optional(option, value if name != "price_is" else None, unit="dollars")
            elif value is not None and not 0 <= value <= 100:
                raise QuestionError(f"{option} is {value:g}: it must be between 0 and 100 (per cent)")


def estimate_ownership(
    accelerator: str,
    gpus: int,
    months: int,
    utilisation: float = 60,
    *,
    scenario: str = DEFAULT_OWNER,
    given: Given | None = None,
    as_of: date | None = None,
    database: Database = None,
) -> Table:
    """Return what owning and renting so many accelerators costs over months; the formula is the macro ``rent_or_own``.

    Args:
        accelerator: key of dim_accelerator, or a usual name such as ``H100``.
        gpus: accelerators; machines are bought whole.
        months: whole months of 730 hours, at most 120.
        utilisation: hours used, in per cent; up to 1 a share of them (0.6 is 60 %).
        scenario: ownership scenario of mart_tco.
        given: inputs that replace those of the warehouse.
        as_of: rents of that day; None takes the day of the newest price.
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.

    Returns:
        One row an ``option``, cheapest first: ``usd`` with low and high, ``standing`` (cheapest, more expensive, no
        order where ranges overlap), the break-even of owning against it, ``basis`` in words, every input and its
        source.

    Raises:
        QuestionError: an argument cannot be used.
        NotPublishedError: there is no warehouse file.
    """
    given = given or Given()
    given.check()
    above_zero("--gpus", gpus)
    optional("--months", months, highest=120, unit="whole months")
    optional("--utilisation", utilisation, highest=100, unit="per cent, or a share up to 1")
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
        }
        return reader.table(_RENT_OR_OWN, {**asked, **asdict(given), "scenario": scenario, "as_of": as_of})
