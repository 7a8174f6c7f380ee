"""The AWS price list: prices as the published files say them, and every trap that makes a GPU look free or cheap.

Synthetic lists are real rows of p5.48xlarge in the true layout (91 columns), changed in one place.
"""

from __future__ import annotations

import csv
import gzip
import importlib.util
import io
import json
import random
from collections import Counter
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import pytest

from ingest.core.errors import AccelmartError, PayloadRejected
from ingest.core.payloads import Judge
from ingest.prices import aws, aws_offers
from ingest.prices.aws import parse, plan
from ingest.prices.offers import resolve_periods

# the generator of bench/ writes the true layout and knows what must come out of it
_SPEC = importlib.util.spec_from_file_location(
    "bench_aws_price_list", Path(__file__).resolve().parents[3] / "bench" / "aws_price_list.py"
)
bench = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(bench)
HEADER = bench.HEADER

P5 = bench.INSTANCE | {
    "SKU": "3D4V8UAYEMB38GU2", "OfferTermCode": "JRTCKXETXF", "TermType": "OnDemand",
    "PriceDescription": "$55.04 per On Demand Linux p5.48xlarge Instance Hour", "EffectiveDate": "2026-09-01",
    "StartingRange": "0", "EndingRange": "Inf", "Unit": "Hrs", "PricePerUnit": "55.0400000000", "Currency": "USD",
    "Instance Type": "p5.48xlarge", "Instance Family": "GPU instance", "Memory": "2048 GiB", "GPU": "8",
    "GPU Memory": "640 GB HBM3", "usageType": "BoxUsage:p5.48xlarge",
}  # fmt: skip
RESERVED = {
    "TermType": "Reserved", "OfferTermCode": "38NPMPTW36", "PriceDescription": "p5.48xlarge reserved instance applied",
    "LeaseContractLength": "3yr", "PurchaseOption": "Partial Upfront", "OfferingClass": "standard",
    "PricePerUnit": "10.0000000000",
}  # fmt: skip
FEE = {
    "Unit": "Quantity", "PricePerUnit": "262800", "PriceDescription": "Upfront Fee", "StartingRange": "",
    "EndingRange": "", "rate": "2TG2D8R56U",
}  # fmt: skip
WINDOWS = {"Operating System": "Windows", "operation": "RunInstances:0002"}
BLOCK = {"MarketOption": "CapacityBlock", "operation": "RunInstances:CB", "SKU": "5Q7AP3RH7KTVUNCJ"}
G6 = {"SKU": "TPKUC6XYSUQ3VFK2", "Instance Type": "g6.xlarge", "PricePerUnit": "0.8048000000", "GPU": "1",
      "GPU Memory": "24 GB"}  # fmt: skip
G5 = G6 | {"SKU": "FX9TUYTJKEENVBSR", "Instance Type": "g5.2xlarge", "PricePerUnit": "1.2120000000"}


def cells(*changes):
    """A record of p5.48xlarge with changes; its rate code is what SKU, term and rate make."""
    row = dict(P5)
    for change in changes:
        row |= change
    rate = row.pop("rate", "6YS6EN2CT7")
    row.setdefault("RateCode", f"{row['SKU']}.{row['OfferTermCode']}.{rate}")
    return row


def line(row):
    """As AWS writes it: everything quoted that is not empty."""
    return (
        ",".join('"' + v.replace('"', '""') + '"' if (v := row.get(name)) else "" for name in HEADER) + "\n"
    )


def above(version="20260910195514", offer="AmazonEC2", header=HEADER):
    lines = [["FormatVersion", "v1.0"], ["Disclaimer", "for informational purposes only, see https://aws.amazon.com"],
             ["Publication Date", "2026-09-10T19:55:14Z"], ["Version", version], ["OfferCode", offer], header]  # fmt: skip
    return "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in lines)


def price_list(*rows, **kwargs):
    return (above(**kwargs) + "".join(row if isinstance(row, str) else line(row) for row in rows)).encode()


def read(payload, key="us-east-1"):
    return parse([("", io.BytesIO(payload))], key=key)


def between_two_good(*rows):
    """What comes of records that stand between two good ones, which must survive."""
    parsed = read(price_list(cells(G6), *rows, cells(G5)))
    good = [row for row in parsed.rows if row.instance_type in ("g6.xlarge", "g5.2xlarge")]
    assert [row.price for row in good] == [0.8048, 1.212]
    parsed.rows = [row for row in parsed.rows if row not in good]
    return parsed


def without_url(parsed):
    return [asdict(row) | {"source_url": ""} for row in parsed.rows]


# --- the published files -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def files(price_data):
    return price_data / "aws"


def published(path):
    """The records of a real CSV list, read by the csv module alone."""
    with path.open(newline="") as file:
        return list(csv.DictReader(list(file)[5:]))


def test_rows_say_what_the_published_list_says(files):
    name = "ec2_offer_us-east-1_excerpt.csv"
    from_csv = read((files / name).read_bytes())
    assert {row.instance_type: row.price for row in from_csv.rows} == {
        "g4dn.xlarge": 0.526, "g5.2xlarge": 1.212, "g6.xlarge": 0.8048, "inf2.xlarge": 0.7582,
        "p4d.24xlarge": 21.957642, "p5.48xlarge": 55.04, "trn1.32xlarge": 21.5,
    }  # fmt: skip
    assert (from_csv.records_in, from_csv.left_out) == (15, {aws_offers.NO_ACCELERATOR: 7})
    # a Capacity Block is listed at 0
    (reject,) = from_csv.rejects
    assert BLOCK["SKU"] in reject.record and "capacity block price is 0.0" in reject.problem
    said = {r["RateCode"]: r for r in published(files / name)}
    for row in from_csv.rows:
        upstream = said[row.record.removeprefix("rate code ")]
        assert row.price_published == upstream["PricePerUnit"]
        assert (row.instance_type, row.region) == (upstream["Instance Type"], upstream["Region Code"])
        assert (row.accelerator_count, row.vcpus) == (int(upstream["GPU"]), int(upstream["vCPU"]))
        assert f"{row.memory_gb:g} GiB" == upstream["Memory"]
        assert upstream["Instance Family"] in row.accelerator_published
        assert (row.currency, row.price_unit, row.operating_system) == ("USD", "instance_hour", "linux")
    from_json = read((files / name.replace("csv", "json")).read_bytes())
    assert without_url(from_csv) == without_url(from_json)
    # the free tier is in the JSON only
    assert from_json.left_out == from_csv.left_out | {aws_offers.NO_TYPE: 1}
    assert from_csv.rows[0].source_url.endswith("/AmazonEC2/current/us-east-1/index.csv")
    assert from_json.rows[0].source_url.endswith("/AmazonEC2/current/us-east-1/index.json")


@pytest.mark.parametrize(
    ("region", "p4d", "g4dn"), [("us-west-2", 21.957640, 0.526), ("eu-west-1", 23.715690, 0.587)]
)
def test_prices_of_other_regions_are_their_own(files, region, p4d, g4dn):
    rows = read((files / f"ec2_offer_{region}_excerpt.json").read_bytes(), key=region).rows
    assert {row.region for row in rows} == {region}  # the usage types begin with USW2- and EU-
    prices = {row.instance_type: row.price for row in rows}
    assert (prices["p4d.24xlarge"], prices["g4dn.xlarge"]) == (p4d, g4dn)


def test_a_published_rate_and_its_upfront_fee_are_one_offer(files):
    rows = published(files / "ec2_index_csv_head.csv")
    ours = {"Tenancy": "Shared", "Pre Installed S/W": "NA", "operation": "RunInstances:0002",
            "Instance Type": "p5.48xlarge", "Instance Family": "GPU instance", "GPU": "8"}  # fmt: skip
    parsed = read(price_list(*(row | ours for row in rows)), key="ap-northeast-1")
    (offer,) = parsed.rows
    assert (parsed.records_in, parsed.merged) == (2, 1)
    assert (offer.price, offer.upfront, offer.term_hours) == (0.10463, 2750.0, 26_280.0)
    assert (offer.pricing_model, offer.purchase_option) == ("reserved_3y", "standard, Partial Upfront")
    assert offer.price_published == "0.1046300000 Hrs + 2750 Quantity"
    assert all(row["RateCode"] in offer.record for row in rows)


def test_the_synthetic_layout_is_the_true_one(files):
    true = (files / "ec2_offer_us-east-1_excerpt.csv").read_text().splitlines()
    p5 = next(line for line in true if "3D4V8UAYEMB38GU2" in line)
    assert next(csv.reader([true[5]])) == HEADER
    assert next(csv.reader([p5])) == next(csv.reader([line(cells())]))


def test_an_archived_list_must_be_the_version_of_its_key(price_data):
    with (price_data / "history" / "aws_us_east_1_ondemand_by_price_list_version.csv").open() as file:
        said = next(r for r in csv.DictReader(file) if r["instance_type"] == "p5.48xlarge")
    version = said["price_list_version"]
    payload = price_list(cells({"PricePerUnit": said["price_usd_per_instance_hr"]}), version=version)
    (row,) = read(payload, f"us-east-1@{version}").rows
    assert row.source_url.endswith(f"/AmazonEC2/{version}/us-east-1/index.csv")
    for other in (payload, json.dumps(as_json(cells())).encode()):
        with pytest.raises(PayloadRejected, match="of the list, not 20000101000000"):
            read(other, "us-east-1@20000101000000")


def test_a_region_of_30000_lines_agrees_with_its_generator(tmp_path):
    generator = bench.Generator(seed=7)
    path = tmp_path / "index.csv.gz"
    generator.write(path, 30_000)
    with gzip.open(path) as file:
        parsed = parse([("", file)], key=bench.REGION)
    assert parsed.records_in == generator.lines
    assert Counter(parsed.left_out) == generator.left_out
    assert (len(parsed.rows), parsed.merged, len(parsed.rejects), parsed.duplicates) == tuple(
        generator.tally[k] for k in ("offers", "merged", "rejects", "duplicates")
    )
    assert sum(r.price * 1e4 + r.upfront for r in parsed.rows) == pytest.approx(generator.money)


# --- which rates are prices of accelerators ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"Pre Installed S/W": "SQL Std", "operation": "RunInstances:0004"}, aws_offers.SOFTWARE),
        ({"Tenancy": "Dedicated"}, aws_offers.NOT_SHARED),
        ({"CapacityStatus": "UnusedCapacityReservation"}, aws_offers.RESERVATION),
        ({"Operating System": "RHEL", "operation": "RunInstances:0010"}, aws_offers.OTHER_SYSTEM),
        (WINDOWS | {"License Model": "Bring your own license", "operation": "RunInstances:0800"}, aws_offers.LICENCE),
        (WINDOWS | {"License Model": "License Included - Infrastructure"}, aws_offers.LICENCE),
        ({"operation": "RunInstances:0004"}, aws_offers.OTHER_OPERATION),
        ({"operation": "RunInstances:CB"}, aws_offers.OTHER_OPERATION),
        ({"MarketOption": "Spot"}, aws_offers.OTHER_MARKET),
        (BLOCK | {"TermType": "Reserved"}, aws_offers.OTHER_MARKET),
        ({"Location Type": "AWS Local Zone"}, aws_offers.NO_REGION_OFFER),
        ({"Product Family": "Dedicated Host"}, aws_offers.NOT_AN_INSTANCE),
        ({"Instance Type": "", "Region Code": "", "EndingRange": "750", "PricePerUnit": "0.0"}, aws_offers.NO_TYPE),
        ({"Instance Type": "f2.48xlarge", "Instance Family": "FPGA Instances", "GPU": ""}, aws_offers.FPGA_OR_MEDIA),
        ({"Instance Type": "vt1.24xlarge", "Instance Family": "Media Accelerator Instances"}, aws_offers.FPGA_OR_MEDIA),
        ({"Instance Type": "infra.large", "Instance Family": "General purpose", "GPU": "0"}, aws_offers.NO_ACCELERATOR),
    ],
)  # fmt: skip
def test_what_is_no_plain_price_of_accelerators(change, reason):
    parsed = between_two_good(cells(change))
    assert (parsed.rows, parsed.rejects, parsed.left_out) == ([], [], {reason: 1})


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"License Model": "No License Required"}, {}),
        (WINDOWS | {"PricePerUnit": "63.8720000000"}, {"operating_system": "windows", "price": 63.872}),
        ({"Product Family": "Compute Instance (bare metal)"}, {}),
        ({"Instance Type": "trn3.48xlarge", "Instance Family": "Something new", "GPU": ""}, {"accelerator_count": None}),
        ({"Instance Family": "Something new"}, {"accelerator_count": 8.0}),  # GPU says 8
        ({"GPU": "", "GPU Memory": ""}, {"accelerator_count": None}),  # the family says GPU instance
        (BLOCK | {"PricePerUnit": "31.4640000000"}, {"pricing_model": "capacity_block", "price": 31.464, "term_hours": None}),
        # counts are as stated, fractions too; GPU memory is of the whole instance
        ({"GPU": "0.125", "GPU Memory": "3 GB"}, {"accelerator_count": 0.125, "accelerator_memory_gb": 24.0}),
        ({"GPU": "8", "GPU Memory": "1,024 GB"}, {"accelerator_count": 8.0, "accelerator_memory_gb": 128.0}),
        ({"GPU": "8", "GPU Memory": "NA"}, {"accelerator_memory_gb": None}),
    ],
)  # fmt: skip
def test_what_is_one(change, expected):
    parsed = between_two_good(cells(change))
    (row,) = parsed.rows
    given = {"price": 55.04, "pricing_model": "on_demand", "operating_system": "linux"} | expected
    assert {name: getattr(row, name) for name in given} == given and not parsed.remarks


@pytest.mark.parametrize("gpu", ["0", "eight", "-1"])
def test_a_count_that_is_none_is_unknown_and_remarked_once(gpu):
    parsed = read(price_list(cells({"GPU": gpu}), cells({"GPU": gpu}, WINDOWS, {"SKU": "B"})))
    assert [row.accelerator_count for row in parsed.rows] == [None, None]
    (remark,) = parsed.remarks
    assert f"GPU {gpu!r}" in remark.problem


def test_a_capacity_block_is_recognised_without_the_column_market_option():
    lines = price_list(cells(), cells({"operation": "RunInstances:CB", "SKU": "B", "PricePerUnit": "1.00"}))
    parsed = read(lines.replace(b'"MarketOption"', b'"Another"').replace(b'"CapacityBlock"', b""))
    assert [row.price for row in parsed.rows] == [55.04]
    assert parsed.left_out == {aws_offers.OTHER_OPERATION: 1}


def test_a_rate_that_starts_later_does_not_take_the_place_of_the_present_one():
    later = {"PricePerUnit": "44.0000000000", "EffectiveDate": "2027-02-01"}
    parsed = read(price_list(cells(), cells(later), cells(G6, {"EffectiveDate": "soon"})))
    assert parsed.records_in == 3 and "'soon'" in str(parsed.rejects[0])
    for day, expected in (
        ("2026-11-25", {(55.04, None), (44.0, "announced, from 2027-02-01")}),
        ("2027-02-01", {(55.04, "superseded, from 2026-09-01"), (44.0, None)}),
    ):
        found = resolve_periods(parsed, datetime.fromisoformat(f"{day}T00:00:00+00:00"), "us-east-1")
        assert {(row.price, row.purchase_option) for row in found.rows} == expected


# --- reservations ------------------------------------------------------------------------------------------------


def reservation(option, hourly, fee, lease="3yr", offering_class="standard"):
    """The lines of one reservation; None leaves a line out."""
    terms = RESERVED | {
        "PurchaseOption": option,
        "LeaseContractLength": lease,
        "OfferingClass": offering_class,
    }
    return [
        *([] if hourly is None else [cells(terms, {"PricePerUnit": hourly})]),
        *([] if fee is None else [cells(terms, FEE, {"PricePerUnit": fee})]),
    ]


@pytest.mark.parametrize("lease", [("1yr", "reserved_1y", 8_760), ("3yr", "reserved_3y", 26_280)])
@pytest.mark.parametrize(
    ("option", "hourly", "fee"),
    [("No Upfront", "30.0000000000", None), ("Partial Upfront", "10.0000000000", "262800"),
     ("All Upfront", "0.0000000000", "525600")],
)  # fmt: skip
def test_every_way_to_pay_is_one_offer(lease, option, hourly, fee):
    length, model, hours = lease
    parsed = between_two_good(*reservation(option, hourly, fee, length, "convertible"))
    (row,) = parsed.rows
    assert (row.price, row.upfront, row.term_hours) == (float(hourly), float(fee or 0), hours)
    assert (row.pricing_model, row.purchase_option) == (model, f"convertible, {option}")
    assert parsed.merged == (0 if fee is None else 1)


def test_rate_and_fee_are_joined_wherever_their_lines_stand():
    rows = [
        *reservation("Partial Upfront", "10.0000000000", "262800"),
        *({**row, "OfferTermCode": "Z", "RateCode": row["RateCode"].replace("38NPMPTW36", "Z")}
          for row in reservation("All Upfront", "0.0000000000", "525600")),
        cells(), cells(G6), cells(G5),
    ]  # fmt: skip
    for seed in range(5):
        shuffled = random.Random(seed).sample(rows, len(rows))
        assert {(r.price, r.upfront) for r in read(price_list(*shuffled)).rows} == {
            (10.0, 262800.0), (0.0, 525600.0), (55.04, 0.0), (0.8048, 0.0), (1.212, 0.0)
        }  # fmt: skip


PARTIAL = reservation("Partial Upfront", "10.0000000000", "1")


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (reservation("Partial Upfront", "10.0000000000", None), "without its upfront fee"),
        (reservation("All Upfront", None, "525600"), "no hourly rate"),
        (reservation("No Upfront", "30.0000000000", "100"), "No Upfront at 30 an hour and 100 upfront"),
        (reservation("No Upfront", "0.0000000000", None), "No Upfront at 0 an hour"),
        (reservation("Partial Upfront", "10.0000000000", "0"), "Partial Upfront at 10 an hour and 0 upfront"),
        (reservation("All Upfront", "1.0000000000", "525600"), "All Upfront at 1 an hour"),
        (reservation("Partial Upfront", "10.0000000000", "much"), "'much' is no number"),
        (reservation("Heavy Utilization", "10.0000000000", "262800"), "'Heavy Utilization'"),
        (reservation("No Upfront", "30.0000000000", None, lease="5yr"), "contract length is '5yr'"),
        (reservation("No Upfront", "30.0000000000", None, offering_class=""), "of class ''"),
        ([PARTIAL[0], PARTIAL[1] | {"Currency": "CNY"}], "currency is 'CNY'"),
        ([PARTIAL[0], PARTIAL[1] | {"LeaseContractLength": "1yr"}], "different commitments"),
        ([cells(), cells(FEE)], "on-demand rate has an upfront fee"),
        ([cells(), cells({"PricePerUnit": "1", "rate": "X"})], "several prices for one unit"),
    ],
)  # fmt: skip
def test_half_a_reservation_is_no_price(lines, problem):
    parsed = between_two_good(*lines)
    assert parsed.rows == [] and all(problem in reject.problem for reject in parsed.rejects)
    assert {r.record for r in parsed.rejects} == {f"rate code {row['RateCode']}" for row in lines}


# --- damage ------------------------------------------------------------------------------------------------------

GOOD = line(cells())


@pytest.mark.parametrize(
    "damaged",
    [
        GOOD.replace('"Linux"', '"Linux'),
        GOOD.replace('"Linux"', 'Linux"'),
        GOOD.replace('"p5.48xlarge"', '"p5.48xlarge"x'),
        GOOD[:300] + "\n",
        GOOD.replace('"8"', '"8","8"'),
        "<html><body>503</body></html>\n",
        GOOD.replace("p5.48xlarge", "p5.\ufffd48xlarge"),
    ],
)
def test_a_damaged_line_costs_itself_only(damaged):
    parsed = between_two_good("\n", cells({"Group Description": "one\ntwo"}), damaged)
    assert [row.price for row in parsed.rows] == [55.04]
    (reject,) = parsed.rejects
    assert reject.record == "line 11" and parsed.records_in == 4  # the empty line is none


@pytest.mark.parametrize(
    ("payload", "problem"),
    [
        (price_list(cells(), offer="AmazonRDS"), "offer code is 'AmazonRDS'"),
        (price_list(cells()).replace(b'"MarketOption"', b'"PricePerUnit"'), "says PricePerUnit twice"),
        (price_list(cells()).replace(b'"Region Code"', b'"renamed"'), "lacks Region Code"),
        (b'{"offerCode": "AmazonS3", "version": "1", "products": {}}', "offer code is 'AmazonS3'"),
        (price_list(cells())[:-30], "cut off in line 7"),
        (price_list(), "not one row"),
    ],
)  # fmt: skip
def test_something_else_is_refused_as_a_whole(payload, problem):
    with pytest.raises(PayloadRejected, match=problem):
        Judge(aws.SOURCE, "us-east-1")(io.BytesIO(payload))


def test_a_region_without_accelerators_is_a_good_list():
    cpu = cells({"Instance Type": "m5.xlarge", "Instance Family": "General purpose", "GPU": ""})
    Judge(aws.SOURCE, "us-east-1")(io.BytesIO(price_list(cpu)))


def test_columns_are_found_by_name():
    order = ["SKU", *random.Random(1).sample(HEADER[1:], 90)]
    text = io.StringIO()
    csv.writer(text).writerow(cells().get(name, "") for name in order)
    assert read((above(header=order) + text.getvalue()).encode()).rows == read(price_list(cells())).rows


# --- the JSON form -----------------------------------------------------------------------------------------------


def as_json(*rows):
    """The JSON form of the records, built from the documented envelope."""
    products, terms = {}, {}
    for row in rows:
        attributes = {"instanceType": "Instance Type", "instanceFamily": "Instance Family", "gpu": "GPU",
                      "gpuMemory": "GPU Memory", "locationType": "Location Type", "regionCode": "Region Code",
                      "tenancy": "Tenancy", "capacitystatus": "CapacityStatus", "preInstalledSw": "Pre Installed S/W",
                      "operatingSystem": "Operating System", "licenseModel": "License Model", "operation": "operation",
                      "marketoption": "MarketOption", "vcpu": "vCPU", "memory": "Memory"}  # fmt: skip
        products[row["SKU"]] = {
            "sku": row["SKU"],
            "productFamily": row["Product Family"],
            "attributes": {name: row[column] for name, column in attributes.items() if row.get(column)},
        }
        name = f"{row['SKU']}.{row['OfferTermCode']}"
        term = terms.setdefault(row["TermType"], {}).setdefault(row["SKU"], {}).setdefault(
            name,
            {"offerTermCode": row["OfferTermCode"], "sku": row["SKU"], "effectiveDate": row["EffectiveDate"],
             "priceDimensions": {}, "termAttributes": {
                column: row[column] for column in ("LeaseContractLength", "OfferingClass", "PurchaseOption")
                if row.get(column)
            }},
        )  # fmt: skip
        ranges = {"beginRange": row["StartingRange"], "endRange": row["EndingRange"]}
        term["priceDimensions"][row["RateCode"]] = {
            "rateCode": row["RateCode"], "unit": row["Unit"], "pricePerUnit": {row["Currency"]: row["PricePerUnit"]},
            "appliesTo": [], **{name: at for name, at in ranges.items() if at},
        }  # fmt: skip
    return {"formatVersion": "v1.0", "offerCode": "AmazonEC2", "version": "20260910195514",
            "products": products, "terms": terms}  # fmt: skip


def read_json(document):
    return read(json.dumps(document).encode())


def test_json_gives_what_the_csv_gives():
    rows = [
        cells(G6), cells(), cells(WINDOWS, {"SKU": "W", "PricePerUnit": "63.872"}), cells({"SKU": "D", "Tenancy": "Dedicated"}),
        cells({"SKU": "M", "Instance Type": "m5.xlarge", "Instance Family": "General purpose", "GPU": ""}),
        cells(BLOCK, {"SKU": "Z", "PricePerUnit": "0.0000000000"}),
        *reservation("Partial Upfront", "10.0000000000", "262800"),
        *({**row, "OfferTermCode": "H", "RateCode": row["RateCode"].replace("38NPMPTW36", "H")}
          for row in reservation("All Upfront", "0.0000000000", None)),
    ]  # fmt: skip
    from_csv, from_json = read(price_list(*rows)), read_json(as_json(*rows))
    assert len(from_csv.rows) == 4 and len(from_csv.rejects) == 2
    assert without_url(from_csv) == without_url(from_json)
    assert [str(r) for r in from_csv.rejects] == [str(r) for r in from_json.rejects]
    assert (from_csv.left_out, from_csv.records_in) == (from_json.left_out, from_json.records_in)


def test_broken_parts_of_json_cost_themselves_only():
    document = as_json(cells(G6), *(cells({"SKU": s}) for s in "ABCDEF"), cells(G5))
    document["products"]["A"] = "nothing"
    del document["products"]["B"]
    on_demand = document["terms"]["OnDemand"]
    on_demand["C"] = []
    on_demand["D"]["D.JRTCKXETXF"]["priceDimensions"] = None
    on_demand["E"]["E.JRTCKXETXF"]["priceDimensions"]["E.JRTCKXETXF.6YS6EN2CT7"] = {}
    del on_demand["F"]
    parsed = read_json(document)
    assert [row.instance_type for row in parsed.rows] == ["g6.xlarge", "g5.2xlarge"]
    assert parsed.left_out == {aws_offers.NO_PRICE: 1}
    assert [(r.record, r.problem.split(":")[-1].strip()) for r in parsed.rejects] == [
        ("rate code A.JRTCKXETXF.6YS6EN2CT7", "the product of SKU A is unreadable"),
        ("rate code B.JRTCKXETXF.6YS6EN2CT7", "the product of SKU B is absent"),
        ("terms.OnDemand.C", "no price can be read here"),
        ("terms.OnDemand.D.JRTCKXETXF", "no price can be read here"),
        ("rate code E.JRTCKXETXF.6YS6EN2CT7", "no price can be read here"),
    ]


def test_us_dollars_are_taken_wherever_they_stand():
    document = as_json(cells(), cells(G6, {"Currency": "CNY"}))
    (term,) = document["terms"]["OnDemand"][P5["SKU"]].values()
    (rate,) = term["priceDimensions"].values()
    rate["pricePerUnit"] = {"CNY": "400.00", "USD": "55.04"}
    assert [(r.currency, r.price) for r in read_json(document).rows] == [("USD", 55.04), ("CNY", 0.8048)]


def test_a_cut_damaged_or_disordered_document_is_refused():
    whole = json.dumps(
        as_json(cells(G6), *reservation("Partial Upfront", "10.0000000000", "262800"))
    ).encode()
    for at in range(1, len(whole), 97):
        with pytest.raises(PayloadRejected):
            read(whole[:at])
    with pytest.raises(PayloadRejected, match="cannot be read"):
        read(whole.replace(b'"unit": "Hrs"', b'"unit": Hrs'))
    document = as_json(*(cells({"SKU": f"S{n}"}) for n in range(300)))
    document["products"] = document.pop("products")
    with pytest.raises(PayloadRejected, match="terms stand before"):
        read_json(document)
    with pytest.raises(PayloadRejected, match="no products"):
        read_json(as_json())


# --- the plan ----------------------------------------------------------------------------------------------------


def test_the_plan_is_one_list_a_region_and_regions_can_be_named():
    fetches = plan({})
    assert [f.key for f in fetches] == list(aws.REGIONS) and {"us-east-1", "us-gov-west-1"} <= set(
        aws.REGIONS
    )
    assert fetches[0].first.url == (
        "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2/current/us-east-1/index.csv"
    )
    wanted = {"ACCELMART_AWS_REGIONS": " eu-west-1, us-gov-west-1,,eu-west-1 "}
    assert [f.key for f in plan(wanted)] == ["eu-west-1", "us-gov-west-1"]
    with pytest.raises(AccelmartError, match="'ireland', which is no AWS region code"):
        plan({"ACCELMART_AWS_REGIONS": "Ireland"})
