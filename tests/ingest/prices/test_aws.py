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
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.core.errors import AccelmartError, PayloadRejected
from ingest.prices import aws, aws_offers
from ingest.prices.aws import check, parse, plan
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


def read(payload, key="us-east-1", member=""):
    return parse([(member, io.BytesIO(payload))], key=key).checked(key)


def between_two_good(*rows, good=(G6, G5)):
    """What comes of records that stand between two good ones, which must survive."""
    first, last = (cells(change) for change in good)
    parsed = read(price_list(first, *rows, last))
    kept = {
        row.instance_type: row.price
        for row in parsed.rows
        if row.instance_type in ("g6.xlarge", "g5.2xlarge")
    }
    assert kept == {"g6.xlarge": 0.8048, "g5.2xlarge": 1.212}
    parsed.rows = [row for row in parsed.rows if row.instance_type not in kept]
    return parsed


def published(path):
    """The records of a real CSV list, read by the csv module alone."""
    with path.open(newline="") as file:
        return list(csv.DictReader(list(file)[5:]))


@pytest.fixture(scope="module")
def files(price_data):
    return price_data / "aws"


@pytest.fixture(scope="module")
def us_east_1_csv(files):
    return read((files / "ec2_offer_us-east-1_excerpt.csv").read_bytes())


@pytest.fixture(scope="module")
def us_east_1_json(files):
    return read((files / "ec2_offer_us-east-1_excerpt.json").read_bytes())


def linux_prices(parsed):
    assert all(row.operating_system == "linux" and row.pricing_model == "on_demand" for row in parsed.rows)
    return {row.instance_type: row.price for row in parsed.rows}


class TestTheRealFiles:
    def test_us_east_1_has_the_seven_published_prices(self, us_east_1_csv):
        assert linux_prices(us_east_1_csv) == {
            "g4dn.xlarge": 0.526, "g5.2xlarge": 1.212, "g6.xlarge": 0.8048, "inf2.xlarge": 0.7582,
            "p4d.24xlarge": 21.957642, "p5.48xlarge": 55.04, "trn1.32xlarge": 21.5,
        }  # fmt: skip
        assert us_east_1_csv.records_in == 15
        assert us_east_1_csv.left_out == {aws_offers.NO_ACCELERATOR: 7}

    def test_rows_say_what_the_file_says(self, us_east_1_csv, files):
        said = {r["RateCode"]: r for r in published(files / "ec2_offer_us-east-1_excerpt.csv")}
        for row in us_east_1_csv.rows:
            upstream = said[row.record.removeprefix("rate code ")]
            assert row.price_published == upstream["PricePerUnit"] and row.price == float(
                upstream["PricePerUnit"]
            )
            assert row.instance_type == upstream["Instance Type"] and row.region == upstream["Region Code"]
            assert row.accelerator_count == int(upstream["GPU"]) and row.vcpus == int(upstream["vCPU"])
            assert f"{row.memory_gb:g} GiB" == upstream["Memory"]
            assert upstream["GPU Memory"] in row.accelerator_published
            assert upstream["Instance Family"] in row.accelerator_published
            assert (row.currency, row.price_unit, row.provider_published) == ("USD", "instance_hour", "aws")
            assert (row.observed_at, row.upfront, row.term_hours, row.purchase_option) == (
                None,
                0.0,
                None,
                None,
            )

    def test_csv_and_json_give_the_same_offers(self, us_east_1_csv, us_east_1_json):
        def without_url(parsed):
            return [asdict(row) | {"source_url": ""} for row in parsed.rows]

        assert without_url(us_east_1_csv) == without_url(us_east_1_json)
        assert [str(r) for r in us_east_1_csv.rejects] == [str(r) for r in us_east_1_json.rejects]
        # the free tier is in the JSON only
        assert us_east_1_json.left_out == us_east_1_csv.left_out | {aws_offers.NO_TYPE: 1}
        assert us_east_1_csv.rows[0].source_url == (
            "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2/current/us-east-1/index.csv"
        )
        assert us_east_1_json.rows[0].source_url.endswith("/current/us-east-1/index.json")

    def test_the_free_capacity_block_is_no_price(self, us_east_1_csv):
        (reject,) = us_east_1_csv.rejects
        assert (
            "5Q7AP3RH7KTVUNCJ" in reject.record and "capacity block price is 0.0000000000" in reject.problem
        )
        assert reject.payload == "us-east-1"
        assert all(row.price > 0 for row in us_east_1_csv.rows)

    @pytest.mark.parametrize(
        ("region", "p4d", "g4dn"), [("us-west-2", 21.957640, 0.526), ("eu-west-1", 23.715690, 0.587)]
    )
    def test_prices_of_other_regions_are_their_own(self, files, region, p4d, g4dn):
        parsed = read((files / f"ec2_offer_{region}_excerpt.json").read_bytes(), key=region)
        assert {row.region for row in parsed.rows} == {region}  # the usage types begin with USW2- and EU-
        prices = linux_prices(parsed)
        assert (prices["p4d.24xlarge"], prices["g4dn.xlarge"]) == (p4d, g4dn)
        assert not parsed.rejects and parsed.left_out == {aws_offers.NO_ACCELERATOR: 1}

    def test_a_reserved_rate_and_its_upfront_fee_are_one_offer(self, files):
        rows = published(files / "ec2_index_csv_head.csv")
        ours = {"Tenancy": "Shared", "Pre Installed S/W": "NA", "operation": "RunInstances:0002",
                "Instance Type": "p5.48xlarge", "Instance Family": "GPU instance", "GPU": "8"}  # fmt: skip
        parsed = read(price_list(*(row | ours for row in rows)), key="ap-northeast-1")
        (offer,) = parsed.rows
        assert (parsed.records_in, parsed.merged, parsed.rejects) == (2, 1, [])
        assert (offer.price, offer.upfront, offer.term_hours) == (0.10463, 2750.0, 26_280.0)
        assert (offer.pricing_model, offer.purchase_option) == ("reserved_3y", "standard, Partial Upfront")
        assert (offer.operating_system, offer.region) == ("windows", "ap-northeast-1")
        assert offer.price_published == "0.1046300000 Hrs + 2750 Quantity"
        assert all(row["RateCode"] in offer.record for row in rows)
        # the two lines as they stand: SQL Server on a dedicated CPU instance
        assert read(price_list(*rows)).left_out == {aws_offers.NO_ACCELERATOR: 2}

    def test_the_synthetic_layout_is_the_true_one(self, files):
        for name in ("ec2_index_csv_head.csv", "ec2_offer_us-east-1_excerpt.csv"):
            true = (files / name).read_bytes()
            assert next(csv.reader([true.splitlines()[5].decode()])) == HEADER
        p5 = next(line for line in true.decode().splitlines(keepends=True) if "3D4V8UAYEMB38GU2" in line)
        mine = next(csv.reader([line_of_p5]))
        assert [
            (name, a, b) for name, a, b in zip(HEADER, next(csv.reader([p5])), mine, strict=True) if a != b
        ] == []

    def test_the_june_2025_cut(self, price_data):
        """Archived versions carry their own time; prices as transcribed from the archive."""
        with (price_data / "history" / "aws_us_east_1_ondemand_by_price_list_version.csv").open() as file:
            history = [r for r in csv.DictReader(file) if r["instance_type"] == "p5.48xlarge"]
        for said in history:
            version, price = said["price_list_version"], said["price_usd_per_instance_hr"]
            (row,) = read(
                price_list(cells({"PricePerUnit": price}), version=version), key=f"us-east-1@{version}"
            ).rows
            assert row.observed_at == datetime.strptime(version + "+0000", "%Y%m%d%H%M%S%z")
            assert row.price == (98.32 if version < "20250601000000" else 55.04)
            assert row.source_url.endswith(f"/AmazonEC2/{version}/us-east-1/index.csv")


line_of_p5 = line(cells())


class TestWhatIsLeftOut:
    def test_windows_comes_three_ways_and_one_is_a_price(self):
        parsed = read(
            price_list(
                cells(WINDOWS, {"SKU": "A", "PricePerUnit": "63.8720000000"}),
                cells(WINDOWS, {"SKU": "B", "License Model": "Bring your own license",
                                "operation": "RunInstances:0800"}),
                cells(WINDOWS, {"SKU": "C", "License Model": "License Included - Infrastructure",
                                "operation": "RunInstances:0002:box"}),
            )
        )  # fmt: skip
        ((row,), left_out) = parsed.rows, parsed.left_out
        assert (row.operating_system, row.price) == ("windows", 63.872)
        assert left_out == {aws_offers.LICENCE: 2}

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ({"Pre Installed S/W": "SQL Std", "operation": "RunInstances:0004"}, aws_offers.SOFTWARE),
            ({"Tenancy": "Dedicated", "usageType": "DedicatedUsage:p5.48xlarge"}, aws_offers.NOT_SHARED),
            ({"Tenancy": "Host"}, aws_offers.NOT_SHARED),
            ({"CapacityStatus": "UnusedCapacityReservation"}, aws_offers.RESERVATION),
            ({"CapacityStatus": "AllocatedCapacityReservation"}, aws_offers.RESERVATION),
            ({"Operating System": "RHEL", "operation": "RunInstances:0010"}, aws_offers.OTHER_SYSTEM),
            ({"Operating System": "SUSE"}, aws_offers.OTHER_SYSTEM),
            ({"License Model": "Bring your own license"}, aws_offers.LICENCE),
            ({"operation": "RunInstances:0004"}, aws_offers.OTHER_OPERATION),
            ({"operation": "RunInstances:CB"}, aws_offers.OTHER_OPERATION),
            ({"MarketOption": "Spot"}, aws_offers.OTHER_MARKET),
            ({"MarketOption": "CapacityBlock", "operation": "RunInstances:CB", "TermType": "Reserved"}, aws_offers.OTHER_MARKET),
            ({"Location Type": "AWS Local Zone"}, aws_offers.NO_REGION_OFFER),
            ({"Product Family": "Dedicated Host"}, aws_offers.NOT_AN_INSTANCE),
            ({"Product Family": "Storage"}, aws_offers.NOT_AN_INSTANCE),
            ({"Instance Type": "", "Region Code": "", "EndingRange": "750", "PricePerUnit": "0.0000000000"}, aws_offers.NO_TYPE),
            ({"Instance Type": "f2.48xlarge", "Instance Family": "FPGA Instances", "GPU": ""}, aws_offers.FPGA_OR_MEDIA),
            ({"Instance Type": "vt1.24xlarge", "Instance Family": "Media Accelerator Instances"}, aws_offers.FPGA_OR_MEDIA),
            ({"Instance Type": "m5.xlarge", "Instance Family": "General purpose", "GPU": ""}, aws_offers.NO_ACCELERATOR),
            ({"Instance Type": "infra.large", "Instance Family": "General purpose", "GPU": "0"}, aws_offers.NO_ACCELERATOR),
        ],
    )  # fmt: skip
    def test_what_is_no_plain_price_of_accelerators(self, change, reason):
        parsed = between_two_good(cells(change))
        assert (parsed.rows, parsed.rejects, parsed.left_out) == ([], [], {reason: 1})

    @pytest.mark.parametrize(
        "change",
        [
            {"License Model": "No License Required"},
            {"Product Family": "Compute Instance (bare metal)", "Instance Type": "g4dn.metal"},
            {"Instance Type": "trn1.32xlarge", "Instance Family": "Machine Learning ASIC Instances"},
            {"Instance Type": "trn3.48xlarge", "Instance Family": "Something new", "GPU": ""},
            {"Instance Type": "inf1.xlarge", "Instance Family": "Something new", "GPU": ""},
            {"Instance Type": "dl1.24xlarge", "Instance Family": "Something new", "GPU": ""},
            {"Instance Family": "Something new"},  # GPU says 8
            {"GPU": "", "GPU Memory": ""},  # the family says GPU instance
        ],
    )
    def test_what_is_one(self, change):
        (row,) = between_two_good(cells(change)).rows
        assert (row.price, row.instance_type) == (55.04, change.get("Instance Type", "p5.48xlarge"))


class TestRates:
    def test_a_capacity_block_with_a_price_is_one(self):
        block = {
            "MarketOption": "CapacityBlock",
            "operation": "RunInstances:CB",
            "PricePerUnit": "31.4640000000",
        }
        on_demand, blocked = read(price_list(cells(), cells(block, {"SKU": "5Q7AP3RH7KTVUNCJ"}))).rows
        assert (on_demand.pricing_model, blocked.pricing_model) == ("on_demand", "capacity_block")
        assert (blocked.price, blocked.term_hours) == (31.464, None)
        assert on_demand.offer_id != blocked.offer_id

    def test_without_the_column_market_option_a_capacity_block_is_still_told_apart(self):
        lines = price_list(
            cells(), cells({"operation": "RunInstances:CB", "SKU": "B", "PricePerUnit": "1.00"})
        )
        old = lines.replace(b'"MarketOption"', b'"MarketOptionOfOld"').replace(b'"CapacityBlock"', b"")
        parsed = read(old)
        assert [row.price for row in parsed.rows] == [55.04] and parsed.left_out == {
            aws_offers.OTHER_OPERATION: 1
        }

    def test_one_offer_under_two_skus_with_two_prices_is_none(self):
        parsed = read(
            price_list(cells(), cells({"PricePerUnit": "98.3200000000", "SKU": "OTHER"}), cells(G6))
        )
        assert [row.instance_type for row in parsed.rows] == ["g6.xlarge"] and len(parsed.rejects) == 2

    @pytest.mark.parametrize(
        ("gpu", "memory", "count", "of_one"),
        [("0.125", "3 GB", 0.125, 24.0), ("1", "3 GB", 1.0, 3.0), ("8", "640 GB HBM3", 8.0, 80.0),
         ("8", "NA", 8.0, None), ("8", "1,024 GB", 8.0, 128.0)],
    )  # fmt: skip
    def test_counts_are_as_stated_fractions_too(self, gpu, memory, count, of_one):
        change = {"Instance Type": "g6f.large", "GPU": gpu, "GPU Memory": memory}
        parsed = read(price_list(cells(change)))
        assert (parsed.rows[0].accelerator_count, parsed.rows[0].accelerator_memory_gb) == (count, of_one)
        assert parsed.remarks == []

    @pytest.mark.parametrize("gpu", ["0", "eight", "-1"])
    def test_a_count_that_is_none_is_unknown_and_remarked_once(self, gpu):
        change = {"Instance Type": "g6f.large", "GPU": gpu}
        parsed = read(price_list(cells(change), cells(change, WINDOWS, {"SKU": "B"})))
        assert [row.accelerator_count for row in parsed.rows] == [None, None]
        (remark,) = parsed.remarks
        assert f"GPU {gpu!r}" in remark.problem


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


class TestReservations:
    @pytest.mark.parametrize("lease", [("1yr", "reserved_1y", 8_760), ("3yr", "reserved_3y", 26_280)])
    @pytest.mark.parametrize("offering_class", ["standard", "convertible"])
    @pytest.mark.parametrize(
        ("option", "hourly", "fee"),
        [("No Upfront", "30.0000000000", None), ("Partial Upfront", "10.0000000000", "262800"),
         ("All Upfront", "0.0000000000", "525600")],
    )  # fmt: skip
    def test_every_way_to_pay_is_one_offer(self, lease, offering_class, option, hourly, fee):
        length, model, hours = lease
        parsed = between_two_good(*reservation(option, hourly, fee, length, offering_class))
        (row,) = parsed.rows
        assert (row.price, row.upfront, row.term_hours) == (float(hourly), float(fee or 0), hours)
        assert (row.pricing_model, row.purchase_option) == (model, f"{offering_class}, {option}")
        assert parsed.merged == (0 if fee is None else 1)
        assert row.accelerator_count == 8

    def test_they_are_joined_wherever_their_lines_stand(self):
        rows = [
            *reservation("Partial Upfront", "10.0000000000", "262800"),
            *({**row, "OfferTermCode": "Z", "RateCode": row["RateCode"].replace("38NPMPTW36", "Z")}
              for row in reservation("All Upfront", "0.0000000000", "525600")),
            cells(), cells(G6), cells(G5),
        ]  # fmt: skip
        found = set()
        for seed in range(20):
            shuffled = random.Random(seed).sample(rows, len(rows))
            found.add(frozenset((r.offer_id, r.price, r.upfront) for r in read(price_list(*shuffled)).rows))
        (offers,) = found
        assert {(price, fee) for _, price, fee in offers} == {
            (10.0, 262800.0), (0.0, 525600.0), (55.04, 0.0), (0.8048, 0.0), (1.212, 0.0)
        }  # fmt: skip

    @pytest.mark.parametrize(
        ("lines", "problem"),
        [
            (reservation("Partial Upfront", "10.0000000000", None), "Partial Upfront without its upfront fee"),
            (reservation("All Upfront", "0.0000000000", None), "All Upfront without its upfront fee"),
            (reservation("Partial Upfront", None, "262800"), "upfront fee and no hourly rate"),
            (reservation("All Upfront", None, "525600"), "upfront fee and no hourly rate"),
            (reservation("No Upfront", "30.0000000000", "100"), "No Upfront at 30 an hour and 100 upfront"),
            (reservation("No Upfront", "0.0000000000", None), "No Upfront at 0 an hour and 0 upfront"),
            (reservation("Partial Upfront", "10.0000000000", "0"), "Partial Upfront at 10 an hour and 0 upfront"),
            (reservation("Partial Upfront", "0.0000000000", "262800"), "Partial Upfront at 0 an hour"),
            (reservation("All Upfront", "0.0000000000", "0"), "All Upfront at 0 an hour and 0 upfront"),
            (reservation("All Upfront", "1.0000000000", "525600"), "All Upfront at 1 an hour"),
            (reservation("Partial Upfront", "ten", "262800"), "'ten' is no number"),
            (reservation("Partial Upfront", "10.0000000000", "much"), "'much' is no number"),
            (reservation("Heavy Utilization", "10.0000000000", "262800"), "'Heavy Utilization'"),
            (reservation("No Upfront", "30.0000000000", None, lease="5yr"), "contract length is '5yr'"),
            (reservation("No Upfront", "30.0000000000", None, offering_class=""), "of class ''"),
            ([reservation("Partial Upfront", "10.0000000000", "1")[0],
              reservation("Partial Upfront", "10.0000000000", "1")[1] | {"Currency": "CNY"}], "currency is 'CNY'"),
            ([reservation("Partial Upfront", "10.0000000000", "1")[0],
              reservation("Partial Upfront", "10.0000000000", "1", lease="1yr")[1]], "different commitments"),
        ],
    )  # fmt: skip
    def test_half_a_reservation_is_no_price(self, lines, problem):
        parsed = between_two_good(*lines)
        assert parsed.rows == [] and len(parsed.rejects) == len(lines)
        assert all(problem in reject.problem for reject in parsed.rejects)
        assert {reject.record for reject in parsed.rejects} == {
            f"rate code {row['RateCode']}" for row in lines
        }


class TestDamage:
    good = line_of_p5

    @pytest.mark.parametrize(
        "damaged",
        [
            good.replace('"Linux"', '"Linux'),
            good.replace('"Linux"', 'Linux"'),
            good.replace('"Linux"', '"Li"nux"'),
            good.replace('"p5.48xlarge"', '"p5.48xlarge"x'),
            good.replace(',"true"\n', ',"true\n'),
            good.replace('"3D4V', '3D4V"', 1),
            good[:300] + "\n",
            good.replace("\n", ',"and more"\n'),
            good.replace('"8"', '"8","8"'),
            "<html><body>503</body></html>\n",
            '"\n',
            good.replace("p5.48xlarge", "p5.\ufffd48xlarge"),
        ],
    )
    def test_a_damaged_line_costs_itself_only(self, damaged):
        (reject,) = between_two_good(damaged).rejects
        assert reject.record == "line 8" and reject.remedy

    def test_the_line_of_a_damaged_record_is_counted_over_line_ends_in_fields(self):
        damaged = self.good[:300] + "\n"
        parsed = between_two_good("\n", cells({"Group Description": "one\ntwo"}), damaged)
        assert [r.record for r in parsed.rejects] == ["line 11"]
        assert parsed.records_in == 4  # the empty line is none

    @settings(max_examples=50, deadline=None)
    @given(st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\ufffd"), max_size=80))
    def test_any_text_may_stand_in_a_description(self, text):
        description = {"PriceDescription": text, "Group Description": text, "Disclaimer": text}
        parsed = read(price_list(cells(G6), cells(description), cells(G5)))
        assert [row.price for row in parsed.rows] == [0.8048, 55.04, 1.212] and not parsed.rejects

    @pytest.mark.parametrize(
        ("payload", "problem"),
        [
            (price_list(cells(), offer="AmazonRDS"), "offer code is 'AmazonRDS'"),
            (price_list(cells()).replace(b'"MarketOption"', b'"PricePerUnit"'), "says PricePerUnit twice"),
            (b'{"offerCode": "AmazonS3", "version": "1", "products": {}}', "offer code is 'AmazonS3'"),
        ],
    )  # fmt: skip
    def test_something_else_is_refused_as_a_whole(self, payload, problem):
        for judge in (read, lambda data: check(io.BytesIO(data))):
            with pytest.raises(PayloadRejected, match=problem):
                judge(payload)

    @pytest.mark.parametrize(
        "column",
        ["CapacityStatus", "Currency", "EffectiveDate", "EndingRange", "GPU", "Instance Family", "Instance Type",
         "LeaseContractLength", "License Model", "Location Type", "Memory", "OfferTermCode", "OfferingClass",
         "Operating System", "Pre Installed S/W", "PricePerUnit", "Product Family", "PurchaseOption", "RateCode",
         "Region Code", "SKU", "StartingRange", "Tenancy", "TermType", "Unit", "operation", "vCPU"],
    )  # fmt: skip
    def test_a_renamed_column_stops_the_list(self, column):
        payload = price_list(cells(), header=["renamed" if name == column else name for name in HEADER])
        with pytest.raises(PayloadRejected):
            read(payload)

    def test_columns_are_found_by_name(self):
        order = ["SKU", *random.Random(1).sample(HEADER[1:], 90)]
        text = io.StringIO()
        csv.writer(text).writerow(cells().get(name, "") for name in order)
        payload = above(header=order).encode() + text.getvalue().encode()
        plain = read(price_list(cells()))
        assert read(payload).rows == plain.rows and plain.rows


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


def read_json(document, key="us-east-1"):
    return read(json.dumps(document).encode(), key)


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


class TestJson:
    def test_it_gives_what_the_csv_gives(self):
        rows = [
            cells(G6), cells(), cells(WINDOWS, {"SKU": "W", "PricePerUnit": "63.872"}), cells({"SKU": "D", "Tenancy": "Dedicated"}),
            cells({"SKU": "M", "Instance Type": "m5.xlarge", "Instance Family": "General purpose", "GPU": ""}),
            cells({"SKU": "Z", "MarketOption": "CapacityBlock", "operation": "RunInstances:CB", "PricePerUnit": "0.0000000000"}),
            *reservation("Partial Upfront", "10.0000000000", "262800"),
            *({**row, "OfferTermCode": "H", "RateCode": row["RateCode"].replace("38NPMPTW36", "H")}
              for row in reservation("All Upfront", "0.0000000000", None)),
        ]  # fmt: skip
        from_csv, from_json = read(price_list(*rows)), read_json(as_json(*rows))
        assert len(from_csv.rows) == 4 and len(from_csv.rejects) == 2
        assert [asdict(r) | {"source_url": ""} for r in from_csv.rows] == [
            asdict(r) | {"source_url": ""} for r in from_json.rows
        ]
        assert [str(r) for r in from_csv.rejects] == [str(r) for r in from_json.rejects]
        assert (from_csv.left_out, from_csv.records_in) == (from_json.left_out, from_json.records_in)

    def test_broken_parts_cost_themselves_only(self):
        document = as_json(cells(G6), *(cells({"SKU": s}) for s in "ABCDE"), cells(G5))
        document["products"]["A"] = "nothing"
        del document["products"]["B"]
        document["terms"]["OnDemand"]["C"] = []
        document["terms"]["OnDemand"]["D"]["D.JRTCKXETXF"]["priceDimensions"] = None
        document["terms"]["OnDemand"]["E"]["E.JRTCKXETXF"]["priceDimensions"]["E.JRTCKXETXF.6YS6EN2CT7"] = {}
        parsed = read_json(document)
        assert [row.instance_type for row in parsed.rows] == ["g6.xlarge", "g5.2xlarge"]
        assert [(r.record, r.problem.split(":")[-1].strip()) for r in parsed.rejects] == [
            ("rate code A.JRTCKXETXF.6YS6EN2CT7", "the product of SKU A is unreadable"),
            ("rate code B.JRTCKXETXF.6YS6EN2CT7", "the product of SKU B is absent"),
            ("terms.OnDemand.C", "no price can be read here"),
            ("terms.OnDemand.D.JRTCKXETXF", "no price can be read here"),
            ("rate code E.JRTCKXETXF.6YS6EN2CT7", "no price can be read here"),
        ]

    def test_us_dollars_are_taken_wherever_they_stand(self):
        document = as_json(cells(), cells(G6, {"Currency": "CNY"}))
        (term,) = document["terms"]["OnDemand"]["3D4V8UAYEMB38GU2"].values()
        (rate,) = term["priceDimensions"].values()
        rate["pricePerUnit"] = {"CNY": "400.00", "USD": "55.04"}
        assert [(row.currency, row.price) for row in read_json(document).rows] == [
            ("USD", 55.04),
            ("CNY", 0.8048),
        ]

    def test_a_product_without_terms_is_counted(self):
        document = as_json(cells(G6), cells())
        del document["terms"]["OnDemand"]["3D4V8UAYEMB38GU2"]
        parsed = read_json(document)
        assert (len(parsed.rows), parsed.left_out, parsed.records_in) == (1, {aws_offers.NO_PRICE: 1}, 2)

    def test_a_cut_or_damaged_document_is_refused(self):
        whole = json.dumps(
            as_json(cells(G6), *reservation("Partial Upfront", "10.0000000000", "262800"))
        ).encode()
        for at in range(1, len(whole), 7):
            with pytest.raises(PayloadRejected):
                read(whole[:at])
        with pytest.raises(PayloadRejected, match="cut off"):
            read(whole[:-1])
        with pytest.raises(PayloadRejected, match="cannot be read"):
            read(whole.replace(b'"unit": "Hrs"', b'"unit": Hrs'))
        with pytest.raises(PayloadRejected, match="cut off"):
            check(io.BytesIO(whole[:-200]))
        check(io.BytesIO(whole))
        check(io.BytesIO(b"\xef\xbb\xbf" + whole))
        assert read(b"\xef\xbb\xbf" + whole).rows == read(whole).rows

    def test_terms_before_products_are_refused_not_misread(self):
        document = as_json(*(cells({"SKU": f"S{n}"}) for n in range(300)))
        document["products"] = document.pop("products")
        assert len(json.dumps(document["terms"])) > 1 << 16
        with pytest.raises(PayloadRejected, match="terms stand before"):
            read_json(document)
        with pytest.raises(PayloadRejected, match="no products"):
            read_json(as_json())


class TestKeysAndPlan:
    def test_a_version_of_another_time_is_refused(self):
        for payload in (price_list(cells()), json.dumps(as_json(cells())).encode()):
            (row,) = read(payload, "us-east-1@20260910195514").rows
            assert row.observed_at == datetime(2026, 9, 10, 19, 55, 14, tzinfo=UTC)
            with pytest.raises(
                PayloadRejected, match="version 20260910195514 of the list, not 20240205184227"
            ):
                read(payload, "us-east-1@20240205184227")

    @pytest.mark.parametrize(
        "key", ["", "global", "us-east-1@", "us-east-1@2024", "us-east-1@20241399184227", "a/../b"]
    )
    def test_a_key_that_is_none_is_refused(self, key):
        with pytest.raises(AccelmartError, match=r"is no key|is no time"):
            read(price_list(cells(), version="20241399184227"), key)

    def test_the_plan_is_one_list_a_region(self):
        fetches = plan({})
        assert [f.key for f in fetches] == list(aws.REGIONS) and len({f.key for f in fetches}) == len(fetches)
        assert {"us-east-1", "eu-west-1", "ap-northeast-1", "us-gov-west-1"} <= {f.key for f in fetches}
        assert fetches[0].first.url == (
            "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2/current/us-east-1/index.csv"
        )
        assert all(f.follow is None and f.first.json is None and not f.first.headers for f in fetches)

    def test_the_regions_can_be_named(self):
        wanted = {"ACCELMART_AWS_REGIONS": " eu-west-1, us-gov-west-1,,eu-west-1 "}
        assert [f.key for f in plan(wanted)] == ["eu-west-1", "us-gov-west-1"]
        assert len(plan({"ACCELMART_AWS_REGIONS": " "})) == len(aws.REGIONS)
        with pytest.raises(AccelmartError, match="'ireland', which is no AWS region code"):
            plan({"ACCELMART_AWS_REGIONS": "Ireland"})


class TestCheck:
    def test_a_cut_list_is_refused(self):
        whole = price_list(*(cells({"SKU": f"SKU{n}"}) for n in range(200)))
        assert len(whole) > 1 << 16
        check(io.BytesIO(whole))
        for at in (len(whole) - 30, len(whole) - 300, len(whole) - 100_000, 4000):
            with pytest.raises(PayloadRejected, match="record is not whole"):
                check(io.BytesIO(whole[:at]))

    def test_it_reads_the_two_ends_only(self):
        class Counting(io.BytesIO):
            done = 0

            def read(self, size=-1):
                data = super().read(size)
                self.done += len(data)
                return data

        file = Counting(price_list(*(cells({"SKU": f"SKU{n}"}) for n in range(2000))))
        check(file)
        assert file.done <= 2 << 16 < len(file.getvalue())

    def test_a_list_without_records_is_refused(self):
        with pytest.raises(PayloadRejected, match="first record is not whole: there is none"):
            check(io.BytesIO(price_list()))


class TestStreams:
    def test_a_region_of_30000_lines_agrees_with_its_generator(self, tmp_path):
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
