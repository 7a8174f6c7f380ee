"""The one form of collected prices: what each cell means, and every defect named by file and line."""

import csv
import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.core.errors import PayloadRejected
from ingest.prices.dated_offers import COLUMNS, read_dated_offers

SOUND = {
    "seller": "acme", "accelerator": "H100 SXM 80GB", "pricing_model": "on_demand", "price": "2.50", "unit": "accelerator_hour",
    "first_seen": "2026-10-01",
}  # fmt: skip


def read(*lines):
    columns = list(dict.fromkeys(name for line in lines for name in line))
    body = "\n".join(
        [",".join(columns), *(",".join(line.get(name, "") for name in columns) for line in lines)]
    )
    return read_text(body)


def read_text(body, encoding="utf-8"):
    payload = body if isinstance(body, bytes) else body.encode(encoding)
    parsed = read_dated_offers([("mine.csv", io.BytesIO(payload))], key="mine", source="s", source_url="")
    assert parsed.is_balanced
    return parsed


def test_a_line_without_options_is_a_price_of_one_day_and_of_no_stated_size():
    (row,) = read(SOUND).rows
    assert (row.instance_type, row.accelerator_published) == ("H100 SXM 80GB", "H100 SXM 80GB")
    assert (row.price, row.price_published, row.currency) == (2.5, "2.50", "USD")
    assert row.observed_at == datetime(2026, 10, 1, tzinfo=UTC) and row.observed_precision == "day"
    assert (row.accelerator_count, row.operating_system, row.region) == (None, "linux", None)
    assert (row.member, row.record, row.source_url) == ("mine.csv", "line 2", "file:mine.csv")


def test_what_sets_offers_of_one_model_apart_is_kept():
    said = {"purchase_option": "reserved 30 days", "variant": "secure", "region": "x", "n_offers": "5"}
    (row,) = read(SOUND | said).rows
    assert [row.purchase_option, row.variant, row.region, str(row.n_observed)] == list(said.values())


def test_an_interval_is_observed_on_its_first_and_its_last_day():
    first, last = read(SOUND | {"last_seen": "2026-10-20", "n_observed": "12"}).rows
    assert [row.observed_at.day for row in (first, last)] == [1, 20]
    assert first.offer_id == last.offer_id and first.terms == last.terms
    assert [first.record, last.record] == ["line 2", "line 2, last seen"]


def test_a_moment_has_its_zone():
    (row,) = read(SOUND | {"first_seen": "2026-10-01T02:00:00+02:00", "precision": "exact"}).rows
    assert row.observed_at == datetime(2026, 10, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("cells", "unit", "price", "count"),
    [
        ({"unit": "instance_hour", "accelerator_count": "8", "price": "20"}, "instance_hour", 20, 8),
        # the collector's count is divided by, and no size is claimed
        ({"unit": "instance_hour", "accelerator_count": "8", "size_basis": "assumed", "price": "20"}, "accelerator_hour", 2.5, None),
        ({"accelerator_count": "8", "size_basis": "assumed"}, "accelerator_hour", 2.5, None),
        ({"unit": "instance", "accelerator_count": "72", "pricing_model": "purchase", "price": "3600000"}, "accelerator", 50_000, 72),
        ({"unit": "accelerator", "pricing_model": "purchase", "price": "30000"}, "accelerator", 30_000, None),
    ],
)  # fmt: skip
def test_what_a_price_is_of(cells, unit, price, count):
    (row,) = read(SOUND | cells).rows
    assert (row.price_unit, row.price, row.accelerator_count) == (unit, price, count)


@pytest.mark.parametrize(
    ("cells", "hours"),
    [
        ({"pricing_model": "reserved_1y"}, 8760),
        ({"pricing_model": "reserved_3y"}, 26280),
        ({"term_hours": "730"}, 730),
    ],
)
def test_a_commitment_has_its_term_and_another_one_states_it(cells, hours):
    assert read(SOUND | cells).rows[0].term_hours == hours


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        ({"price": "1e300"}, "price is '1e300'"),
        ({"accelerator": ""}, "lacks instance_type and accelerator"),
        ({"first_seen": "2026-13-01"}, "first_seen is '2026-13-01', not a date"),
        ({"first_seen": "0026-10-01"}, "first_seen is '0026-10-01', before 2000"),
        ({"first_seen": "2026-10-01T00:00:00Z"}, "with the precision day it is written like 2026-10-24"),
        ({"precision": "exact"}, "with the precision exact it is written like 2026-10-24T08:00:00Z"),
        ({"last_seen": "2026-09-30"}, "first_seen 2026-10-01 is after last_seen 2026-09-30"),
        ({"last_seen": "2026-10-02", "n_observed": "1"}, "n_observed is 1, but first_seen and last_seen are two days"),
        ({"n_observed": "3"}, "n_observed is 3, but first_seen and last_seen are one"),
        ({"currency": "XBT"}, "currency is 'XBT', not one of EUR, USD"),
        ({"unit": "instance"}, "the unit instance is not that of the pricing_model on_demand"),
        ({"pricing_model": "purchase"}, "the unit accelerator_hour is not that of the pricing_model purchase"),
        ({"pricing_model": "reserved"}, "pricing_model is 'reserved', not one of on_demand"),
        ({"size_basis": "stated"}, "size_basis is 'stated' and accelerator_count ''"),
        ({"size_basis": "unknown", "accelerator_count": "8"}, "size_basis is 'unknown' and accelerator_count '8'"),
        ({"price_min": "2.6"}, "price_min, price and price_max are not in order: 2.6, 2.5"),
        ({"upfront": "100"}, "an upfront payment needs its term"),
        ({"upfront": "-1"}, "upfront is '-1', not an amount"),
    ],
)  # fmt: skip
def test_a_defect_is_named_by_file_and_line_and_the_lines_around_it_survive(cells, problem):
    parsed = read(SOUND, SOUND | {"region": "x"} | cells, SOUND | {"region": "y"})
    (reject,) = parsed.rejects
    assert (reject.payload, reject.record) == ("mine.csv", "line 3") and problem in reject.problem
    assert [row.region for row in parsed.rows] == [None, "y"]


def test_prices_that_contradict_each_other_are_both_left_out():
    spring = {"first_seen": "2026-01-01", "last_seen": "2026-03-01"}
    march = {"first_seen": "2026-03-01", "price": "3"}
    parsed = read(SOUND | spring, SOUND | march, SOUND | {"price": "4"})
    assert [r.record for r in parsed.rejects] == ["line 2", "line 3"]
    assert "from 2026-01-01 to 2026-03-01 contradicts 3" in parsed.rejects[0].problem
    assert [row.price for row in parsed.rows] == [4]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("seller,price\nacme,2\n", "lacks pricing_model, unit, first_seen"),
        (f"{','.join(SOUND)},sise_basis\n", "unknown column 'sise_basis'. Did you mean size_basis"),
        (f'{",".join(SOUND)}\n"acme', "is no CSV"),
    ],
)
def test_another_file_is_refused_with_what_it_lacks(body, problem):
    with pytest.raises(PayloadRejected) as refused:
        read_text(body)
    assert "mine.csv" in str(refused.value) and problem in str(refused.value)


def table(separator, *lines):
    out = io.StringIO()
    writer = csv.DictWriter(out, [*SOUND, "region"], delimiter=separator)
    writer.writeheader()
    writer.writerows(SOUND | line for line in lines)
    return out.getvalue()


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize(
    ("cell", "price"),
    [
        ("27,20", 27.2), ("2,4", 2.4), ("0,500", 0.5), ("28,500.00", 28_500), ("28.500,00", 28_500), ("1,028,500", 1_028_500),
        ("28 500,5", 28_500.5), ("28\u202f500", 28_500), ("1'028'500.25", 1_028_500.25), ("1234,567", 1234.567),
    ],
)  # fmt: skip
def test_a_number_that_can_be_read_in_one_way_is_read(separator, cell, price):
    (row,) = read_text(table(separator, {"price": cell})).rows
    assert (row.price, row.price_published) == (price, cell)


@pytest.mark.parametrize("separator", [";", "\t"])
@pytest.mark.parametrize("cell", ["28,500", "28.500", "1,028,500,5", "$2.41", "2,4,1"])
def test_a_number_that_can_be_read_in_two_ways_or_in_none_is_refused_by_line(separator, cell):
    parsed = read_text(table(separator, {"price": cell}, {"region": "kept"}))
    (reject,) = parsed.rejects
    ways = "28500 or 28.500" if cell.startswith("28") else "not a number above zero"
    assert reject.record == "line 2" and cell in reject.problem and ways in reject.problem
    assert "separated by " + {";": "semicolons", "\t": "tabs"}[separator] in reject.problem


def test_in_a_file_with_commas_a_point_is_a_decimal_point_and_a_group_of_three_after_a_comma_is_ambiguous():
    parsed = read_text(table(",", {"price": "28.500"}, {"price": "28,500"}))
    assert [row.price for row in parsed.rows] == [28.5]
    assert "28500 or 28.500?" in parsed.rejects[0].problem


@pytest.mark.parametrize("cell", ["10/24/2026", "24/10/2026", "24.10.2026", "24-10-2026"])
def test_a_day_that_can_be_read_in_one_way_is_read(cell):
    (row,) = read(SOUND | {"first_seen": cell}).rows
    assert row.observed_at == datetime(2026, 10, 24, tzinfo=UTC)


@pytest.mark.parametrize(
    ("cell", "problem"),
    [
        ("10/05/2026", "2026-05-10 or 2026-10-05?"),
        ("5.10.2026", "2026-05-10 or 2026-10-05?"),
        ("10/32/2026", "not a date"),
        ("13/13/2026", "not a date"),
        ("10/24/26", "not a date"),
    ],
)
def test_a_day_that_can_be_read_in_two_ways_or_in_none_is_refused(cell, problem):
    (reject,) = read(SOUND | {"first_seen": cell}).rejects
    assert cell in reject.problem and problem in reject.problem


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_a_file_is_read_however_a_spreadsheet_saves_it(encoding):
    body = table("\t" if encoding.startswith("utf-16") else ";", {"seller": "Café Müller", "price": "1,5"})
    (row,) = read_text(body, encoding).rows
    assert (row.provider_published, row.price) == ("Café Müller", 1.5)


def test_bytes_that_are_no_text_are_named_by_line():
    body = table(",", {"seller": "odd"}, {"region": "kept"}).encode()
    parsed = read_text(body.replace(b"odd", b"caf\x81"))
    assert [r.record for r in parsed.rejects] == ["line 2"] and [r.region for r in parsed.rows] == ["kept"]
    damaged = read_text(table(",", {"region": "kept"}).encode("utf-16") + b"x")
    assert [r.record for r in damaged.rejects] == ["line 3"] and [r.region for r in damaged.rows] == ["kept"]


ODD = st.sampled_from(
    ["NaN", "1e400", "x" * 500, "9999-12-31", "0", "١", "Free", "1_000", "0001-01-01", "true"]
)


@given(cells=st.dictionaries(st.sampled_from(COLUMNS), ODD, max_size=4))
@settings(max_examples=100, deadline=None)
def test_whatever_stands_in_a_cell_a_line_is_a_row_or_a_reject_and_its_neighbour_survives(cells):
    parsed = read(SOUND | {"region": "x"}, SOUND | cells)
    assert "x" in {row.region for row in parsed.rows}
    lines = {r.record for r in parsed.rejects} | {row.record.split(",")[0] for row in parsed.rows}
    assert lines == {"line 2", "line 3"}


def test_the_documentation_names_every_column():
    text = Path("docs/how-to/add-your-own-prices.md").read_text(encoding="utf-8")
    assert [column for column in COLUMNS if f"`{column}`" not in text] == []
