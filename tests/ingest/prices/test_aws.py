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
import re
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import pytest
from made import parse_bytes

from ingest.core.errors import AccelmartError, PayloadRejected
from ingest.prices import aws, aws_offers
from ingest.prices.aws import parse, plan

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
    assert (from_csv.records_in, from_csv.exclusions) == (15, {aws_offers.NO_ACCELERATOR: 7})
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
    assert from_json.exclusions == from_csv.exclusions | {aws_offers.NO_TYPE: 1}
    assert from_csv.rows[0].source_url.endswith("/AmazonEC2/current/us-east-1/index.csv")
    assert from_json.rows[0].source_url.endswith("/AmazonEC2/current/us-east-1/index.json")


@pytest.mark.parametrize(("region", "p4d"), [("us-west-2", 21.957640), ("eu-west-1", 23.715690)])
def test_prices_of_other_regions_are_their_own(files, region, p4d):
    rows = read((files / f"ec2_offer_{region}_excerpt.json").read_bytes(), key=region).rows
    assert {row.region for row in rows} == {region}  # the usage types begin with USW2- and EU-
    assert {row.instance_type: row.price for row in rows}["p4d.24xlarge"] == p4d


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


def test_an_archived_list_must_be_the_version_of_its_key(files):
    version = "20250918194223"
    (row,) = read(price_list(cells(), version=version), f"us-east-1@{version}").rows
    assert row.source_url.endswith(f"/AmazonEC2/{version}/us-east-1/index.csv")
    for payload in (price_list(cells()), (files / "ec2_offer_us-east-1_excerpt.json").read_bytes()):
        with pytest.raises(PayloadRejected, match="of the list, not 20000101000000"):
            read(payload, "us-east-1@20000101000000")


def test_a_region_of_30000_lines_agrees_with_its_generator(tmp_path):
    generator = bench.Generator(seed=7)
    path = tmp_path / "index.csv.gz"
    generator.write(path, 30_000)
    with gzip.open(path) as file:
        parsed = parse([("", file)], key=bench.REGION)
    assert parsed.records_in == generator.lines
    assert Counter(parsed.exclusions) == generator.exclusions
    assert (len(parsed.rows), parsed.merged, len(parsed.rejects), parsed.duplicates) == tuple(
        generator.tally[k] for k in ("offers", "merged", "rejects", "duplicates")
    )
    assert sum(r.price * 1e4 + r.upfront for r in parsed.rows) == pytest.approx(generator.money)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (WINDOWS | {"License Model": "License Included - Infrastructure"}, aws_offers.LICENCE),
        ({"operation": "RunInstances:0004"}, aws_offers.OTHER_OPERATION),
        ({"operation": "RunInstances:CB"}, aws_offers.OTHER_OPERATION),
        ({"MarketOption": "Spot"}, aws_offers.OTHER_MARKET),
        (BLOCK | {"TermType": "Reserved"}, aws_offers.OTHER_MARKET),
        ({"Product Family": "Dedicated Host"}, aws_offers.NOT_AN_INSTANCE),
        ({"Instance Type": "", "Region Code": "", "EndingRange": "750", "PricePerUnit": "0.0"}, aws_offers.NO_TYPE),
        ({"Instance Type": "f2.48xlarge", "Instance Family": "FPGA Instances", "GPU": ""}, aws_offers.FPGA_OR_MEDIA),
        ({"Instance Type": "vt1.24xlarge", "Instance Family": "Media Accelerator Instances"}, aws_offers.FPGA_OR_MEDIA),
        ({"Instance Type": "infra.large", "Instance Family": "General purpose", "GPU": "0"}, aws_offers.NO_ACCELERATOR),
    ],
)  # fmt: skip
def test_what_is_no_plain_price_of_accelerators(change, reason):
    parsed = between_two_good(cells(change))
    assert (parsed.rows, parsed.rejects, parsed.exclusions) == ([], [], {reason: 1})


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
    ],
)  # fmt: skip
def test_what_is_one(change, expected):
    parsed = between_two_good(cells(change))
    (row,) = parsed.rows
    given = {"price": 55.04, "pricing_model": "on_demand", "operating_system": "linux"} | expected
    assert {name: getattr(row, name) for name in given} == given and not parsed.warnings


def test_a_count_that_is_none_is_unknown_and_warned_of_once():
    parsed = read(price_list(cells({"GPU": "0"}), cells({"GPU": "0"}, WINDOWS, {"SKU": "B"})))
    assert [row.accelerator_count for row in parsed.rows] == [None, None]
    assert ["GPU '0'" in warning.problem for warning in parsed.warnings] == [True]


def test_a_capacity_block_is_recognised_without_the_column_market_option():
    lines = price_list(cells(), cells({"operation": "RunInstances:CB", "SKU": "B", "PricePerUnit": "1.00"}))
    parsed = read(lines.replace(b'"MarketOption"', b'"Another"').replace(b'"CapacityBlock"', b""))
    assert [row.price for row in parsed.rows] == [55.04]
    assert parsed.exclusions == {aws_offers.OTHER_OPERATION: 1}


def test_a_rate_holds_from_its_effective_date():
    later = {"PricePerUnit": "44.0000000000", "EffectiveDate": "2027-02-01"}
    parsed = read(price_list(cells(), cells(later), cells(G6, {"EffectiveDate": "soon"})))
    starts = {row.price: f"{row.starts_at:%Y-%m-%d}" for row in parsed.rows}
    assert starts == {55.04: "2026-09-01", 44.0: "2027-02-01"}
    assert ["'soon'" in str(reject) for reject in parsed.rejects] == [True]


def reservation(option, hourly, fee, **more):
    """The lines of one reservation; None leaves a line out."""
    terms = RESERVED | {"PurchaseOption": option} | more
    lines = ((hourly, {}), (fee, FEE))
    return [cells(terms, of, {"PricePerUnit": price}) for price, of in lines if price is not None]


@pytest.mark.parametrize("lease", [("1yr", "reserved_1y", 8_760), ("3yr", "reserved_3y", 26_280)])
@pytest.mark.parametrize(
    ("option", "hourly", "fee"),
    [
        ("No Upfront", "30.0000000000", None),
        ("Partial Upfront", "10.0000000000", "262800"),
        ("All Upfront", "0.0000000000", "525600"),
    ],
)
def test_every_way_to_pay_is_one_offer(lease, option, hourly, fee):
    length, model, hours = lease
    terms = {"LeaseContractLength": length, "OfferingClass": "convertible"}
    parsed = between_two_good(*reservation(option, hourly, fee, **terms))
    (row,) = parsed.rows
    assert (row.price, row.upfront, row.term_hours) == (float(hourly), float(fee or 0), hours)
    assert (row.pricing_model, row.purchase_option) == (model, f"convertible, {option}")
    assert parsed.merged == (0 if fee is None else 1)


PARTIAL = reservation("Partial Upfront", "10.0000000000", "1")


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (reservation("Partial Upfront", "10.0000000000", None), "without its upfront fee"),
        (reservation("All Upfront", None, "525600"), "no hourly rate"),
        (reservation("No Upfront", "30.0000000000", "100"), "No Upfront at 30 an hour and 100 upfront"),
        (reservation("Partial Upfront", "10.0000000000", "0"), "Partial Upfront at 10 an hour and 0 upfront"),
        (reservation("Partial Upfront", "10.0000000000", "much"), "'much' is no number"),
        (reservation("Heavy Utilization", "10.0000000000", "262800"), "'Heavy Utilization'"),
        (
            reservation("No Upfront", "30.0000000000", None, LeaseContractLength="5yr"),
            "contract length is '5yr'",
        ),
        (reservation("No Upfront", "30.0000000000", None, OfferingClass=""), "of class ''"),
        ([PARTIAL[0], PARTIAL[1] | {"Currency": "CNY"}], "currency is 'CNY'"),
        ([PARTIAL[0], PARTIAL[1] | {"LeaseContractLength": "1yr"}], "different commitments"),
        ([cells(), cells(FEE)], "on-demand rate has an upfront fee"),
        ([cells(), cells({"PricePerUnit": "1", "rate": "X"})], "several prices for one unit"),
    ],
)
def test_half_a_reservation_is_no_price(lines, problem):
    parsed = between_two_good(*lines)
    assert parsed.rows == [] and all(problem in reject.problem for reject in parsed.rejects)
    assert {r.record for r in parsed.rejects} == {f"rate code {row['RateCode']}" for row in lines}


GOOD = line(cells())


@pytest.mark.parametrize(
    "damaged",
    [
        GOOD.replace('"Linux"', '"Linux'),
        GOOD.replace('"p5.48xlarge"', '"p5.48xlarge"x'),
        GOOD[:300] + "\n",
        GOOD.replace('"8"', '"8","8"'),
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
        (b'{"offerCode": "AmazonEC2", "version": "1", "products": {}}', "no products"),
        (price_list(cells())[:-30], "cut off in line 7"),
        (price_list(), "not one row"),
    ],
)
def test_something_else_is_refused_as_a_whole(payload, problem):
    rejected = parse_bytes(aws.SOURCE, "us-east-1", payload).rejected
    assert re.search(problem, str(rejected))


def test_columns_are_found_by_name():
    order = ["SKU", *random.Random(1).sample(HEADER[1:], 90)]
    text = io.StringIO()
    csv.writer(text).writerow(cells().get(name, "") for name in order)
    assert read((above(header=order) + text.getvalue()).encode()).rows == read(price_list(cells())).rows


@pytest.fixture
def document(files):
    return json.loads((files / "ec2_offer_us-east-1_excerpt.json").read_bytes())


def read_json(document):
    return read(json.dumps(document).encode())


def test_a_reservation_in_json_is_what_it_is_in_the_csv(document):
    rates = {
        code: {"rateCode": f"{P5['SKU']}.38NPMPTW36.{code}", "unit": unit, "pricePerUnit": {"USD": price}}
        for code, unit, price in (
            ("6YS6EN2CT7", "Hrs", "10.0000000000"),
            ("2TG2D8R56U", "Quantity", "262800"),
        )
    }
    term = {"offerTermCode": "38NPMPTW36", "effectiveDate": "2026-09-01", "priceDimensions": rates}
    term["termAttributes"] = {
        n: RESERVED[n] for n in ("LeaseContractLength", "PurchaseOption", "OfferingClass")
    }
    document["terms"] = {"Reserved": {P5["SKU"]: {"x": term}}}
    (row,) = read_json(document).rows
    (of_csv,) = read(price_list(cells(RESERVED), cells(RESERVED, FEE))).rows
    assert (row.price, row.upfront, row.term_hours) == (10.0, 262800.0, 26_280)
    assert row.offer_id == of_csv.offer_id and row.record == of_csv.record


def test_broken_parts_of_json_cost_themselves_only(document):
    on_demand = document["terms"]["OnDemand"]
    a, b, c, d, e, f, *_ = skus = [
        sku
        for sku, product in document["products"].items()
        if product["attributes"].get("gpu") and sku in on_demand and sku != BLOCK["SKU"]
    ]
    whole = read_json(document)
    document["products"][a] = "nothing"
    del document["products"][b]
    on_demand[c] = []
    on_demand[d][f"{d}.JRTCKXETXF"]["priceDimensions"] = None
    on_demand[e][f"{e}.JRTCKXETXF"]["priceDimensions"] = {f"{e}.JRTCKXETXF.6YS6EN2CT7": {}}
    del on_demand[f]
    parsed = read_json(document)
    assert [row.record for row in parsed.rows] == [f"rate code {s}.JRTCKXETXF.6YS6EN2CT7" for s in skus[6:]]
    assert parsed.exclusions == whole.exclusions | {aws_offers.NO_PRICE: 1}
    assert [r.record for r in parsed.rejects if BLOCK["SKU"] not in r.record] == [
        f"rate code {a}.JRTCKXETXF.6YS6EN2CT7",
        f"rate code {b}.JRTCKXETXF.6YS6EN2CT7",
        f"terms.OnDemand.{c}",
        f"terms.OnDemand.{d}.JRTCKXETXF",
        f"rate code {e}.JRTCKXETXF.6YS6EN2CT7",
    ]


@pytest.mark.parametrize(
    ("prices", "taken"),
    [({"CNY": "400.00", "USD": "55.04"}, ("USD", 55.04)), ({"CNY": "400.00"}, ("CNY", 400))],
)
def test_us_dollars_are_taken_wherever_they_stand(document, prices, taken):
    (term,) = document["terms"]["OnDemand"][P5["SKU"]].values()
    (rate,) = term["priceDimensions"].values()
    rate["pricePerUnit"] = prices
    assert taken in {(r.currency, r.price) for r in read_json(document).rows}


def test_a_cut_damaged_or_disordered_document_is_refused(document):
    whole = json.dumps(document).encode()
    for at in range(1, len(whole), 997):
        with pytest.raises(PayloadRejected):
            read(whole[:at])
    with pytest.raises(PayloadRejected, match="cannot be read"):
        read(whole.replace(b'"unit": "Hrs"', b'"unit": Hrs'))
    document["products"] = document.pop("products")
    document["terms"]["OnDemand"] |= {f"X{n}": {} for n in range(20_000)}  # read in blocks
    with pytest.raises(PayloadRejected, match="terms stand before"):
        read_json(document)


def test_the_plan_is_one_list_a_region_and_regions_can_be_named():
    fetches = plan({})
    assert [f.key for f in fetches] == list(aws.REGIONS) and "us-gov-west-1" in aws.REGIONS
    wanted = {"ACCELMART_AWS_REGIONS": " eu-west-1, us-gov-west-1,,eu-west-1 "}
    assert [f.key for f in plan(wanted)] == ["eu-west-1", "us-gov-west-1"]
    with pytest.raises(AccelmartError, match="'ireland', which is no AWS region code"):
        plan({"ACCELMART_AWS_REGIONS": "Ireland"})
