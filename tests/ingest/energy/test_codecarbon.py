"""CodeCarbon's three files: units, accounts, and bad records between good ones."""

from __future__ import annotations

import csv
import io
import json
import re

import duckdb
import pytest

from ingest.core.errors import PayloadRejected
from ingest.energy import codecarbon
from ingest.energy.grids import country_codes
from warehouse.storage.home import SNAPSHOT_DIR

FILES = {
    "countries": "global_energy_mix.json",
    "us-states": "usa_emissions.json",
    "cloud-regions": "impact.csv",
}
UNIT = {"_unit": {"emissions": "lbs/MWh", "regionCode": "2 digit state/region code"}}
OHIO = {"ohio": {"emissions": 1000.0, "regionCode": "OH"}}
HEADER = "provider,providerName,offsetRatio,region,regionName,country_name,countryIsoCode,state,city,impact,source,comment"
FINLAND = "gcp,Google,100,europe-north1,,Finland,FIN,,Hamina,46,https://example.test/carbon,"


def parsed(payload, key):
    text = payload if isinstance(payload, str) else json.dumps(payload)
    return codecarbon.parse([("", io.BytesIO(text.encode()))], key=key)


def read(grid_data, key):
    with (grid_data / FILES[key]).open("rb") as file:
        return codecarbon.parse([("", file)], key=key)


def test_countries_are_in_grams_and_say_their_year(grid_data):
    """Second method: the figures by a regular expression over the text, divided by a thousand."""
    text = (grid_data / FILES["countries"]).read_text(encoding="utf-8")
    blocks = re.findall(r'"([A-Z]{3})": \{(.*?)\}', text, re.DOTALL)
    figures = {
        country_codes()[code]: (
            float(re.search(r'"carbon_intensity": ([\d.]+)', block)[1]) / 1000,
            int(re.search(r'"year": (\d+)', block)[1]),
        )
        for code, block in blocks
        if code != "CAF"
    }
    account = read(grid_data, "countries")
    # a country without any emissions is no figure of a life cycle
    assert [r.record for r in account.rejects] == ["CAF"]
    rows = {r.country: (r.kg_co2e_per_kwh, r.year) for r in account.rows}
    assert len(rows) > 200 and rows.keys() == figures.keys()
    for country, (kg, year) in figures.items():
        assert rows[country] == (pytest.approx(kg), year), country


def test_us_states_are_in_pounds_per_megawatt_hour(grid_data):
    """Second method: 2,204.62262 pounds are a tonne, and kg/kWh = t/MWh."""
    text = (grid_data / FILES["us-states"]).read_text(encoding="utf-8")
    pounds = dict(re.findall(r'"emissions": ([\d.]+),\s+"regionCode": "([A-Z]{2}|usa)"', text))
    rows = {r.us_state or "usa": r for r in read(grid_data, "us-states").rows}
    assert rows.keys() == set(pounds.values()) and len(rows) == 52
    for published, state in pounds.items():
        assert rows[state].kg_co2e_per_kwh == pytest.approx(float(published) / 2204.62262), state
        assert (rows[state].unit_published, rows[state].year) == ("lb/MWh", 2016)
    assert rows["RI"].kg_co2e_per_kwh == pytest.approx(0.3950, abs=5e-5)  # 870.822 lb/MWh
    assert rows["usa"].level == "country" and rows["RI"].level == "us_state"


def test_cloud_regions_are_in_grams_and_have_no_year(grid_data):
    with (grid_data / FILES["cloud-regions"]).open(encoding="utf-8-sig", newline="") as file:
        figures = {(r["provider"], r["region"]): int(r["impact"]) / 1000 for r in csv.DictReader(file)}
    rows = read(grid_data, "cloud-regions").rows
    assert {(r.provider_published, r.region): r.kg_co2e_per_kwh for r in rows} == pytest.approx(figures)
    assert {r.year for r in rows} == {None} and all(r.source_url.startswith("https://") for r in rows)


def test_the_year_of_the_states_is_that_of_their_edition():
    origin = {"_source": {"name": "EPA eGRID2023", "year": 2023}}
    account = parsed(UNIT | origin | OHIO, "us-states@2026-10-23")
    (row,) = account.rows
    assert (row.year, row.note, row.kg_co2e_per_kwh) == (2023, "EPA eGRID2023", pytest.approx(0.45359237))
    assert account.exclusions == {codecarbon.NO_PLACE: 2}


@pytest.mark.parametrize("unit", [{}, {"_unit": {"emissions": "kg/MWh"}}])
def test_states_in_another_unit_are_not_read(unit):
    with pytest.raises(PayloadRejected, match="not emissions in lbs/MWh"):
        parsed(unit | OHIO, "us-states")


def edited(grid_data, key, change):
    """The real file of a key with its figures changed."""
    text = (grid_data / FILES[key]).read_text(encoding="utf-8-sig")
    if key == "cloud-regions":
        lines = list(csv.DictReader(io.StringIO(text, newline="")))
        rows = [line | {"impact": str(change(line["region"], float(line["impact"])))} for line in lines]
        out = io.StringIO(newline="")
        writer = csv.DictWriter(out, lines[0])
        writer.writeheader()
        writer.writerows(rows)
        return out.getvalue()
    field = "emissions" if key == "us-states" else "carbon_intensity"
    document = json.loads(text)
    return {
        code: entry | {field: change(code, entry[field])}
        if isinstance(entry.get(field), int | float)
        else entry
        for code, entry in document.items()
    }


@pytest.mark.parametrize("factor", [1e-3, 1e3, 1e-6])  # kg for g, mg for g or kWh for MWh, tonnes
@pytest.mark.parametrize("key", FILES)
def test_a_list_in_another_unit_is_refused_whole(grid_data, key, factor):
    with pytest.raises(
        PayloadRejected, match=r"the median of its \d+ .* electricity has 5 to 1,500: they are not in"
    ):
        parsed(edited(grid_data, key, lambda _, figure: figure * factor), key)


@pytest.mark.parametrize(
    ("key", "place", "factor", "record"),
    [
        ("countries", "FRA", 1e-3, "FRA"),  # 56.039 g
        ("countries", "POL", 1e3, "POL"),
        ("us-states", "rhode island", 1e-3, "rhode island"),
        ("cloud-regions", "europe-west9", 1e-3, "line 23"),  # Paris, 34 g
    ],
)
def test_a_place_in_another_unit_is_rejected_and_the_others_are_kept(grid_data, key, place, factor, record):
    payload = edited(grid_data, key, lambda name, figure: figure * (factor if name == place else 1))
    account, good = parsed(payload, key), read(grid_data, key)
    (reject,) = (r for r in account.rejects if r not in good.rejects and r.record != "CAF")
    assert "no electricity has less than 0.001 or more than 3" in reject.problem
    assert reject.record == record
    assert len(account.rows) == len(good.rows) - 1 and account.is_balanced
    # a small figure that Google publishes (Montréal, 2 g) is one
    assert key != "cloud-regions" or min(row.kg_co2e_per_kwh for row in account.rows) == 0.002


REGIONS = [
    FINLAND,
    FINLAND.replace("europe-north1", ""),
    FINLAND.replace(",46,", ",-46,"),
    FINLAND.replace("FIN,", "FIN"),
    FINLAND.replace("europe-north1", "europe-north2"),
]


@pytest.mark.parametrize(
    ("key", "payload", "places", "rejects"),
    [
        ("countries", {"XQZ": {"carbon_intensity": 56.039, "country_name": "?", "year": 2023}}, [], ["XQZ"]),
        ("us-states", UNIT | OHIO | {"atlantis": {"emissions": 1.0, "regionCode": "Atlantis"}, "iowa": 5}, ["OH"], ["atlantis", "iowa"]),
        ("us-states", UNIT | OHIO | {"again": {"emissions": 2.0, "regionCode": "OH"}}, [], ["ohio", "again"]),
        ("cloud-regions", "\n".join([HEADER, *REGIONS]), ["europe-north1", "europe-north2"], ["line 3", "line 4", "line 5"]),
    ],
)  # fmt: skip
def test_a_bad_record_is_rejected_and_its_neighbours_are_kept(key, payload, places, rejects):
    account = parsed(payload, key)
    assert [r.region or r.us_state or r.country for r in account.rows] == places
    assert [r.record for r in account.rejects] == rejects


def test_another_key_is_refused():
    with pytest.raises(PayloadRejected, match="Keys: countries, us-states, cloud-regions"):
        parsed({}, "world")


def test_shipped_grids_are_what_the_parser_gives(grid_data):
    """The files of countries and regions at hand are those that the snapshot was read from."""
    for key in ("countries", "cloud-regions"):
        shipped = duckdb.sql(
            f"select country, region, kg_co2e_per_kwh, year from '{SNAPSHOT_DIR}/grid_intensities/*__{key}@*.parquet'"
        ).fetchall()
        rows = [(r.country, r.region, r.kg_co2e_per_kwh, r.year) for r in read(grid_data, key).rows]
        assert rows and sorted(rows, key=str) == sorted(shipped, key=str)
