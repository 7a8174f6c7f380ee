"""Carbon intensity of countries, US states and cloud regions, as the CodeCarbon project publishes it (MIT).

Upstream facts, checked 2026-11-23 on release 3.3.2 of 2026-10-23; three files, two units:

- ``global_energy_mix.json``: by ISO alpha-3 code; ``carbon_intensity`` in g CO2e per kWh (Our World in Data: Ember and
  Energy Institute, life cycle), ``year`` inside each record. The Central African Republic has 0.0 and is rejected.
- ``usa_emissions.json``: by name of the state, with a record ``usa`` for the whole country; ``emissions`` in **lb per
  MWh** (the record ``_unit`` says ``lbs/MWh``), CO2e of generation by EPA eGRID. The record ``_source`` has the year.
  The edition of 2016 has no such record: it lay in a folder ``2016``, and its total of 998.4 lb/MWh is eGRID2016's.
- ``impact.csv``: cloud regions; ``impact`` in g CO2e per kWh, with the address of each figure and without a year. It is
  the intensity of the grid: ``offsetRatio`` (purchased certificates) is not applied. ``me-cenrtal1`` is upstream's
  spelling.

All are annual averages: they do not say what one more kilowatt-hour emits at an hour.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ingest.core import values
from ingest.core.cadence import SPECIFICATIONS
from ingest.core.errors import PayloadRejected
from ingest.core.fetch_plan import Fetch, Members, Request
from ingest.core.json_document import read_json
from ingest.core.records import Parsed
from ingest.core.source import Source
from ingest.energy.grids import GridIntensity, country_codes, in_kg_per_kwh

RAW = "https://raw.githubusercontent.com/mlco2/codecarbon/master/codecarbon/data"
HOME = "https://github.com/mlco2/codecarbon"
COUNTRIES, US_STATES, CLOUD_REGIONS = "countries", "us-states", "cloud-regions"

_FILES = {
    COUNTRIES: ("private_infra/global_energy_mix.json", "application/json"),
    US_STATES: ("private_infra/2023/usa_emissions.json", "application/json"),
    CLOUD_REGIONS: ("cloud/impact.csv", "text/csv"),
}
_UNIT_OF_STATES = "lbs/MWh"
_YEAR_OF_STATES = 2016
"""Year of the edition that states none."""
_WHOLE_COUNTRY = "usa"
NO_PLACE = "describes the file: its unit or its origin"

_Entry = dict[str, Any] | str | None
"""Arguments of `_row`, or why the record is none, or None for a record without a place."""

_REMEDY = "look at the record upstream; a grid without a trustworthy figure has none here"
_COMPARE = "compare the file with ingest/energy/codecarbon.py: a field may have been renamed"


def plan(environment: Mapping[str, str]) -> Sequence[Fetch]:
    """Three files, each conditional."""
    return tuple(
        Fetch(key=key, first=Request(url=f"{RAW}/{path}"), content_type=content_type)
        for key, (path, content_type) in _FILES.items()
    )


def parse(members: Members, *, key: str) -> Parsed[GridIntensity]:
    """Carbon intensity of every place of one file. A record is one entry of the JSON object or one line of the CSV.

    Args:
        members: the file.
        key: what it was landed under: a file of the plan, with ``@date`` when it is an older edition.

    Raises:
        PayloadRejected: another key, no such file, or another unit than the one known.
    """
    stream = key.partition("@")[0]
    if stream not in _READERS:
        raise PayloadRejected(
            payload=key,
            problem=f"no file of that name. Keys: {', '.join(_READERS)}",
            remedy="land it under its key",
        )
    account: Parsed[GridIntensity] = Parsed(payload=f"{RAW}/{_FILES[stream][0]}", remedy=_REMEDY)
    seen: set[tuple[str | None, ...]] = set()
    for member, file in members:
        for record, entry in _READERS[stream](file.read(), member or account.payload):
            account.read()
            if entry is None:
                account.out_of_scope(NO_PLACE)
                continue
            if isinstance(entry, str):
                account.reject(record, entry, payload=member)
                continue
            try:
                row = _row(member=member, record=record, **entry)
            except ValueError as e:
                account.reject(record, str(e), payload=member)
                continue
            place = (row.level, row.country, row.us_state, row.provider_published, row.region)
            if place in seen:
                account.reject(record, f"the place {row.place_published!r} occurs twice", payload=member)
            else:
                seen.add(place)
                account.add(row)
    return account.checked(key)


def _row(
    *, alpha_3: str, intensity: Any, field: str, unit: str, year: int | None, **rest: Any
) -> GridIntensity:
    """The row of an entry.

    Raises:
        ValueError: an unknown country, or no intensity that a grid can have.
    """
    country = country_codes().get(alpha_3)
    if country is None:
        raise ValueError(f"{alpha_3!r} is no ISO 3166 alpha-3 code of a country")
    published = values.number(intensity)
    if published is None:
        raise ValueError(f"the field {field!r} is {intensity!r}, no number")
    return GridIntensity(
        source=SOURCE.name,
        country=country,
        kg_co2e_per_kwh=in_kg_per_kwh(published, unit),
        intensity_published=values.words(intensity),
        unit_published=unit,
        year=year,
        **rest,
    )


def _object(payload: bytes, where: str) -> dict[str, Any]:
    document = read_json(payload, where)
    if not isinstance(document, dict):
        raise PayloadRejected(payload=where, problem="not a JSON object by place", remedy=_COMPARE)
    return document


def _missing(entry: Any, names: Sequence[str]) -> str | None:
    """What is wrong with a JSON entry that is no object, or lacks fields."""
    if not isinstance(entry, dict):
        return f"is {entry!r:.60}, not an object"
    missing = [name for name in names if name not in entry]
    return (
        f"has no field {', '.join(map(repr, missing))}, but {', '.join(map(str, entry))}"[:300]
        if missing
        else None
    )


def _countries(payload: bytes, where: str) -> Iterator[tuple[str, _Entry]]:
    for code, entry in _object(payload, where).items():
        problem = _missing(entry, ("carbon_intensity", "country_name", "year"))
        year = None if problem else values.integer(entry["year"])
        if not problem and (year is None or not 1990 <= year <= 2100):
            problem = f"the field 'year' is {entry['year']!r}, no year"
        yield (
            code,
            problem
            or {
                "level": "country",
                "alpha_3": code,
                "place_published": values.words(entry["country_name"]),
                "intensity": entry["carbon_intensity"],
                "field": "carbon_intensity",
                "unit": "g/kWh",
                "year": year,
                "source_url": f"{HOME}/blob/master/codecarbon/data/{_FILES[COUNTRIES][0]}",
                "note": "Our World in Data: Ember and Energy Institute; life cycle CO2e",
            },
        )


def _us_states(payload: bytes, where: str) -> Iterator[tuple[str, _Entry]]:
    document = _object(payload, where)
    about = {name: entry for name, entry in document.items() if name.startswith("_")}
    unit = about.get("_unit")
    if not isinstance(unit, dict) or unit.get("emissions") != _UNIT_OF_STATES:
        raise PayloadRejected(
            payload=where,
            problem=f"its unit is {unit!r}, not emissions in {_UNIT_OF_STATES}",
            remedy=_COMPARE,
        )
    origin = about.get("_source", {"year": _YEAR_OF_STATES, "name": "EPA eGRID2016"})
    year = values.integer(origin.get("year")) if isinstance(origin, dict) else None
    if year is None or not 1990 <= year <= 2100:
        raise PayloadRejected(
            payload=where, problem=f"its origin states no year: {origin!r}", remedy=_COMPARE
        )
    for name, entry in document.items():
        if name in about:
            yield name, None
            continue
        problem = _missing(entry, ("emissions", "regionCode"))
        code = "" if problem else str(entry["regionCode"])
        is_whole = name == _WHOLE_COUNTRY
        if not problem and not is_whole and not (len(code) == 2 and code.isalpha() and code.isupper()):
            problem = f"the field 'regionCode' is {code!r}, no two-letter code of a US state"
        yield (
            name,
            problem
            or {
                "level": "country" if is_whole else "us_state",
                "alpha_3": "USA",
                "us_state": None if is_whole else code,
                "place_published": name,
                "intensity": entry["emissions"],
                "field": "emissions",
                "unit": "lb/MWh",
                "year": year,
                "source_url": f"{HOME}/tree/master/codecarbon/data/private_infra",
                "note": values.words(origin.get("name") or "EPA eGRID"),
            },
        )


def _cloud_regions(payload: bytes, where: str) -> Iterator[tuple[str, _Entry]]:
    try:
        text = payload.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        raise PayloadRejected(payload=where, problem=f"not UTF-8 (byte {e.start})", remedy=_COMPARE) from e
    lines = csv.DictReader(io.StringIO(text, newline=""))
    needed = ("provider", "region", "countryIsoCode", "impact", "source")
    missing = [name for name in needed if name not in (lines.fieldnames or ())]
    if missing:
        raise PayloadRejected(payload=where, problem=f"no column {', '.join(missing)}", remedy=_COMPARE)
    for entry in lines:
        record = f"line {lines.line_num}"
        if None in entry or None in entry.values():
            yield record, "has another number of cells than the first line"
        elif not entry["provider"] or not entry["region"]:
            yield record, "names no provider or no region"
        else:
            place = (
                ", ".join(entry[name] for name in ("city", "state", "country_name") if entry.get(name))
                or entry["region"]
            )
            yield (
                record,
                {
                    "level": "cloud_region",
                    "alpha_3": entry["countryIsoCode"],
                    "provider_published": entry["provider"],
                    "region": entry["region"],
                    "place_published": place,
                    "intensity": entry["impact"],
                    "field": "impact",
                    "unit": "g/kWh",
                    "year": None,
                    "source_url": entry["source"],
                    "note": entry.get("comment") or "",
                },
            )


_READERS: dict[str, Callable[[bytes, str], Iterator[tuple[str, _Entry]]]] = {
    COUNTRIES: _countries,
    US_STATES: _us_states,
    CLOUD_REGIONS: _cloud_regions,
}

SOURCE = Source(
    dialect="grids",
    name="codecarbon",
    title="CodeCarbon: carbon intensity of electricity by country, US state and cloud region",
    home_url=HOME,
    licence="MIT",
    licence_note="CodeCarbon, Copyright (c) 2019 Mila, BCG Gamma, CometML, Haverford College; "
    "Copyright (c) 2023 Code Carbon NGO (MIT).",
    cadence=SPECIFICATIONS,
    limit_bytes=4 << 20,
    plan=plan,
    parse=parse,
    rank=3,
    ships=True,
    polls_to_close=0,
)
