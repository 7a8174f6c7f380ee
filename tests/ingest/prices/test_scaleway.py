"""Scaleway: observed prices in the documented envelope, paging, and every way a server can be none."""

from __future__ import annotations

import io
import json
from collections import defaultdict

import pytest
from made import parse_bytes

from ingest.prices.scaleway import PER_PAGE, SOURCE, ZONES, parse, plan

H100 = {"gpu": 2, "hourly_price": 6.6198, "arch": "x86_64", "ncpus": 32, "ram": 274877906944}
CPU = {"gpu": 0, "hourly_price": 0.02, "arch": "x86_64", "ncpus": 1, "ram": 2147483648}


def envelope(servers):
    return json.dumps({"servers": servers}).encode()


def read(servers, key="fr-par-2"):
    return parse([("", io.BytesIO(envelope(servers)))], key=key)


def test_twenty_observed_offers(price_data):
    observed = json.loads((price_data / "scaleway" / "observed_rows_2026-08.json").read_bytes())
    zones = defaultdict(dict)
    for row in observed:
        zones[row["zone"]][row["instance_name"]] = {"gpu": row["gpu"], "hourly_price": row["hourly_price"]}
    found = {
        (row.instance_type, row.region): row
        for zone, servers in zones.items()
        for row in read(servers, zone).rows
    }
    assert len(found) == len(observed) == 20
    for row in observed:
        offer = found[row["instance_name"], row["zone"]]
        assert offer.price / offer.accelerator_count == pytest.approx(row["price_native_per_gpu_hr"])
        assert (offer.currency, offer.price_unit) == (row["currency"], "instance_hour")


def test_a_server_in_full():
    info = {"gpu_manufacturer": "NVIDIA", "gpu_name": "H100-SXM", "gpu_memory": 85899345920}
    (row,) = read({"H100-SXM-2-80G": H100 | {"gpu_info": info}}, key="fr-par-2@2026-08-16").rows
    assert (row.instance_type, row.region) == ("H100-SXM-2-80G", "fr-par-2")
    assert (row.price, row.currency) == (6.6198, "EUR")
    assert (row.accelerator_count, row.vcpus, row.memory_gb) == (2.0, 32.0, 256.0)
    assert (row.accelerator_published, row.accelerator_memory_gb) == ("H100-SXM", 80.0)


def test_a_price_with_windows_is_no_price_of_linux():
    rows = read({"L4-1-24G": H100 | {"gpu": 1}, "L4-1-24G-WIN": H100 | {"gpu": 1, "hourly_price": 7.0}}).rows
    assert {row.operating_system: row.price for row in rows} == {"linux": 6.6198, "windows": 7.0}


@pytest.mark.parametrize("gpu", [None, 0])
def test_a_zone_without_gpus_is_good(gpu):
    (part,) = parse_bytes(SOURCE, "fr-par-2", envelope({"DEV1-S": CPU | {"gpu": gpu}})).parts
    assert part.parsed.exclusions == {"no GPU": 1}


def test_a_zone_is_asked_page_by_page_while_pages_are_full():
    fetches = plan({})
    assert [fetch.key for fetch in fetches] == list(ZONES)
    follow = fetches[1].follow
    second = follow(fetches[1].first, envelope({f"T{i}": CPU for i in range(PER_PAGE)}))
    assert second.url.endswith("page=2") and second.member == "page-2.json"
    assert follow(second, envelope({"T": CPU})) is None
