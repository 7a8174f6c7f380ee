"""Google Cloud: machine types put together from SKUs, TPUs, and every SKU that must not take part."""

import io
import json
from urllib.parse import parse_qs, urlsplit

import pytest

from ingest.core.errors import PayloadRejected
from ingest.prices import gcp, gcp_machines

IOWA = "us-central1"
US = (IOWA, "us-east5")


def sku(description, price, *, group="GPU", usage="OnDemand", unit=None, regions=US, **change):
    """One SKU as `services.skus.list` gives it; `price` a text, so that its digits are exact."""
    whole, _, part = price.partition(".")
    unit = unit or {"RAM": "GiBy.h", "LocalSSD": "GiBy.mo"}.get(group, "h")
    sku_id = "SKU-" + "".join(c for c in f"{description} {usage}" if c.isalnum()).upper()
    amount = {"currencyCode": "USD", "units": whole, "nanos": int(part.ljust(9, "0") or 0)}
    expression = {"usageUnit": unit, "tieredRates": [{"startUsageAmount": 0, "unitPrice": amount}]}
    made = {
        "skuId": sku_id,
        "description": description,
        "category": {"resourceGroup": group, "usageType": usage},
        "serviceRegions": list(regions),
        "pricingInfo": [{"pricingExpression": expression, "effectiveTime": "2026-10-13T09:00:00Z"}],
    }
    return made | change


SSD = sku("SSD backed Local Storage", "0.08", group="LocalSSD")

# An a3-megagpu-8g in America: SKU prices as published in October 2026
MEGA = [
    sku("Nvidia H100 80GB Plus GPU running in Americas", "10.344275712"),
    sku("A3Plus Instance Core running in Americas", "0.026924", group="CPU"),
    sku("A3Plus Instance Ram running in Americas", "0.002344", group="RAM"),
    SSD,
]
A2 = [
    sku("Nvidia Tesla A100 GPU running in Americas", "2.933908"),
    sku("A2 Instance Core running in Americas", "0.031611", group="CPU"),
    sku("A2 Instance Ram running in Americas", "0.004237", group="RAM"),
]
L4 = [
    sku("Nvidia L4 GPU running in Americas", "0.5"),
    sku("G2 Instance Core running in Americas", "0.03", group="CPU"),
    sku("G2 Instance Ram running in Americas", "0.003", group="RAM"),
]


def page(*skus, token=""):
    return json.dumps({"skus": skus, "nextPageToken": token}).encode()


def parse(*skus, token=""):
    parsed = gcp.parse([("page-0001.json", io.BytesIO(page(*skus, token=token)))], key="compute-engine")
    assert parsed.is_balanced
    return parsed


def prices(parsed, model="on_demand", region=IOWA):
    return {r.instance_type: r.price for r in parsed.rows if (r.pricing_model, r.region) == (model, region)}


def test_the_chain_asks_page_by_page_with_the_key():
    assert gcp.plan({"GCP_API_KEY": " "}) == []
    first = gcp.plan({"GCP_API_KEY": "s3cret"})[0].first
    second = gcp.follow(first, page(SSD, token="AB+/="))
    assert second.member == "page-0002.json" and second.headers == first.headers
    assert parse_qs(urlsplit(second.url).query)["pageToken"] == ["AB+/="]
    assert gcp.follow(second, page(SSD)) is None and gcp.follow(second, b'{"skus": []}') is None
    with pytest.raises(PayloadRejected, match="endless"):
        gcp.follow(second, page(SSD, token="AB+/="))
    assert "links to more pages" in str(parse(*L4, token="AB").warnings[0])


def test_published_price_of_an_a2_with_its_monthly_ssd_where_it_is_attached():
    # Google's page: a2-highgpu-1g in Iowa US$3.673385
    assert prices(parse(*A2))["a2-highgpu-1g"] == pytest.approx(3.673385, abs=5e-7)
    ultra = [sku("Nvidia Tesla A100 80GB GPU running in Americas", "3.93"), *A2[1:]]
    without, found = parse(*ultra), prices(parse(*ultra, SSD))
    of_parts = 8 * 3.93 + 96 * 0.031611 + 1360 * 0.004237 + 3000 * 0.08 / 730
    assert found["a2-ultragpu-8g"] == pytest.approx(of_parts)
    assert not without.rows  # a machine with a part missing has no price
    assert all("no on_demand price of ssd" in r.problem for r in without.rejects)


@pytest.fixture(scope="module")
def theirs(price_data):
    """The price of an a3-megagpu-8g by region, in a catalogue made by others."""
    rows = json.loads((price_data / "gpuhunt" / "observed_rows_2026-07_08.json").read_text())
    return {r["location"][:-2]: r["price_instance_hr"] for r in rows if r["instance_name"] == "a3-megagpu-8g"}


# core and RAM prices are known to six places: 208 and 1,872 times half of the last one
SIX_PLACES = (208 + 1872 + 8) * 5e-7


def test_the_sum_agrees_with_a_catalogue_made_by_others_and_is_not_that_of_flex_start(theirs):
    """That catalogue took flex-start prices in Iowa: the sum with the GPU of DWS, half of the real one."""
    dws = "Nvidia H100 Mega 80GB GPU attached to DWS Defined Duration VMs running in Americas"
    calendar = "Reserved Nvidia H100 80GB Mega GPU in Americas in Calendar Mode"
    parsed = parse(sku(dws, "4.423936"), *MEGA, sku(calendar, "4.841121"))
    price = prices(parsed, region="us-east5")["a3-megagpu-8g"]
    assert theirs["us-east5"] == pytest.approx(price, abs=SIX_PLACES)
    price = prices(parsed)["a3-megagpu-8g"]
    assert theirs[IOWA] == pytest.approx(price - 8 * (10.344275712 - 4.423936), abs=SIX_PLACES)
    assert price == pytest.approx(93.3999, abs=1e-4)
    assert parsed.exclusions == {"Dynamic Workload Scheduler, calendar mode or reservation": 2}


# Google's documentation of accelerator-optimized machines, for one GPU: vCPUs, memory in GB, bundled local SSD in GiB
PER_GPU = {
    "a2-highgpu": (12, 85, 0),
    "a2-megagpu": (6, 85, 0),
    "a2-ultragpu": (12, 170, 375),
    "a3-highgpu": (26, 234, 750),
    "a3-edgegpu": (26, 234, 750),
    "a3-megagpu": (26, 234, 750),
    "a3-ultragpu": (28, 369, 1500),
    "a4-highgpu": (28, 496, 1500),
    "g4-standard": (48, 180, 0),
}


@pytest.mark.parametrize("machine", gcp_machines.MACHINES, ids=lambda m: m.name)
def test_a_machine_has_its_familys_share_for_each_gpu(machine):
    family, _, size = machine.name.rpartition("-")
    billed = (machine.vcpus, machine.memory, machine.ssd)
    if family == "g2-standard":  # sized by vCPUs, 4 GB each
        assert billed == (int(size), 4 * int(size), 0)
    else:
        assert billed == tuple(machine.gpus * share for share in PER_GPU[family])
        assert machine.gpus == int(size.removesuffix("g")) if size.endswith("g") else int(size) // 48


def test_a_row_walks_back_to_its_skus_across_pages():
    gpu, core, ram, ssd = MEGA
    parsed = gcp.parse(
        [("page-0001.json", io.BytesIO(page(core, ram))), ("page-0002.json", io.BytesIO(page(gpu, ssd)))],
        key="compute-engine",
    )
    row = parsed.rows[0]
    assert row.member == "page-0002.json"
    assert row.record == (
        f"sku {gpu['skuId']} x 8 + sku {core['skuId']} x 208 (in page-0001.json) + "
        f"sku {ram['skuId']} x 1872 (in page-0001.json) + sku {ssd['skuId']} x 6000"
    )
    assert row.price_published == "8 x 10.344275712 + 208 x 0.026924 + 1872 x 0.002344 + 6000 x 0.08/730"
    assert (row.instance_type, row.price_unit, row.currency) == ("a3-megagpu-8g", "instance_hour", "USD")
    assert (row.accelerator_count, row.vcpus, row.memory_gb) == (8, 208, 1872)
    assert row.accelerator_published == "Nvidia H100 80GB Plus GPU running in Americas"


def test_every_sku_and_every_attempt_is_accounted_for():
    warsaw = sku("SSD backed Local Storage in Warsaw", "0.1", group="LocalSSD", regions=["europe-central2"])
    parsed = parse(*MEGA, warsaw, sku("N2 Instance Core running in Americas", "0.031611", group="CPU"))
    # 6 SKUs and one machine type in two regions
    assert (parsed.records_in, len(parsed.rows), parsed.merged) == (8, 2, 4)
    assert parsed.exclusions == {
        "no part of an accelerator machine": 1,
        "part of machines whose GPU has no price there": 1,
    }


def test_the_families_whose_names_begin_alike_stay_apart():
    plain = [
        sku("Nvidia H100 80GB GPU running in Americas", "9.796550569"),
        sku("A3 Instance Core running in Americas", "0.025", group="CPU"),
        sku("A3 Instance Ram running in Americas", "0.0022", group="RAM"),
    ]
    ultra = [
        sku("H200 141GB GPU running in Americas", "9.31174"),
        sku("A3Ultra Instance Core running in Americas", "0.02", group="CPU"),
        sku("A3Ultra Instance Ram running in Americas", "0.0015", group="RAM"),
    ]
    parsed = parse(*plain, *MEGA, *ultra)
    found, ssd = prices(parsed), 0.08 / 730
    assert found["a3-highgpu-8g"] == pytest.approx(8 * 9.796550569 + 208 * 0.025 + 1872 * 0.0022 + 6000 * ssd)
    assert found["a3-ultragpu-8g"] == pytest.approx(8 * 9.31174 + 224 * 0.02 + 2952 * 0.0015 + 12000 * ssd)
    assert found["a3-edgegpu-8g"] == found["a3-highgpu-8g"]
    # a list price that nobody can start on demand says so
    options = {r.instance_type: (r.is_available, r.purchase_option) for r in parsed.rows}
    assert options["a3-highgpu-8g"] == (None, None)
    for name in ("a3-highgpu-1g", "a3-highgpu-4g", "a3-ultragpu-8g"):
        assert options[name] == (False, "list price: cannot be started on demand")


@pytest.mark.parametrize(
    "name", ["Nvidia H100 80GB Mega GPU", "Nvidia H100 Mega 80GB GPU", "Nvidia H100 80GB Plus GPU"]
)
def test_one_gpu_under_three_names(name):
    found = prices(parse(sku(f"{name} running in Frankfurt", "10"), *MEGA[1:]))
    assert set(found) == {"a3-megagpu-8g"}


def test_the_b200_is_sold_as_a_slice_of_the_whole_machine():
    # nothing else of an A4 is billed; its spot SKU is typed OnDemand
    parsed = parse(
        sku("A4 Nvidia B200 (1 gpu slice) running in Americas", "16.11"),
        sku("Spot Preemptible A4 Nvidia B200 (1 gpu slice) running in Americas", "4.9542"),
        sku("DWS Calendar Mode A4 Nvidia B200 (1 gpu slice) running in Americas", "6.5"),
        sku("Commitment v1: A4 Nvidia B200 (1 gpu slice) in Americas for 1 Year", "11.1", usage="Commit1Yr"),
    )
    assert prices(parsed) == {"a4-highgpu-8g": pytest.approx(128.88)}
    assert prices(parsed, "spot") == {"a4-highgpu-8g": pytest.approx(39.6336)}
    assert prices(parsed, "reserved_1y") == {"a4-highgpu-8g": pytest.approx(88.8)}
    assert sum(parsed.exclusions.values()) == 1


def test_spot_and_commitments_are_models_of_their_own():
    commitment = ("Nvidia L4 GPU", "G2 Cpu", "G2 Ram")
    spot = (
        "Nvidia L4 GPU attached to Spot Preemptible VMs",
        *(f"Spot Preemptible G2 Instance {p}" for p in ("Core", "Ram")),
    )
    parsed = parse(
        *L4,
        *(
            sku(f"{words}{part} {end}", price, group=group, usage=usage)
            for usage, words, parts, end in (
                ("Preemptible", "", spot, "running in Americas"),
                ("Commit1Yr", "Commitment v1: ", commitment, "in Americas for 1 Year"),
                ("Commit3Yr", "Commitment v1: ", commitment, "in Americas for 3 Years"),
            )
            for part, price, group in zip(parts, ("0.2", "0.01", "0.001"), ("GPU", "CPU", "RAM"), strict=True)
        ),
    )
    found = {
        (r.pricing_model, r.term_hours, r.upfront): r.price
        for r in parsed.rows
        if (r.instance_type, r.region) == ("g2-standard-4", IOWA)
    }
    expected = pytest.approx(0.2 + 4 * 0.01 + 16 * 0.001)
    assert found == {
        ("on_demand", None, 0.0): pytest.approx(0.5 + 4 * 0.03 + 16 * 0.003),
        ("spot", None, 0.0): expected,
        ("reserved_1y", 8760, 0.0): expected,
        ("reserved_3y", 26280, 0.0): expected,
    }


@pytest.mark.parametrize(
    ("description", "group", "usage", "reason"),
    [
        ("Reserved A2 Ram in Netherlands", "RAM", "OnDemand", "Dynamic"),
        ("Nvidia L4 GPU attached to DWS Defined Duration VMs running in Frankfurt", "GPU", "OnDemand", "Dynamic"),
        ("Commitment v1: Nvidia L4 GPU running in Americas for 1 Year", "GPU", "OnDemand", "usage type"),
        ("Nvidia L4 GPU running in Americas", "GPU", "Commit1Yr", "usage type"),
        ("Commitment v1: G2 Cpu in Americas for 5 Years", "CPU", "Commit", "another length"),
        ("G2 Custom Instance Core running in Americas", "CPU", "OnDemand", "no part"),
        ("A2 Sole Tenancy Instance Core running in Americas", "CPU", "OnDemand", "no part"),
        ("Nvidia L4 GPU attached to Sole Tenancy VMs running in Americas", "GPU", "OnDemand", "sole tenancy"),
        ("VM state: preserved local SSD in Bangkok", "LocalSSD", "OnDemand", "no part"),
        ("Nvidia Tesla T4 GPU running in Americas", "GPU", "OnDemand", "any size"),
    ],
)  # fmt: skip
def test_what_repeats_the_names_of_ordinary_parts_takes_no_part(description, group, usage, reason):
    parsed = parse(*L4, sku(description, "0.001", group=group, usage=usage))
    assert prices(parsed) == prices(parse(*L4))
    (out_of_scope,) = parsed.exclusions
    assert reason in out_of_scope and not parsed.warnings


def test_a_gpu_of_a_name_never_seen_is_warned_of_once():
    parsed = parse(
        *L4,
        sku("Nvidia GB300 GPU running in Americas", "18"),
        sku("Nvidia GB300 GPU running in Frankfurt", "19", regions=["europe-west3"]),
    )
    assert len(parsed.warnings) == 1 and "Nvidia GB300 GPU" in parsed.warnings[0].problem
    assert parsed.exclusions == {"accelerator without a machine type here": 2}


def test_two_prices_of_one_part_give_no_price_and_the_same_price_twice_does():
    parsed = parse(*L4, sku("Nvidia L4 GPU running in Iowa", "0.55", regions=[IOWA]))
    assert not prices(parsed) and len(prices(parsed, region="us-east5")) == 8
    assert "gpu L4 has 2 on_demand prices in us-central1: 0.5" in parsed.rejects[0].problem
    again = parse(*L4, sku("Nvidia L4 GPU running in Iowa", "0.5", regions=[IOWA]))
    assert len(prices(again)) == 8 and again.merged == 4


def test_a_missing_part_names_machine_region_and_part():
    parsed = parse(L4[0], L4[1])
    assert not parsed.rows and len(parsed.rejects) == 16
    assert {(r.payload, r.record) for r in parsed.rejects} == {("page-0001.json", f"sku {L4[0]['skuId']}")}
    expected = "g2-standard-4 on_demand in us-east5 has no price: no on_demand price of ram G2 in us-east5"
    assert expected in {r.problem for r in parsed.rejects}


@pytest.mark.parametrize(
    ("of", "unit", "change", "price"),
    [
        (0, "h", {"units": "2", "nanos": None}, 2 + 4 * 0.03 + 16 * 0.003),  # Google leaves zeros out
        (0, "h", {"units": None}, 0.5 + 4 * 0.03 + 16 * 0.003),
        (2, "GBy.h", {}, 0.5 + 4 * 0.03 + 16 * 1.073741824 * 0.003),  # decimal gigabytes
        (1, "h", {"currencyCode": "EUR"}, None),
    ],
)
def test_what_a_part_costs(of, unit, change, price):
    skus = json.loads(json.dumps(L4))
    expression = skus[of]["pricingInfo"][0]["pricingExpression"]
    expression["usageUnit"] = unit
    (rate,) = expression["tieredRates"]
    rate["unitPrice"] = {k: v for k, v in (rate["unitPrice"] | change).items() if v is not None}
    parsed = parse(*skus)
    assert prices(parsed).get("g2-standard-4") == (price and pytest.approx(price))
    assert price or "different currencies" in parsed.rejects[0].problem


def test_local_ssd_said_by_the_hour_is_not_divided_again():
    hourly = sku("SSD backed Local Storage in Iowa", "0.000109589", group="LocalSSD", unit="GiBy.h")
    assert prices(parse(*MEGA[:3], hourly))["a3-megagpu-8g"] == pytest.approx(93.39990, abs=1e-4)


def test_spot_dearer_than_on_demand_is_rejected_and_on_demand_kept():
    parsed = parse(
        sku("A4 Nvidia B200 (1 gpu slice) running in Americas", "16.11", regions=[IOWA]),
        sku("Spot Preemptible A4 Nvidia B200 (1 gpu slice) running in Americas", "17", regions=[IOWA]),
    )
    assert [r.pricing_model for r in parsed.rows] == ["on_demand"]
    assert "more expensive" in parsed.rejects[0].problem


# SKUs, ids and prices as the catalogue gave them on 2026-06-14
TPUS = [
    sku(words, price, group="TPU", usage=usage, regions=regions, skuId=sku_id)
    for words, price, usage, regions, sku_id in (
        ("TpuV5e running in Delhi", "1.44132", "OnDemand", ["asia-south2"], "04C3-5B71-D137"),
        ("TpuV5p running in Sao Paulo", "6.430995", "OnDemand", ["southamerica-east1"], "082F-763E-B398"),
        ("TpuV6e running in Dallas", "2.7", "OnDemand", ["us-south1"], "2549-F208-72FA"),
        ("TPU7x running in Americas", "12", "OnDemand", ["us-west1", "us-central1", "us-east1"], "0F71-4391-B6CA"),
        ("Reserved TpuV5p in Delhi in Calendar Mode", "2.94", "OnDemand", ["asia-south2"], "026F-E6A1-BDBB"),
        ("TpuV5e attached to Spot Preemptible VMs running in Singapore", "0.78", "Preemptible", ["asia-southeast1"], "0561-8741-3BC7"),
        ("Commitment v1: TpuV5p running in Netherlands for 3 Years", "1.911", "Commit3Yr", ["europe-west4"], "0115-21ED-7F03"),
    )
]  # fmt: skip


def test_tpus_are_priced_per_chip():
    parsed = parse(*TPUS)
    said = {(r.instance_type, r.region, r.pricing_model, r.price, r.record) for r in parsed.rows}
    assert said == {
        ("ct5lp-hightpu-1t", "asia-south2", "on_demand", 1.44132, "sku 04C3-5B71-D137"),
        ("ct5p-hightpu-1t", "southamerica-east1", "on_demand", 6.430995, "sku 082F-763E-B398"),
        ("ct6e-standard-1t", "us-south1", "on_demand", 2.7, "sku 2549-F208-72FA"),
        ("tpu7x-standard-4t", "us-west1", "on_demand", 12.0, "sku 0F71-4391-B6CA"),
        ("tpu7x-standard-4t", "us-central1", "on_demand", 12.0, "sku 0F71-4391-B6CA"),
        ("tpu7x-standard-4t", "us-east1", "on_demand", 12.0, "sku 0F71-4391-B6CA"),
        ("ct5lp-hightpu-1t", "asia-southeast1", "spot", 0.78, "sku 0561-8741-3BC7"),
        ("ct5p-hightpu-1t", "europe-west4", "reserved_3y", 1.911, "sku 0115-21ED-7F03"),
    }
    assert {r.price_unit for r in parsed.rows} == {"accelerator_hour"}
    assert parsed.merged == 6 and sum(parsed.exclusions.values()) == 1  # the calendar-mode SKU


def test_the_one_year_commitment_in_place_of_the_price_on_demand_is_refused():
    words = "Commitment v1: TpuV6e running in Dallas for 1 Year"
    commitment = sku(words, "2.7", group="TPU", usage="Commit1Yr", regions=["us-south1"])
    parsed = parse(*TPUS, commitment)
    assert [r.pricing_model for r in parsed.rows if r.region == "us-south1"] == ["reserved_1y"]
    assert "not above the one-year commitment" in parsed.rejects[0].problem


def test_old_tpus_are_priced_by_device_of_four_chips_and_pods_apart():
    # the catalogue's TPU-v2 Accelerator USA is US$4.50 an hour, the price page's v2 device 1.125 a chip
    parsed = parse(
        sku("TPU-v2 Accelerator USA", "4.5", group="TPU", regions=[IOWA]),
        sku("TPU-v2 Preemptible Accelerator USA", "1.35", group="TPU", regions=[IOWA]),  # typed OnDemand
        sku("Tpu-v2 Pod Accelerator USA", "6", group="TPU", regions=[IOWA]),
        sku("Tpu-v4 Pod Accelerator USA", "12.88", group="TPU", regions=["us-central2"]),
        sku("Tpu-v4 Pod Accelerator USA in Calendar Mode", "1", group="TPU", regions=["us-central2"]),
    )
    assert {(r.instance_type, r.variant, r.pricing_model, r.price) for r in parsed.rows} == {
        ("v2-8", "device", "on_demand", 1.125),
        ("v2-8", "device", "spot", 0.3375),
        ("v2-32", "pod", "on_demand", 1.5),
        ("v4-8", "pod", "on_demand", 3.22),
    }
    assert "4.5 per 4 chips" in {r.price_published for r in parsed.rows}
