"""Scaleway: observed prices in the documented envelope, paging, and every way a server can be none."""

from __future__ import annotations

import io
import json
from collections import defaultdict

import pytest

from ingest.core.errors import PayloadRejected
from ingest.core.payloads import Judge
from ingest.prices.scaleway import PER_PAGE, SOURCE, ZONES, parse, plan

H100 = {"gpu": 2, "hourly_price": 6.6198, "arch": "x86_64", "ncpus": 32, "ram": 274877906944}
CPU = {"gpu": 0, "hourly_price": 0.02, "arch": "x86_64", "ncpus": 1, "ram": 2147483648}


def envelope(servers):
    return json.dumps({"servers": servers}).encode()


def read(servers, key="fr-par-2"):
    return parse([("", io.BytesIO(envelope(servers)))], key=key)


class TestRealPrices:
    def test_twenty_observed_offers(self, price_data):
        observed = json.loads((price_data / "scaleway" / "observed_rows_2026-08.json").read_bytes())
        zones = defaultdict(dict)
        for row in observed:
            zones[row["zone"]][row["instance_name"]] = {
                "gpu": row["gpu"],
                "hourly_price": row["hourly_price"],
            }
        found = {
            (row.instance_type, row.region): row
            for zone, servers in zones.items()
            for row in parse([("", io.BytesIO(envelope(servers)))], key=zone).rows
        }
        assert len(found) == len(observed) == 20
        for row in observed:
            offer = found[row["instance_name"], row["zone"]]
            assert offer.price / offer.accelerator_count == pytest.approx(row["price_native_per_gpu_hr"])
            assert (offer.currency, offer.price_unit) == (row["currency"], "instance_hour")
        assert found["B300-SXM-8-288G", "fr-par-2"].price == 60.0

    def test_the_shape_of_another_project_s_fixture(self, price_data):
        payload = (price_data / "scaleway" / "products.json").read_bytes()
        parsed = parse([("", io.BytesIO(payload))], key="fr-par-2")
        assert (parsed.records_in, len(parsed.rows), parsed.left_out) == (11, 9, {"no GPU": 1})
        assert "servers['H100-4-80G']" in str(parsed.rejects[0]) and "hourly_price is None" in str(
            parsed.rejects[0]
        )
        assert "GPU-3070-S" in {row.instance_type for row in parsed.rows}
        servers = json.loads(payload)["servers"]
        for row in parsed.rows:
            assert str(servers[row.record[len("servers['") : -2]]["hourly_price"]) == row.price_published


def test_a_server_in_full():
    info = {"gpu_manufacturer": "NVIDIA", "gpu_name": "H100-SXM", "gpu_memory": 85899345920}
    (row,) = read({"H100-SXM-2-80G": H100 | {"gpu_info": info}}, key="fr-par-2@2026-08-16").rows
    assert (row.instance_type, row.region) == ("H100-SXM-2-80G", "fr-par-2")
    assert (row.price, row.currency) == (6.6198, "EUR")
    assert (row.accelerator_count, row.vcpus, row.memory_gb) == (2.0, 32.0, 256.0)
    assert (row.accelerator_published, row.accelerator_memory_gb) == ("H100-SXM", 80.0)


@pytest.mark.parametrize("servers", [[], {"A": {"gpus": 1}}, {}])
def test_an_envelope_that_is_none_is_refused(servers):
    with pytest.raises(PayloadRejected):
        Judge(SOURCE, "fr-par-2")(io.BytesIO(envelope(servers)))


@pytest.mark.parametrize("gpu", [None, 0])
def test_a_zone_without_gpus_is_good(gpu):
    judge = Judge(SOURCE, "fr-par-2")
    judge(io.BytesIO(envelope({"DEV1-S": CPU | {"gpu": gpu}})))
    assert judge.parts[0].parsed.left_out == {"no GPU": 1}


class TestThePlan:
    def test_nine_zones_page_by_page_while_pages_are_full(self):
        fetches = plan({})
        assert [fetch.key for fetch in fetches] == list(ZONES) and len(ZONES) == 9
        fetch = fetches[1]
        assert fetch.first.url == (
            "https://api.scaleway.com/instance/v1/zones/fr-par-2/products/servers?per_page=100&page=1"
        )
        full = envelope({f"T{i}": CPU for i in range(PER_PAGE)})
        second = fetch.follow(fetch.first, full)
        assert second.url.endswith("page=2") and second.member == "page-2.json"
        assert (
            fetch.follow(second, envelope({"T": CPU})) is None and fetch.follow(second, envelope({})) is None
        )
        with pytest.raises(PayloadRejected):
            fetch.follow(second, b"<html>")
