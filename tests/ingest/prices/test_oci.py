"""Oracle Cloud: shapes joined with the price of their parts."""

import io
import json

import pytest

from ingest.core.errors import PayloadRejected
from ingest.core.fetch_plan import Request
from ingest.prices import oci


def shape(name, part, gpus, *, qty=112, memory=2048, preemptible=False, **change):
    made = {
        "name": name,
        "hidden": False,
        "status": "ACTIVE",
        "allowPreemptible": preemptible,
        "bundleMemoryQty": memory,
        "gpuQty": gpus,
        "gpuMemoryQty": 640,
        "processorType": {"value": "arm"},  # so the estimator marks x86 shapes with A10 and A100
        "shapeType": {"value": name[:2].lower()},
        "subType": {"value": "gpu"},
        "products": [{"partNumber": part, "qty": qty, "type": {"value": "ocpu"}}],
    }
    return made | change


def product(part, price, metric="GPU Per Hour", **change):
    made = {
        "partNumber": part,
        "displayName": f"Compute - {part}",
        "metricName": metric,
        "serviceCategory": "Compute - GPU",
        "currencyCodeLocalizations": [
            {"currencyCode": "EUR", "prices": [{"model": "PAY_AS_YOU_GO", "value": price * 0.9}]},
            {"currencyCode": "USD", "prices": [{"model": "PAY_AS_YOU_GO", "value": price}]},
        ],
    }
    return made | change


ORDER = ("price-list.json", "shapes.json", "products.json")
H100 = shape("BM.GPU.H100.8", "B98415", 8)
V100 = shape("VM.GPU3.1", "B89734", 1, qty=6, memory=90, preemptible=True)
CPU = shape(
    "BM.DenseIO.E5.128",
    "B98202",
    None,
    subType={"value": "dense"},
    products=[{"partNumber": "B98204", "qty": 81.6, "type": {"value": "disk"}}],
)
PRODUCTS = [product("B98415", 10), product("B89734", 2.95)]


def document(items):
    return io.BytesIO(json.dumps({"lastUpdated": "2026-09-18", "items": items}).encode())


def parse(shapes, products=PRODUCTS, estimator=None):
    estimator = products if estimator is None else estimator
    members = zip(ORDER, (document(products), document(shapes), document(estimator)), strict=True)
    return oci.parse(members, key="all")


def test_half_a_list_or_payload_is_refused():
    request = Request(url="https://www.oracle.com/x", member="shapes.json")
    with pytest.raises(PayloadRejected, match="hasMore"):
        oci.follow(request, b'{"items": [], "hasMore": true}')
    with pytest.raises(PayloadRejected, match=r"price-list\.json, products\.json not in"):
        oci.parse([("shapes.json", document([H100]))], key="all")


def test_the_price_is_per_gpu_though_it_hangs_on_the_ocpu_part():
    # cost estimator of 2026-09-18: BM.GPU.H100.8 is US$80.00 an hour, 8 GPUs at 10; it has 112 OCPUs
    parsed = parse([H100, CPU])
    (row,) = parsed.rows
    assert (row.instance_type, row.price, row.price_unit) == ("BM.GPU.H100.8", 80.0, "instance_hour")
    assert (row.accelerator_count, row.memory_gb, row.region) == (8, 2048, None)
    assert (row.member, row.record, row.price_published) == ("shapes.json", "items[0]", "8 x 10 (B98415)")
    # totals or not, Arm or not: not to be trusted
    assert (row.accelerator_memory_gb, row.vcpus) == (None, None)
    assert parsed.exclusions == {"no accelerator": 1}


def test_preemptible_is_half_where_the_shape_allows_it():
    parsed = parse([V100, H100])
    full, half, h100 = parsed.rows
    assert (full.pricing_model, full.price, full.purchase_option) == ("on_demand", 2.95, None)
    assert (half.pricing_model, half.price) == ("spot", 1.475)
    assert half.purchase_option == "preemptible (half of on demand)"
    assert half.offer_id != full.offer_id and half.record == full.record
    assert h100.pricing_model == "on_demand"
    assert parsed.records_in == 3  # two shapes and the preemptible offer of one


def test_cpu_and_memory_are_added_where_a_shape_bills_them_apart():
    parts = [
        {"partNumber": "B98415", "qty": 112, "type": {"value": "ocpu"}},
        {"partNumber": "B93114", "qty": 1024, "type": {"value": "memory"}},
        {"partNumber": "B98204", "qty": 81.6, "type": {"value": "disk"}},
    ]
    apart = [
        product("B93114", 0.0015, "Gigabyte Per Hour"),
        product("B98204", 0.05, "NVMe Terabyte Per Hour"),
    ]
    (row,) = parse([H100 | {"products": parts}], [*PRODUCTS, *apart]).rows
    # 8 x 10 + 1024 x 0.0015 + 81.6 x 0.05 = 80 + 1.536 + 4.08
    assert row.price == 85.616
    assert row.price_published == "8 x 10 (B98415) + 1024 x 0.0015 (B93114) + 81.6 x 0.05 (B98204)"


@pytest.mark.parametrize(
    ("change", "reason"),
    [({"hidden": True}, "hidden shape"), ({"status": "INACTIVE"}, "inactive shape")],
)
def test_what_is_not_on_sale_is_left_out(change, reason):
    parsed = parse([V100, H100 | change])
    assert {r.instance_type for r in parsed.rows} == {"VM.GPU3.1"} and parsed.exclusions == {reason: 1}


def priced(*entries):
    return product("B98415", 10) | {
        "currencyCodeLocalizations": [{"currencyCode": "USD", "prices": list(entries)}]
    }


PAYG = {"model": "PAY_AS_YOU_GO", "value": 10}


@pytest.mark.parametrize(
    ("products", "estimator", "named"),
    [
        ([], [], "no price list has part B98415"),
        ([priced(PAYG, {"model": "PAY_AS_YOU_GO", "value": 12})], [], "10, 12"),
        ([product("B98415", 10), product("B98415", 11)], [], "10, 11"),
        # which of two lists of one seller is right is not known
        (
            [product("B98415", 10)],
            [product("B98415", 12)],
            "price-list.json: 10 GPU Per Hour, products.json: 12",
        ),
    ],
)
def test_a_shape_without_a_certain_price_is_rejected_by_name(products, estimator, named):
    v100 = product("B89734", 2.95)
    parsed = parse([H100, V100], [*products, v100], [*estimator, v100])
    assert {r.instance_type for r in parsed.rows} == {"VM.GPU3.1"}
    (reject,) = parsed.rejects
    assert named in reject.problem and (reject.payload, reject.record) == ("shapes.json", "items[0]")


def test_one_list_is_enough_and_what_is_not_asked_for_takes_down_nothing():
    bare = [{k: v for k, v in entry.items() if k != "metricName"} for entry in PRODUCTS]
    committed = [None, {"partNumber": None}, priced({"model": "MONTHLY_COMMIT", "value": 8}, PAYG)]
    for lists in ((PRODUCTS, bare), (PRODUCTS, []), ([], PRODUCTS), (committed,)):
        assert [r.price for r in parse([H100], *lists).rows] == [80.0]


def test_brackets_are_no_part_of_the_name_to_order():
    (row,) = parse([shape("BM.GPU.GB200.4 (NVL72)", "B110979", 4)], [product("B110979", 16)]).rows
    assert (row.instance_type, row.price) == ("BM.GPU.GB200.4", 64.0)  # as published on 2026-09-18
