"""What a source of electricity grids yields: one row per place, with the intensity in one unit.

Sources publish in several units. A parser names the published unit, and `KG_PER_KWH_IN` converts it, once.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from statistics import median

from ingest.core.errors import PayloadRejected
from ingest.core.records import Parsed

KG_PER_POUND = 0.45359237
"""International avoirdupois pound, exact by definition (NIST SP 811, appendix B.8)."""

KG_PER_KWH_IN = {"g/kWh": 1e-3, "lb/MWh": KG_PER_POUND / 1000}
"""Published unit → kg CO2e per kWh."""

KG_PER_KWH = (0.001, 3.0)
"""What a place can have, from less than any generation emits (Google has 0.002 for Montréal) to twice lignite's."""

MEDIAN_KG_PER_KWH = (0.005, 1.5)
"""What the median of a list can be; another one is in another unit."""

MOST_CHANGE, MOST_CHANGE_OF_PLACE = 2, 100
"""Factors by which a list may move from one edition to the next (the median of its places), and one place of it: annual
averages move by percents (most of all Montréal, from 20 to 2 g/kWh between editions); units differ by 450 or more."""


@dataclass(frozen=True, kw_only=True)
class GridIntensity:
    """Carbon intensity of the electricity of one place, as its source states it.

    Attributes:
        source: registered source.
        level: what the place is: ``country``, ``us_state`` or ``cloud_region``.
        country: ISO 3166 alpha-2 code of the place's country.
        us_state: two-letter code, of a US state; else None.
        provider_published: cloud provider in the source's words, of a cloud region; else None.
        region: name of a cloud region; else None.
        place_published: the place in the source's words.
        kg_co2e_per_kwh: the figure in kg CO2e per kWh.
        intensity_published: the figure in the source's own digits.
        unit_published: unit of those digits: a key of `KG_PER_KWH_IN`.
        year: of the electricity; None where the source does not state it.
        source_url: where a person sees the figure.
        member: file inside the payload; "" when the payload is one file.
        record: position in that file.
        note: origin or warning that the source gives with the figure.
    """

    source: str
    level: str
    country: str
    us_state: str | None = None
    provider_published: str | None = None
    region: str | None = None
    place_published: str
    kg_co2e_per_kwh: float
    intensity_published: str
    unit_published: str
    year: int | None
    source_url: str
    member: str
    record: str
    note: str


def reject_implausible(account: Parsed[GridIntensity], remedy: str) -> None:
    """Reject the places of a list that cannot have their carbon intensity.

    Raises:
        PayloadRejected: the list is in another unit than the one it is read in.
    """
    figures, account.rows = account.rows, []
    low, high = MEDIAN_KG_PER_KWH
    middle = median(row.kg_co2e_per_kwh for row in figures) if figures else low
    if not low <= middle <= high:
        problem = (
            f"the median of its {len(figures)} carbon intensities is {1000 * middle:.3g} g/kWh, and electricity has "
            f"{1000 * low:g} to {1000 * high:,g}: they are not in {figures[0].unit_published}"
        )
        raise PayloadRejected(payload=account.payload, problem=problem, remedy=remedy)
    low, high = KG_PER_KWH
    for row in figures:
        if low <= row.kg_co2e_per_kwh <= high:
            account.add(row)
            continue
        problem = f"{row.intensity_published} {row.unit_published} is {row.kg_co2e_per_kwh:.3g} kg/kWh"
        account.reject(
            row.record,
            f"{problem}: no electricity has less than {low:g} or more than {high:g}",
            payload=row.member,
        )


@cache
def country_codes() -> dict[str, str]:
    """Return ISO 3166 alpha-3 → alpha-2 (country_codes.csv; XKX and XK are user-assigned codes of Kosovo)."""
    table = files("ingest.energy").joinpath("country_codes.csv").read_text("utf-8")
    return {row["alpha_3"]: row["alpha_2"] for row in csv.DictReader(table.splitlines())}
