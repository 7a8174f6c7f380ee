"""Offers read by people: what their caveats make of a price."""

import io
import json
import re
from collections import Counter
from datetime import UTC, datetime

import pytest

from ingest.core.errors import PayloadRejected
from ingest.prices import curated_offers
from ingest.prices.curated_offers import BILLED_ON_TOP, LOWEST_OFFER, SHARED_GPU, SOURCE

BASE = {
    "id": "lambda-h100-sxm",
    "provider_id": "lambda",
    "gpu_model": "NVIDIA H100 SXM",
    "gpu_brand": "NVIDIA",
    "vram_gb": 80,
    "interconnect": "SXM",
    "tier": "on-demand",
    "is_spot": False,
    "price_usd_hour": 4.29,
    "vcpu": 26,
    "ram_gb": 225,
    "notes": "Hopper",
    "source_url": "https://lambda.ai/pricing",
    "collected_at": "2026-05-24",
}


def parse(*entries):
    payload = json.dumps(list(entries)).encode()
    return SOURCE.parse([("", io.BytesIO(payload))], key="offerings")


def one(**changes):
    (row,) = parse(BASE | changes).rows
    return row


def refused(**changes):
    parsed = parse(BASE, BASE | {"gpu_model": "OTHER"} | changes)
    assert len(parsed.rows) == 1 and len(parsed.rejects) == 1
    assert parsed.rejects[0].record == "[1]"
    return parsed.rejects[0].problem


def test_a_plain_offer():
    row = one()
    assert (row.provider_published, row.instance_type, row.price, row.price_unit, row.currency) == (
        "lambda",
        "NVIDIA H100 SXM 80GB",
        4.29,
        "accelerator_hour",
        "USD",
    )
    assert (row.pricing_model, row.purchase_option, row.variant) == ("on_demand", None, "on-demand")
    assert (row.observed_at, row.observed_precision) == (datetime(2026, 5, 24, tzinfo=UTC), "day")
    assert (row.accelerator_count, row.accelerator_memory_gb, row.vcpus, row.memory_gb) == (None, 80, 26, 225)
    assert (row.source_url, row.record, row.n_observed) == ("https://lambda.ai/pricing", "[0]", 1)


@pytest.mark.parametrize(
    ("model", "memory", "link", "words"),
    [
        ("NVIDIA H100 SXM5", 80, "NVLink", "NVIDIA H100 SXM5 80GB NVLink"),
        ("NVIDIA A100 80GB PCIe", 80, "PCIe", "NVIDIA A100 80GB PCIe"),
        ("A800 80G", 80, None, "A800 80G"),
        ("RTX 4090 (48 GB mod)", 48, "PCIe", "RTX 4090 (48 GB mod) PCIe"),
        ("NVIDIA A100", 40, None, "NVIDIA A100 40GB"),
        ("NVIDIA A100 40GB", 80, None, "NVIDIA A100 40GB 80GB"),  # a contradiction stays visible
    ],
)
def test_words_name_model_memory_and_link_once(model, memory, link, words):
    row = one(gpu_model=model, vram_gb=memory, interconnect=link)
    assert row.instance_type == row.accelerator_published == words


@pytest.mark.parametrize(
    "caveat",
    [
        "Interruptible estimated at ~50% of on-demand per Vast.ai documentation",
        "Spot price estimated (-56%); exact per-GPU price not published by provider",
        "Spot price estimated",
    ],
)
def test_an_estimate_is_no_observation(caveat):
    problem = refused(tier="spot", is_spot=True, price_usd_hour=1.1, caveats=[caveat])
    assert "no observation" in problem and caveat in problem


def test_an_approximate_price_in_the_notes_is_none_either():
    assert "Hopper, approximate price" in refused(notes="Hopper, approximate price")


def test_a_spot_price_above_the_same_gpu_uninterrupted_is_another_product():
    secure = BASE | {"provider_id": "runpod", "tier": "secure", "price_usd_hour": 3.29}
    community = secure | {"tier": "community", "price_usd_hour": 2.69}
    spot = secure | {"tier": "spot", "is_spot": True}
    parsed = parse(secure, community, spot | {"price_usd_hour": 4.76})
    assert [r.variant for r in parsed.rows] == ["secure", "community"]
    assert "4.76" in parsed.rejects[0].problem and "3.29" in parsed.rejects[0].problem
    parsed = parse(secure, community, spot | {"price_usd_hour": 3.0})
    assert [r.pricing_model for r in parsed.rows] == ["on_demand", "marketplace", "spot"]


@pytest.mark.parametrize(
    "caveat",
    [
        "vCPU $0.01/h and RAM $0.005/GB/h billed separately",
        "vCPU/RAM billed separately: $0.004/vCPU/h + $0.001/GB/h.",
        "Serverless billing per second (idle-free); CPU/RAM/storage billed separately",
    ],
)
def test_vcpu_and_ram_billed_on_top_is_reported(caveat):
    row = one(caveats=[caveat])
    assert row.purchase_option == BILLED_ON_TOP
    assert row.offer_id != one().offer_id


def test_free_vcpus_are_not_billed_on_top():
    free = "Dataoorts: vCPU and RAM are FREE; only GPU + storage are billed."
    assert one(provider_id="dataoorts", caveats=[free]).purchase_option is None


@pytest.mark.parametrize(
    ("caveat", "low", "high"),
    [
        ("Decentralized marketplace; price reflects min live offer", None, None),
        ("Marketplace cheapest live offer — likely spot, not guaranteed on-demand", None, None),
        ("Marketplace min price from cheapest host at time of collection", None, None),
        ("Marketplace: $0.17–$0.48 across providers (highly variable)", 0.17, 0.48),
    ],
)
def test_the_cheapest_offer_of_a_marketplace_says_so(caveat, low, high):
    row = one(provider_id="vast-ai", price_usd_hour=0.17, caveats=[caveat])
    assert (row.pricing_model, row.purchase_option) == ("marketplace", LOWEST_OFFER)
    assert (row.price_min, row.price_max) == (low, high)


def test_a_stale_page_dates_its_prices():
    row = one(provider_id="tensordock", caveats=["Provider page references July 2024; prices may be stale"])
    assert (row.observed_at, row.observed_precision) == (datetime(2024, 7, 1, tzinfo=UTC), "month")
    assert "since when is not said" in refused(caveats=["Prices may be stale"])


def test_a_share_of_a_gpu_is_none():
    parsed = parse(
        BASE | {"tier": "prototyping", "is_spot": True, "caveats": ["Virtualized GPU (GPU-over-IP)"]},
        BASE | {"tier": "production", "caveats": ["VRAM is 80 GB but site labels 180 GB"]},
    )
    assert parsed.left_out == {SHARED_GPU: 1}
    assert (parsed.rows[0].variant, parsed.rows[0].accelerator_memory_gb) == ("production", 80)
    assert [r.record for r in parsed.remarks] == ["[1]"]


def test_a_part_of_a_node_is_still_per_gpu():
    row = one(
        provider_id="vultr",
        price_usd_hour=0.848,
        vcpu=None,
        notes="Bare Metal per-GPU price (8x node)",
        caveats=["Bare Metal sold in 8x node; price normalized per GPU"],
    )
    assert (row.price, row.price_unit, row.accelerator_count, row.variant) == (
        0.848,
        "accelerator_hour",
        8,
        "on-demand, bare metal",
    )


def test_series_of_one_seller_are_different_offers():
    notes = ["Dataoorts X-Series — VM, Tier 3/4 DC.", "Dataoorts Yotta — Compute pod (1x)."]
    parsed = parse(
        *(BASE | {"notes": n, "price_usd_hour": p} for n, p in zip(notes, (1.24, 0.92), strict=True))
    )
    assert [r.variant for r in parsed.rows] == ["on-demand, X-Series", "on-demand, Yotta"]


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"price_usd_hour": 0}, "0"),
        ({"price_usd_hour": "call"}, "call"),
        ({"price_usd_hour": None}, "price_usd_hour"),
        ({"tier": "reserved"}, "reserved"),
        ({"is_spot": None}, "is_spot"),
        ({"collected_at": "24.05.2026"}, "24.05.2026"),
        ({"source_url": ""}, "source_url"),
        ({"provider_id": None}, "provider_id"),
    ],
)
def test_a_bad_record_is_named_and_its_neighbours_survive(change, word):
    assert word in refused(**change)


def test_records_that_are_no_objects_are_rejected_one_by_one():
    parsed = parse(BASE, "x", None)
    assert (len(parsed.rows), len(parsed.rejects), parsed.records_in) == (1, 2, 3)


def test_contradicting_offers_are_both_refused_and_repeats_count_once():
    parsed = parse(BASE, BASE | {"price_usd_hour": 5.0}, BASE | {"gpu_model": "X"}, BASE | {"gpu_model": "X"})
    assert (len(parsed.rows), len(parsed.rejects), parsed.duplicates) == (1, 2, 1)


@pytest.mark.parametrize("payload", [b"{}", b"[]", b"[1]", b"<html>", b"", b'[{"id": 1}]'])
def test_what_is_no_list_of_offers_is_refused(payload):
    with pytest.raises(PayloadRejected, match="offerings"):
        SOURCE.parse([("", io.BytesIO(payload))], key="offerings")


def test_nothing_is_fetched():
    assert list(SOURCE.plan({})) == [] and SOURCE.rank == 3 and "MIT" in SOURCE.licence_note


# ---------------------------------------------------------------- the real file


@pytest.fixture(scope="module")
def real(price_data):
    path = price_data / "curated" / "gpu_offerings_2026-05-24.json"
    entries = json.loads(path.read_text("utf-8"))
    with path.open("rb") as f:
        return entries, curated_offers.parse([("", f)], key="offerings")


def test_every_record_of_the_real_file_is_accounted_for(real):
    entries, parsed = real
    assert parsed.is_balanced and parsed.records_in == len(entries) == 310
    assert parsed.duplicates == parsed.merged == 0
    said = [json.dumps([e.get("caveats"), e.get("notes")], ensure_ascii=False) for e in entries]
    estimated = {i for i, text in enumerate(said) if re.search("estimated|approximate", text)}
    serverless = {
        i for i, e in enumerate(entries) if e["provider_id"] == "runpod" and e["tier"] == "spot"
    }  # "Active spot": all three dearer than the secure cloud
    assert {int(r.record[1:-1]) for r in parsed.rejects} == estimated | serverless
    assert (len(estimated), len(serverless)) == (14, 3)
    assert parsed.left_out == {SHARED_GPU: sum(e["tier"] == "prototyping" for e in entries)}
    assert len(parsed.rows) == 288


def test_each_price_is_walked_back_to_its_record(real):
    entries, parsed = real
    for row in parsed.rows:
        entry = entries[int(row.record[1:-1])]
        assert row.price == float(row.price_published) == entry["price_usd_hour"]
        assert (row.source_url, row.provider_published) == (entry["source_url"], entry["provider_id"])
        assert row.variant.split(",")[0] == entry["tier"]
        assert all(word in row.instance_type for word in entry["gpu_model"].split())


def test_options_of_the_real_file(real):
    entries, parsed = real
    options = Counter((r.provider_published, r.purchase_option) for r in parsed.rows if r.purchase_option)
    per_provider = Counter(e["provider_id"] for e in entries)
    assert options == {
        **{(p, BILLED_ON_TOP): per_provider[p] for p in ("coreweave", "salad", "modal")},
        **{(p, LOWEST_OFFER): per_provider[p] for p in ("akash", "spheron")},
        ("vast-ai", LOWEST_OFFER): 22,
    }
    assert {r.provider_published for r in parsed.rows if r.observed_precision == "month"} == {"tensordock"}
    assert {r.pricing_model for r in parsed.rows if r.purchase_option == LOWEST_OFFER} == {"marketplace"}


def test_prices_are_per_gpu_by_second_witnesses(real, price_data):
    """What other payloads say of the same GPU of the same seller: per GPU within 25 %, never eight times as much."""
    import csv

    _, parsed = real
    curated = {
        (r.provider_published, r.instance_type): r.price
        for r in parsed.rows
        if r.pricing_model == "on_demand"
    }
    witnesses = {
        ("verda", "B300 SXM6 262GB"): ("verda", "1B300.30V"),
        ("verda", "NVIDIA H200 SXM5 141GB"): ("verda", "1H200.141S.44V"),
        ("verda", "RTX 6000 Ada 48GB PCIe"): ("verda", "1RTX6000ADA.10V"),
        ("hyperstack", "NVIDIA A100 PCIe 80GB"): ("hyperstack", "n3-A100x8"),
        ("hyperstack", "NVIDIA H100 SXM 80GB"): ("hyperstack", "n3-H100-SXM5x8"),
        ("hyperstack", "NVIDIA L40 48GB PCIe"): ("hyperstack", "n3-L40x4"),
    }
    for ours, (cloud, instance_type) in witnesses.items():
        with (price_data / "skypilot" / f"{cloud}_vms.csv").open(newline="") as f:
            line = next(x for x in csv.DictReader(f) if x["InstanceType"] == instance_type and x["Price"])
        assert curated[ours] == pytest.approx(
            float(line["Price"]) / float(line["AcceleratorCount"]), rel=0.25
        ), ours
    gpus = json.loads((price_data / "runpod" / "gpu_types.json").read_text("utf-8"))["data"]["gpuTypes"]
    secure = {g["id"]: g["securePrice"] for g in gpus}
    for ours, theirs in {
        "NVIDIA H100 SXM 80GB": "NVIDIA H100 80GB HBM3",
        "NVIDIA A100 SXM 80GB": "NVIDIA A100-SXM4-80GB",
        "NVIDIA B200 180GB": "NVIDIA B200",
    }.items():
        assert curated["runpod", ours] == pytest.approx(secure[theirs], rel=0.25)
