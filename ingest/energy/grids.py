"""What a source of electricity grids yields: one row per place, with the intensity in one unit.

Sources publish in several units. A parser names the published unit, and `in_kg_per_kwh` converts it, once.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

KG_PER_POUND = 0.45359237
"""International avoirdupois pound, exact by definition (NIST SP 811, appendix B.8)."""

KG_PER_KWH_IN = {"g/kWh": 1e-3, "lb/MWh": KG_PER_POUND / 1000}
"""Published unit → kg CO2e per kWh."""

HIGHEST_KG_PER_KWH = 3.0
"""More than any fuel emits: lignite in old power stations is at about 1.5. A higher figure has another unit."""


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
        note: origin or remark that the source gives with the figure.
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


def in_kg_per_kwh(published: float, unit: str) -> float:
    """Return a published carbon intensity in kg CO2e per kWh.

    Args:
        published: the figure.
        unit: a key of `KG_PER_KWH_IN`.

    Raises:
        ValueError: the figure is not above zero, or higher than any fuel emits.
    """
    kg_per_kwh = published * KG_PER_KWH_IN[unit]
    if published < 0:
        raise ValueError(f"the carbon intensity is negative: {published:g} {unit}")
    if published == 0:
        raise ValueError(
            f"the carbon intensity is 0 {unit}: every way of generation emits over its life cycle"
        )
    if kg_per_kwh > HIGHEST_KG_PER_KWH:
        raise ValueError(
            f"the carbon intensity of {published:g} {unit} is {kg_per_kwh:.4g} kg/kWh: "
            f"no fuel emits more than {HIGHEST_KG_PER_KWH:g}"
        )
    return kg_per_kwh


@cache
def country_codes() -> dict[str, str]:
    """Return ISO 3166 alpha-3 → alpha-2 (country_codes.csv; XKX and XK are user-assigned codes of Kosovo)."""
    table = files("ingest.energy").joinpath("country_codes.csv").read_text("utf-8")
    return {row["alpha_3"]: row["alpha_2"] for row in csv.DictReader(table.splitlines())}
