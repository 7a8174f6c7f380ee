"""SkyPilot catalogs: the stored real files, read here by `csv` alone, and each cloud's habits."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime

import pytest
from made import parse_bytes

from ingest.core.errors import PayloadRejected
from ingest.prices.skypilot import SOURCE, parse, plan

HEADER = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice"
ZONED = "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,SpotPrice"
H100 = "\"{'Gpus': [{'Name': 'H100', 'Manufacturer': 'NVIDIA', 'Count': 8, 'MemoryInfo': {'SizeInMiB': 81920}}]}\""


def read(*lines, key="nebius", header=HEADER):
    payload = "\r\n".join([header, *lines]).encode()
    return parse([("", io.BytesIO(payload))], key=key)


def line(**cells):
    row = {
        "InstanceType": "g8", "AcceleratorName": "H100", "AcceleratorCount": "8", "vCPUs": "128", "MemoryGiB": "1600",
        "Price": "23.60", "Region": "eu-north1", "GpuInfo": H100, "SpotPrice": "10.00",
    }  # fmt: skip
    return ",".join((row | cells)[name] for name in HEADER.split(","))


def gcp(accelerator, price, spot="", *, instance_type="", count="1"):
    return f"{instance_type},,,{accelerator},{count},{accelerator},us-east5,us-east5-a,{price},{spot}"


def aws(zone, price, spot):
    return f"p5.48xlarge,192,2048,H100,8.0,,us-east-1,{zone},{price},{spot}"


@pytest.fixture
def catalog(price_data):
    def read_catalog(cloud):
        name = f"{cloud}_vms{'_excerpt' if cloud == 'lambda' else ''}.csv"
        payload = (price_data / "skypilot" / name).read_bytes()
        return payload, parse([("", io.BytesIO(payload))], key=cloud)

    return read_catalog


@pytest.mark.parametrize(
    "cloud", ["hyperbolic", "hyperstack", "lambda", "mithril", "nebius", "seeweb", "verda", "yotta"]
)
def test_every_price_cell_is_accounted_for_and_every_row_goes_back_to_its_line(catalog, cloud):
    payload, parsed = catalog(cloud)
    lines = list(csv.DictReader(io.StringIO(payload.decode(), newline="")))
    assert parsed.records_in == sum(max(1, bool(of["Price"]) + bool(of["SpotPrice"])) for of in lines)
    assert parsed.is_balanced
    for row in parsed.rows:
        at, column = row.record.split(", ")
        cells = lines[int(at.removeprefix("line ")) - 2]
        assert cells[column] == row.price_published and float(row.price_published) == row.price
        assert cells["InstanceType"] == row.instance_type
        assert float(cells["AcceleratorCount"]) == row.accelerator_count
        assert row.price_unit == "instance_hour" and row.provider_published == cloud


def test_lambda_is_one_price_for_the_world(catalog):
    _, parsed = catalog("lambda")
    assert [(row.region, row.is_available) for row in parsed.rows] == [(None, None)] * 10
    (row,) = (r for r in parsed.rows if r.instance_type == "gpu_8x_h100_sxm5")
    # TotalGpuMemoryInMiB says 81920 for eight of them
    assert (row.price, row.accelerator_memory_gb) == (31.92, 80.0)
    assert (parsed.duplicates, parsed.exclusions) == (146, {"no accelerator": 34})


def test_mithril_has_bid_floors_only(catalog):
    payload, parsed = catalog("mithril")
    assert parsed.rows == [] and ["floor for bids" in str(r) for r in parsed.rejects] == [True] * 8
    assert parse_bytes(SOURCE, "mithril", payload).rejected is None  # it is a good file all the same


def test_seeweb_is_in_euro_and_without_a_region_cannot_be_ordered(catalog):
    _, parsed = catalog("seeweb")
    assert {(row.currency, row.region) for row in parsed.rows} == {("EUR", "it-fr2")}
    assert parsed.exclusions == {"no accelerator": 48, "Seeweb names no region: not orderable": 15}


def test_yotta_counts_eight_though_gpu_info_says_one(catalog):
    rows = catalog("yotta")[1].rows
    assert {(r.accelerator_count, round(r.price / r.accelerator_count, 2)) for r in rows} == {
        (n, 0.65) for n in (1.0, 2.0, 4.0, 8.0)
    }
    assert {r.accelerator_memory_gb for r in rows} == {31.8}


@pytest.mark.parametrize(
    ("info", "memory", "key"),
    [
        ("{'Gpus': [{'MemoryInfo': {'SizeInMiB': 81920}}]}", 80.0, "nebius"),
        ('{""Gpus"": [{""MemoryInfo"": {""SizeInMiB"": 144384}}]}', 141.0, "nebius"),
        ("{'Gpus': [{'Manufacturer': null, 'MemoryInfo': {'SizeInMiB': 81559}}]}", 79.6, "nebius"),
        ("{'Gpus': [{'MemoryInfo': {'SizeInMiB': 0}}]}", None, "nebius"),  # Seeweb's RTX PRO 6000
        ("{'Gpus': [{'MemoryInfo': {'SizeInMiB': 16}}]}", None, "nebius"),  # RunPod's is really GB
        ("{'Gpus': []}", None, "nebius"),
        ("", None, "nebius"),
        ("{'Gpus': [{'MemoryInfo': {'SizeInMiB': 1150168}}]}", 140.4, "vast"),  # of the whole instance
    ],
)
def test_gpu_info_in_its_dialects(info, memory, key):
    parsed = read(line(GpuInfo=f'"{info}"'), key=key)
    assert {row.accelerator_memory_gb for row in parsed.rows} == {memory} and parsed.warnings == []
    expected = "H100" if memory is None else f"H100 {memory:.0f}GB"
    assert {row.accelerator_published for row in parsed.rows} == {expected}


@pytest.mark.parametrize("info", ["__import__('os').system('false')", "[1]", "{'Gpus': [{'Name': 'it's'}]}"])
def test_gpu_info_that_cannot_be_read_costs_the_memory_and_not_the_row(info):
    parsed = read(line(GpuInfo=f'"{info}"', SpotPrice=""))
    assert [row.accelerator_memory_gb for row in parsed.rows] == [None]
    assert "cannot be read" in str(parsed.warnings[0]) and "line 2" in str(parsed.warnings[0])


@pytest.mark.parametrize("name", ["A100-80GB", "A100-80G-PCIe"])
def test_a_name_that_says_its_memory_does_not_say_it_twice(name):
    assert {row.accelerator_published for row in read(line(AcceleratorName=name)).rows} == {name}


def test_a_machine_without_accelerators_is_left_out_and_a_short_line_named():
    none = line(AcceleratorName="", AcceleratorCount="0.0")
    unpriced = line(AcceleratorName="", AcceleratorCount="", Price="", SpotPrice="")
    parsed = read(none, unpriced, "g8,H100,8,128,1600,23.60,eu-north1")
    assert (parsed.rows, parsed.exclusions) == ([], {"no accelerator": 3})
    assert [r.record for r in parsed.rejects] == ["line 4, Price"]


@pytest.mark.parametrize("table", [HEADER, line() + "\n" + HEADER.replace("Price", "Renamed")])
def test_a_table_without_lines_or_columns_is_refused(table):
    assert isinstance(parse_bytes(SOURCE, "nebius", table.encode()).rejected, PayloadRejected)


def test_runpod_repeats_a_price_by_data_centre_and_as_a_spot_price():
    header = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Region,SpotPrice,Price,AvailabilityZone,GpuInfo"
    lines = [f"1x_A100,A100-80GB,1.0,8,117,{z[:2]},1.39,1.39,{z}," for z in ("IN-1", "IN-2", "US-1")]
    parsed = read(*lines, "1x_L4,L4,1.0,8,45,US,0.2,0.39,US-1,", header=header, key="runpod")
    assert [(r.instance_type, r.region, r.pricing_model, r.price) for r in parsed.rows] == [
        ("1x_A100", None, "on_demand", 1.39),
        ("1x_L4", None, "on_demand", 0.39),
        ("1x_L4", None, "spot", 0.2),
    ]
    assert (parsed.duplicates, parsed.exclusions) == (2, {"RunPod repeats Price as SpotPrice": 3})


OCI_SHAPES = {
    "BM.GPU.B300.8": 120.0,
    "BM.GPU.GB300.4": 72.0,
    "BM.GPU.RTXPRO.8": 36.0,
    "BM.GPU.MI355X.8": 68.8,
}
PLACES = ("af-casablanca-1", "af-johannesburg-1", "eu-jovanovac-1", "us-ashburn-1")


def everywhere(prices, places):
    """Lines that give every type in every place."""
    cells = {"SpotPrice": "", "AcceleratorCount": "8"}
    return [line(InstanceType=t, Region=r, Price=str(p), **cells) for t, p in prices.items() for r in places]


@pytest.mark.parametrize(
    ("key", "prices", "places", "n_places"),
    [
        # Oracle's prices of August 2026; its catalog has every shape in every commercial region
        ("oci", OCI_SHAPES, PLACES, 0),
        ("oci", {"BM.GPU.B300.8": 120.0}, PLACES[:2], 0),
        ("daytona", {"8x-B300": 72.9856}, ("earth",), 0),
        # any seller whose list repeats its prices in each region
        ("verda", OCI_SHAPES, ("FIN-01", "FIN-03", "ICE-01"), 0),
        # two regions may be all there are
        ("verda", OCI_SHAPES, ("FIN-01", "ICE-01"), 2),
    ],
)
def test_one_price_in_every_region_has_no_region(key, prices, places, n_places):
    parsed = read(*everywhere(prices, places), key=key)
    assert {row.instance_type: row.price for row in parsed.rows} == prices and not parsed.rejects
    assert {row.region for row in parsed.rows} == (set(places) if n_places else {None})
    assert parsed.duplicates == (0 if n_places else len(prices) * (len(places) - 1))


def test_a_type_that_is_missing_or_priced_otherwise_in_one_region_leaves_all_their_regions():
    lines = everywhere(OCI_SHAPES, PLACES)
    assert {row.region for row in read(*lines[:-1], key="nebius").rows} == set(PLACES)
    other = read(
        *lines[:-1], line(InstanceType="BM.GPU.MI355X.8", Region=PLACES[-1], SpotPrice=""), key="nebius"
    )
    assert {row.region for row in other.rows} == set(PLACES)


def test_a_slice_of_a_gpu_is_out_of_scope():
    parsed = read(
        line(InstanceType="1x_H100-MIG-1g.10gb", SpotPrice=""), line(AcceleratorName="A100 MIG 2g.20gb")
    )
    assert (parsed.rows, parsed.rejects, parsed.exclusions) == ([], [], {"a fraction of an accelerator": 3})


def test_zones_of_a_region_are_one_on_demand_offer_and_aws_spot_is_the_zone_s():
    parsed = read(aws("use1-az1", 55.04, 21.1), aws("use1-az2", 55.04, 55.04), header=ZONED, key="aws")
    assert {(r.pricing_model, r.region, r.price) for r in parsed.rows} == {
        ("on_demand", "us-east-1", 55.04),
        ("spot", "use1-az1", 21.1),
        ("spot", "use1-az2", 55.04),
    }
    assert parsed.duplicates == 1


def test_zones_that_differ_stay_apart():
    parsed = read(aws("use1-az1", 55.04, ""), aws("use1-az2", 60, ""), header=ZONED, key="aws")
    assert {(r.region, r.price) for r in parsed.rows} == {("use1-az1", 55.04), ("use1-az2", 60.0)}


@pytest.mark.parametrize(
    ("key", "header", "cells", "rows", "out_of_scope", "reject"),
    [
        # us-east5 lists v6e at $2.70 a chip-hour: 8 × 2.70; a slice is named as Google names it, and not counted as one
        ("gcp", ZONED, gcp("tpu-v6e-8", "21.6", "9.72"), {("v6e-8", "on_demand", 21.6), ("v6e-8", "spot", 9.72)}, {}, ""),
        ("gcp", ZONED, gcp("tpu-v5e-8", "9.6", instance_type="TPU-VM"), {("v5litepod-8", "on_demand", 9.6)}, {}, ""),
        ("gcp", ZONED, gcp("tpu-v6e-4", "700.0"), set(), {}, "knows no price"),
        ("gcp", ZONED, gcp("H100", "78.37", "20.1", count="8.0"), set(), {"GCP: a GPU without the machine it needs": 2}, ""),
        ("gcp", ZONED, "a3-highgpu-8g,208.0,1872.0,,,,us-central1,us-central1-a,9.46006,2.88933", set(), {"no accelerator": 2}, ""),
        ("vast", HEADER, line(SpotPrice="1.20"), {("g8", "marketplace", 23.6)}, {"Vast's SpotPrice is a bid floor or 0.00": 1}, ""),
        ("mithril", HEADER, line(Price="16.2", SpotPrice="16.2"), {("g8", "spot", 16.2)}, {"Mithril repeats its spot price as Price": 1}, ""),
    ],
)  # fmt: skip
def test_habits_of_clouds(key, header, cells, rows, out_of_scope, reject):
    parsed = read(cells, header=header, key=key)
    assert {(r.instance_type, r.pricing_model, r.price) for r in parsed.rows} == rows
    assert parsed.exclusions == out_of_scope and [reject in str(r) for r in parsed.rejects] == (
        [True] if reject else []
    )
    assert {r.accelerator_count for r in parsed.rows} <= ({None} if key == "gcp" else {8.0})


def test_a_hand_kept_file_is_dated_by_its_last_commit():
    fetch = next(f for f in plan({}) if f.key == "hyperstack")
    sha = "0123456789abcdef0123456789abcdef01234567"
    answer = json.dumps([{"sha": sha, "commit": {"committer": {"date": "2025-11-03T10:00:00Z"}}}]).encode()
    second = fetch.follow(fetch.first, answer)
    assert second.url.endswith(f"/{sha}/catalogs/v8/hyperstack/vms.csv") and second.member == "vms.csv"
    assert fetch.follow(second, b"anything") is None and fetch.max_requests == 2
    table = f"{HEADER}\n{line()}\n".encode()
    members = [("commit.json", io.BytesIO(answer)), ("vms.csv", io.BytesIO(table))]
    rows = parse(members, key="hyperstack").rows
    assert {(row.observed_at, row.member) for row in rows} == {
        (datetime(2025, 11, 3, 10, tzinfo=UTC), "vms.csv")
    }


@pytest.mark.parametrize(
    "answer",
    [
        b'[{"sha": "../../etc", "commit": {"committer": {"date": "2025-11-03T10:00:00Z"}}}]',
        b'[{"sha": "0123456789abcdef0123456789abcdef01234567", "commit": {"committer": {"date": "soon"}}}]',
        b'[{"sha": "0123456789abcdef0123456789abcdef01234567", "commit": {"committer": {"date": "2025-11-03"}}}]',
    ],
)
def test_an_answer_that_names_no_commit_is_refused(answer):
    fetch = next(f for f in plan({}) if f.key == "yotta")
    with pytest.raises(PayloadRejected):
        fetch.follow(fetch.first, answer)


def test_a_chain_without_its_table_is_refused():
    sha = b'[{"sha": "%s", "commit": {"committer": {"date": "2025-11-03T10:00:00Z"}}}]' % (b"a" * 40)
    with pytest.raises(PayloadRejected, match=r"holds no vms\.csv"):
        parse([("commit.json", io.BytesIO(sha))], key="yotta")
