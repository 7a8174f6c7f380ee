"""gpuhunt's published catalogs: the layout it writes, what it fills in, and archives that cannot be trusted."""

from __future__ import annotations

import csv
import io
import zipfile
from datetime import UTC, datetime

import pytest

from ingest.core.errors import PayloadRejected
from ingest.prices import gpuhunt_catalog
from ingest.prices.gpuhunt_catalog import parse, plan

# what gpuhunt 0.1.34 writes
FILE = """\
instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,flags,cpu_arch,provider_data
p5.48xlarge,us-east-1,55.04,192,2048.0,8,H100,80.0,False,,nvidia,,x86,{}
"""
(P5,) = csv.DictReader(FILE.splitlines())
COLUMNS = tuple(P5)
OLD_COLUMNS = COLUMNS[:10]


def table(*rows, columns=COLUMNS):
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, columns, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def zipped(payload, name="aws.csv"):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, payload)
    return out.getvalue()


def open_(archive, version=b"20260718-4321\n", key="aws"):
    members = [("version", io.BytesIO(version)), ("catalog.zip", io.BytesIO(archive))]
    return parse(members, key=key)


def read(*rows, key="aws", columns=COLUMNS):
    return open_(zipped(table(*rows, columns=columns), f"{key}.csv"), key=key)


def test_a_line_in_full():
    (row,) = read(P5).rows
    assert (row.provider_published, row.instance_type, row.region) == ("aws", "p5.48xlarge", "us-east-1")
    assert (row.pricing_model, row.price, row.price_unit) == ("on_demand", 55.04, "instance_hour")
    said = row.accelerator_published, row.accelerator_memory_gb, row.accelerator_count
    assert said == ("H100", 80.0, 8.0)
    assert (row.vcpus, row.memory_gb) == (192.0, 2048.0)
    assert (row.observed_at, row.observed_precision) == (datetime(2026, 7, 18, tzinfo=UTC), "day")
    assert (row.member, row.record) == ("catalog.zip", "aws.csv, line 2")
    (old,) = read(P5, columns=OLD_COLUMNS).rows  # without vendor and flags
    assert (old.price, old.accelerator_count) == (55.04, 8.0)


G4 = P5 | {"instance_name": "g4-standard-48", "gpu_count": "1", "price": "4.5"}
TPU = P5 | {
    "instance_name": "v5litepod-8", "location": "us-central1", "price": "9.6", "gpu_count": "1",
    "gpu_name": "v5litepod-8", "gpu_memory": "16.0",
}  # fmt: skip
N1 = P5 | {"instance_name": "n1-standard-8", "location": "us-central1-a", "gpu_name": "T4"}


@pytest.mark.parametrize(
    ("key", "line", "expected"),
    [
        ("aws", P5 | {"spot": "True", "price": "21.5"}, ("p5.48xlarge", "spot", 21.5, 8.0)),
        # gpuhunt fills in one accelerator for a slice of several
        ("gcp", TPU | {"gpu_name": "tpu-v5litepod-8"}, ("v5litepod-8", "on_demand", 9.6, None)),
        # an N1 is one name with any GPU
        ("gcp", N1 | {"gpu_count": "2", "price": "1.08"}, ("n1-standard-8 with 2x T4", "on_demand", 1.08, 2.0)),
        ("gcp", G4 | {"flags": "gcp-dws-calendar-mode gcp-g4"}, "reserved for dates ahead (GCP calendar mode)"),
        ("aws", P5 | {"gpu_count": "0", "gpu_name": ""}, "no accelerator"),
        ("runpod", P5 | {"instance_name": "NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb"}, "a fraction of an accelerator"),
        *((key, P5 | {"instance_name": name, "gpu_count": "1"}, ("a fraction of an accelerator" if part else (name, "on_demand", 55.04, 1.0)))
          for key, name, part in (
              ("gcp", "g4-standard-24", True), ("gcp", "g4-standard-48", False),
              ("aws", "gr6f.4xlarge", True), ("aws", "g6.xlarge", False),
              ("azure", "Standard_NV18ads_A10_v5", True), ("azure", "Standard_NV36ads_A10_v5", False),
          )),
    ],
)  # fmt: skip
def test_what_a_line_offers(key, line, expected):
    parsed = read(line, key=key)
    if isinstance(expected, str):
        assert (parsed.rows, parsed.rejects, parsed.exclusions) == ([], [], {expected: 1})
    else:
        (row,) = parsed.rows
        assert (row.instance_type, row.pricing_model, row.price, row.accelerator_count) == expected


def test_runpod_is_priced_per_gpu_by_cloud_and_the_same_everywhere():
    pod = P5 | {"instance_name": "NVIDIA H100 80GB HBM3", "cpu": "16", "memory": "125.0"}
    secure = [
        pod | {"location": place, "gpu_count": str(n), "price": str(n * 2.99)}
        for place in ("US-KS-2", "EUR-IS-1")
        for n in range(1, 9)
    ]
    community = pod | {"location": "FR", "gpu_count": "3", "price": "8.07"}
    cluster = pod | {"location": "US-KS-2", "gpu_count": "8", "price": "27.92", "flags": "runpod-cluster"}
    parsed = read(*secure, community, cluster, key="runpod")
    assert {(r.region, r.variant, r.pricing_model, r.price) for r in parsed.rows} == {
        (None, "secure", "on_demand", 2.99),
        (None, "community", "marketplace", 2.69),
        (None, "cluster", "on_demand", 3.49),
    }
    assert {(r.price_unit, r.accelerator_count) for r in parsed.rows} == {("accelerator_hour", 1.0)}
    assert parsed.duplicates == 15 and "8.07 for 3" in {r.price_published for r in parsed.rows}


@pytest.mark.parametrize("key", ["lambdalabs", "oci"])  # gpuhunt itself repeats them for every region
def test_regions_of_one_price_are_not_offers_while_they_agree(key):
    gpu = P5 | {"instance_name": "gpu_8x_h100_sxm5", "price": "31.92"}
    same = read(gpu | {"location": "us-east-1"}, gpu | {"location": "us-west-1"}, key=key)
    assert [(row.region, row.price) for row in same.rows] == [(None, 31.92)] and same.duplicates == 1
    other = read(gpu | {"location": "a"}, gpu | {"location": "b", "price": "30"}, key=key)
    assert {(row.region, row.price) for row in other.rows} == {("a", 31.92), ("b", 30.0)}


@pytest.mark.parametrize(
    ("archive", "problem"),
    [
        (zipped(table(P5), "azure.csv"), r"holds 0 files \*aws.csv"),
        (zipped(b"instance_name,price\na,1\n"), "lacks location, gpu_count"),
        (zipped(table(P5)[:-4] + b',"'), "is no CSV"),
    ],
    ids=["other_provider", "renamed", "open_quote"],
)
def test_an_archive_that_cannot_be_trusted_is_rejected_whole(archive, problem):
    with pytest.raises(PayloadRejected, match=problem):
        open_(archive)


def test_a_bomb_is_not_unpacked_beyond_the_limit(monkeypatch):
    monkeypatch.setattr(gpuhunt_catalog, "MAX_CSV_BYTES", 10_000)
    with pytest.raises(PayloadRejected, match="larger than"):
        open_(zipped(b"x" * 10_001))


@pytest.mark.parametrize("lost", ["version", "catalog.zip"])
def test_both_members_are_needed(lost):
    members = {"version": b"20260718-1", "catalog.zip": zipped(table(P5))}
    del members[lost]
    with pytest.raises(PayloadRejected, match=f"holds no {lost}"):
        parse([(name, io.BytesIO(payload)) for name, payload in members.items()], key="aws")


@pytest.mark.parametrize("word", [b"", b"latest", b"../../x", b"20260718-1?x", b"20261399-1", b"\xff"])
def test_no_other_word_becomes_part_of_a_url(word):
    fetch = plan({})[0]
    with pytest.raises(PayloadRejected, match="no catalog version"):
        fetch.follow(fetch.first, word)
