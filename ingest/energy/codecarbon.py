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

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ingest.core import values
from ingest.core.cadence import SPECIFICATIONS
from ingest.core.csv_table import CsvLine, read_csv
from ingest.core.errors import PayloadRejected
from ingest.core.fetch_plan import Fetch, Members, Request
from ingest.core.json_document import read_json
from ingest.core.records import OutOfScope, Parsed
from ingest.core.source import Source
from ingest.energy.grids import KG_PER_KWH_IN, GridIntensity, country_codes, reject_implausible

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

_Rows = Iterator[tuple[str, Callable[..., GridIntensity]]]
"""Position of each record, and what makes its row."""

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
        PayloadRejected: another key, no such file, or another unit than the one known (stated, or by the figures).
    """
    stream = key.partition("@")[0]
    if stream not in _READERS:
        raise PayloadRejected(
            payload=key,
            problem=f"no file of that name. Keys: {', '.join(_READERS)}",
            remedy="land it under its key",
        )
    account: Parsed[GridIntensity] = Parsed(payload=f"{RAW}/{_FILES[stream][0]}", remedy=_REMEDY)
    for member, file in members:
        for record, read_row in _READERS[stream](file.read(), member or account.payload):
            account.read()
            with account.catch(record, payload=member):
                account.add(read_row(member=member, record=record))
    account.fold(
        lambda row: (row.level, row.country, row.us_state, row.provider_published, row.region),
        _contradiction,
    )
    reject_implausible(account, _COMPARE)
    return account.checked(key)


def _contradiction(same: Sequence[GridIntensity]) -> str:
    if len({row.kg_co2e_per_kwh for row in same}) == 1:
        return ""
    said = ", ".join(row.intensity_published for row in same)
    return f"the place {same[0].place_published!r} occurs {len(same)} times: {said}"


def _row(
    *, alpha_3: str, intensity: Any, field: str, unit: str, year: int | None, **rest: Any
) -> GridIntensity:
    """Return the row of an entry.

    Raises:
        ValueError: an unknown country, or no intensity above zero.
    """
    country = country_codes().get(alpha_3)
    if country is None:
        raise ValueError(f"{alpha_3!r} is no ISO 3166 alpha-3 code of a country")
    published = values.number(intensity)
    if published is None:
        raise ValueError(f"the field {field!r} is {intensity!r}, no number")
    if published <= 0:
        raise ValueError(f"the carbon intensity is {published:g} {unit}: every way of generation emits")
    return GridIntensity(
        source=SOURCE.name,
        country=country,
        kg_co2e_per_kwh=published * KG_PER_KWH_IN[unit],
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


def _require_fields(entry: Any, *names: str) -> None:
    """Raise ValueError for a JSON entry that is no object, or lacks fields."""
    if not isinstance(entry, dict):
        raise ValueError(f"is {entry!r:.60}, not an object")
    if missing := [name for name in names if name not in entry]:
        words = f"has no field {', '.join(map(repr, missing))}, but {', '.join(map(str, entry))}"
        raise ValueError(words[:300])


def _year(entry: Mapping[str, Any]) -> int:
    year = values.integer(entry.get("year"))
    if year is None or not 1990 <= year <= 2100:
        raise ValueError(f"the field 'year' is {entry.get('year')!r}, no year")
    return year


def _country(code: str, entry: Any, **place: str) -> GridIntensity:
    _require_fields(entry, "carbon_intensity", "country_name", "year")
    return _row(
        level="country",
        alpha_3=code,
        place_published=values.words(entry["country_name"]),
        intensity=entry["carbon_intensity"],
        field="carbon_intensity",
        unit="g/kWh",
        year=_year(entry),
        source_url=f"{HOME}/blob/master/codecarbon/data/{_FILES[COUNTRIES][0]}",
        note="Our World in Data: Ember and Energy Institute; life cycle CO2e",
        **place,
    )


def _countries(payload: bytes, where: str) -> _Rows:
    for code, entry in _object(payload, where).items():
        yield code, partial(_country, code, entry)


def _us_state(name: str, entry: Any, year: int, note: str, **place: str) -> GridIntensity:
    if name.startswith("_"):
        raise OutOfScope(NO_PLACE)
    _require_fields(entry, "emissions", "regionCode")
    code, is_whole = str(entry["regionCode"]), name == _WHOLE_COUNTRY
    if not is_whole and not re.fullmatch("[A-Z]{2}", code):
        raise ValueError(f"the field 'regionCode' is {code!r}, no two-letter code of a US state")
    return _row(
        level="country" if is_whole else "us_state",
        alpha_3="USA",
        us_state=None if is_whole else code,
        place_published=name,
        intensity=entry["emissions"],
        field="emissions",
        unit="lb/MWh",
        year=year,
        source_url=f"{HOME}/tree/master/codecarbon/data/private_infra",
        note=note,
        **place,
    )


def _us_states(payload: bytes, where: str) -> _Rows:
    document = _object(payload, where)
    unit = document.get("_unit")
    if not isinstance(unit, dict) or unit.get("emissions") != _UNIT_OF_STATES:
        problem = f"its unit is {unit!r}, not emissions in {_UNIT_OF_STATES}"
        raise PayloadRejected(payload=where, problem=problem, remedy=_COMPARE)
    origin = document.get("_source", {"year": _YEAR_OF_STATES, "name": "EPA eGRID2016"})
    try:
        year = _year(origin if isinstance(origin, dict) else {})
    except ValueError as e:
        raise PayloadRejected(payload=where, problem=f"in its origin, {e}", remedy=_COMPARE) from e
    note = values.words(origin.get("name") or "EPA eGRID")
    for name, entry in document.items():
        yield name, partial(_us_state, name, entry, year, note)


def _cloud_region(line: CsvLine, **place: str) -> GridIntensity:
    if not line["provider"] or not line["region"]:
        raise ValueError("names no provider or no region")
    names = [line[name] for name in ("city", "state", "country_name") if line[name]]
    return _row(
        level="cloud_region",
        alpha_3=line["countryIsoCode"],
        provider_published=line["provider"],
        region=line["region"],
        place_published=", ".join(names) or line["region"],
        intensity=line["impact"],
        field="impact",
        unit="g/kWh",
        year=None,
        source_url=line["source"],
        note=line["comment"],
        **place,
    )


def _cloud_regions(payload: bytes, where: str) -> _Rows:
    needed = ("provider", "region", "countryIsoCode", "impact", "source")
    for line in read_csv(payload, where, needed, remedy=_COMPARE):
        yield f"line {line.number}", partial(_cloud_region, line)


_READERS: dict[str, Callable[[bytes, str], _Rows]] = {
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
    cadence=SPECIFICATIONS,
    limit_bytes=4 << 20,
    plan=plan,
    parse=parse,
    parser_version=2,
    rank=3,
    ships=True,
    polls_to_close=0,
)
