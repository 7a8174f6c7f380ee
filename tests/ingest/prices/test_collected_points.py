"""Collected prices of 2026: rents and purchases, dated as exactly as the line is, every line accounted for."""

import csv
import io
from collections import Counter
from datetime import UTC, datetime

import pytest

from ingest.core.errors import PayloadRejected
from ingest.prices import collected_points
from ingest.prices.collected_points import SOURCE

HEADER = (
    "provider,instance_type,accelerator_id,accelerator_count,region,pricing_model,usd_per_instance_hour,"
    "usd_per_accelerator_hour,kind,purchase_usd,seen_on,date_precision,source_url,is_component_only,notes"
)
OCI = "oci,BM.GPU.GB300.4,nvidia-gb300-288gb,4,global,on_demand,72,18,rent,,2026-09-18,day,https://example.org/a,false,"


def parse(*lines):
    payload = "\n".join([HEADER, *lines, ""]).encode()
    return SOURCE.parse([("", io.BytesIO(payload))], key="points")


def test_an_instance_price_keeps_its_size_and_day():
    (row,) = parse(OCI).rows
    assert (row.price, row.price_unit, row.accelerator_count, row.region) == (72, "instance_hour", 4, None)
    assert (row.observed_at, row.observed_precision) == (datetime(2026, 9, 18, tzinfo=UTC), "day")
    assert row.accelerator_published == "nvidia-gb300-288gb"


def test_a_price_per_accelerator_states_no_machine_size():
    (row,) = parse(OCI.replace("BM.GPU.GB300.4", "").replace(",4,", ",1,").replace(",72,", ",,")).rows
    assert (row.price, row.price_unit, row.accelerator_count) == (18, "accelerator_hour", None)


def test_lines_without_a_day_are_dated_to_the_year_only():
    (month,) = parse(OCI.replace("2026-09-18,day", "2026-09,month")).rows
    (none,) = parse(OCI.replace("2026-09-18,day", ",unknown")).rows
    assert (month.observed_at.month, month.observed_precision) == (9, "month")
    assert (none.observed_at.year, none.observed_precision) == (2025, "year")


def test_a_component_price_is_marked_and_a_kit_is_divided_by_its_accelerators():
    (part,) = parse(OCI.replace("false", "true")).rows
    assert part.purchase_option == collected_points.BILLED_ON_TOP
    (kit,) = parse(",,intel-gaudi3-oam,8,,,,,purchase,125000,,unknown,https://example.org/b,false,kit").rows
    assert (kit.price, kit.price_unit, kit.pricing_model) == (15_625, "accelerator", "purchase")


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (OCI.replace(",72,18,", ",0,18,"), "'0'"),
        (OCI.replace("on_demand", "weekly"), "weekly"),
        (OCI.replace(",4,", ",,"), "accelerator_count"),
        (OCI.replace("2026-09-18", "soon"), "soon"),
        (OCI.replace("oci,", ",", 1), "provider"),
        (OCI.replace("rent", "gift"), "gift"),
        (OCI + ",more", "number of cells"),
    ],
)
def test_a_bad_line_is_rejected_by_name_and_its_neighbour_survives(line, word):
    parsed = parse(OCI, line)
    (reject,) = parsed.rejects
    assert len(parsed.rows) == 1 and reject.record == "line 3" and word in reject.problem


def test_another_table_is_refused():
    with pytest.raises(PayloadRejected):
        SOURCE.parse([("", io.BytesIO(b"a,b\n1,2\n"))], key="points")


def test_the_real_file_is_accounted_for_and_prices_are_those_of_its_cells(price_data):
    path = price_data.parents[1] / "facts" / "price_points_2026.csv"
    with path.open("rb") as f:
        parsed = SOURCE.parse([("", f)], key="points")
    with path.open(encoding="utf-8", newline="") as f:
        lines = list(csv.DictReader(f))
    assert parsed.records_in == len(lines) == 257
    assert (len(parsed.rows), parsed.duplicates, len(parsed.rejects)) == (256, 0, 1)
    assert "estimate" in parsed.rejects[0].problem
    for row in parsed.rows:
        line = lines[int(row.record.removeprefix("line ")) - 2]
        if line["kind"] == "rent":
            count = float(line["accelerator_count"]) if row.price_unit == "instance_hour" else 1
            assert row.price / count == pytest.approx(float(line["usd_per_accelerator_hour"]), rel=0.001)
    components = Counter(r.purchase_option == collected_points.BILLED_ON_TOP for r in parsed.rows)
    assert components[True] == sum(line["is_component_only"] == "true" for line in lines) == 12
