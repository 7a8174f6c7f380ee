"""A good payload of every source that publishes a list, three records of it, and what a record must not be.

`SAMPLES` is what `test_source_contract.py` damages. A record is upstream's own object (or the cells of its line); `build`
sets records into the envelope of the payload, `marks[i]` occurs in the position of everything that record i gives,
`n_rejects` is how many rejects a bad record gives (0: one or several).
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import price_pages
import spec_pages
import test_aws
import test_gcp
import test_gpuhunt_catalog
import test_oci
import test_runpod
import test_skypilot
import test_vast
from test_azure import METER, page
from test_dated_offers import SOUND

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
DROP = object()
"""In place of a value: the key is not there."""

NAN, INF = float("nan"), float("inf")
NO_NUMBER = (DROP, None, "", "free", True, [], {}, 0, -1, NAN, INF, -INF, 10**400)
NO_CELL = ("0", "0.00", "-1", "nan", "inf", "free", '"1,5"', "1_0", "1" * 400)
NO_PAGE_CELL = ("$0.00", "2.49", "$-1", "Free", "$1.2.3", "¥300", "$" + "9" * 30)
ABSENT = (DROP, None, "")
JUNK = (None, 7, "x", [], ["x"])

Path_ = tuple[Any, ...]


@dataclass(frozen=True)
class Sample:
    """What a source's payload looks like, and which changes of its second record cost exactly that record."""

    key: str
    build: Callable[[list[Any]], dict[str, bytes]]
    records: tuple[Any, ...] = ()
    marks: tuple[str, ...] = ()
    price: Path_ = ()
    no_price: tuple[Any, ...] = NO_NUMBER
    required: tuple[Path_, ...] = ()
    bad: tuple[dict[Any, Any], ...] = ()
    names: tuple[Path_, ...] = ()
    other_price: Any = None
    is_page: bool = False
    is_keyed: bool = False
    junk: tuple[Any, ...] = ()
    n_rejects: int = 0


def changed(record: Any, changes: dict[Any, Any]) -> Any:
    """A copy of the record with the values at some paths replaced (or keys dropped)."""
    for path, value in changes.items():
        record = _set(record, path if isinstance(path, tuple) else (path,), value)
    return record


def _set(record: Any, path: Path_, value: Any) -> Any:
    if not path:
        return value
    at, *rest = path
    record = list(record) if isinstance(record, tuple) else copy.copy(record)
    if not rest and value is DROP:
        del record[at]
    else:
        record[at] = _set(record[at] if rest else None, tuple(rest), value)
    return record


def lone(document: Any) -> dict[str, bytes]:
    return {"": document if isinstance(document, bytes) else json.dumps(document).encode()}


def keyed(pairs: list[Any]) -> str:
    """An object as text: a name may occur in it twice."""
    return "{" + ", ".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in pairs) + "}"


def csv_lines(header: str, records: list[dict[str, str]]) -> bytes:
    names = header.split(",")
    return "\r\n".join([header, *(",".join(r.get(n, "") for n in names) for r in records), ""]).encode()


def at_index(form: str) -> tuple[str, ...]:
    return tuple(form.format(i) for i in range(3))


def each(record: dict[Any, Any], name: str, *values: Any) -> tuple[Any, ...]:
    return tuple(record | {name: value} for value in values)


def dicts(name: Any, *values: Any) -> tuple[dict[Any, Any], ...]:
    return tuple({name: value} for value in values)


LINES = ("line 2", "line 3", "line 4")
KIND = (1, "instance_type")
EXPRESSION = ("pricingInfo", 0, "pricingExpression")
RATE = (*EXPRESSION, "tieredRates")
UNIT = (*RATE, 0, "unitPrice")
SERVERS = ("H100-SXM-2-80G", "L4-2-24G", "B300-SXM-2-288G")
SERVER = {"gpu": 2, "hourly_price": 6.6198, "ncpus": 32, "ram": 274877906944}
SKYPILOT_LINE = {
    "InstanceType": "g8", "AcceleratorName": "H100", "AcceleratorCount": "8", "vCPUs": "128", "MemoryGiB": "1600",
    "Price": "23.60", "GpuInfo": "", "SpotPrice": "10.00",
}  # fmt: skip


def oci_payload(pairs: list[Any]) -> dict[str, bytes]:
    products = {"items": [product for _, product in pairs]}
    documents = (products, {"items": [shape for shape, _ in pairs]}, products)
    return {
        n: json.dumps(d).encode()
        for n, d in zip(("price-list.json", "shapes.json", "products.json"), documents, strict=True)
    }


def gpuhunt_payload(records: list[Any]) -> dict[str, bytes]:
    table = csv_lines(",".join([*test_gpuhunt_catalog.COLUMNS, "currency"]), records)
    return {"version": b"20260718-4321\n", "catalog.zip": test_gpuhunt_catalog.zipped(table)}


def gcp_sku(name: str) -> dict[str, Any]:
    return test_gcp.sku("Nvidia L4 GPU running in Americas", "0.5", regions=[name]) | {"skuId": f"GPU-{name}"}


def gcp_payload(skus: list[Any]) -> dict[str, bytes]:
    shared = [
        test_gcp.sku(f"G2 Instance {part} running in Americas", "0.03", group=group, regions=["a", "b", "c"])
        for part, group in (("Core", "CPU"), ("Ram", "RAM"))
    ]
    return {"page-0001.json": test_gcp.page(*skus, *shared)}


def stored(name: str) -> dict[str, bytes]:
    """A real payload; empty where it is not at hand."""
    path = DATA / name
    return {path.name: path.read_bytes()} if path.is_file() else {}


MLENERGY_INDEX = {
    "architectures": {"llm": ["chat"], "mllm": ["image"], "diffusion": ["draw"]},
    "last_updated": "2026-02-16",
}
MLENERGY_ENTRY = {
    "avg_batch_size": 7.9, "avg_output_len": 375.5, "avg_power_watts": 3400.0, "energy_per_token_joules": 10.0,
    "gpu_model": "B200", "max_num_seqs": 8, "median_itl_ms": 25.0, "num_gpus": 4,
    "output_throughput_tokens_per_sec": 340.0, "parallelization": {"tensor_parallel": 4, "notes": ""},
}  # fmt: skip


def mlenergy_payload(entries: list[Any], task: str = "chat") -> dict[str, bytes]:
    document = {"model_id": "a/b", "task": task, "weight_precision": "fp8", "configurations": entries}
    files = {"index.json": MLENERGY_INDEX, "models/a__b__chat.json": document}
    return {name: json.dumps(content).encode() for name, content in files.items()}


METRICS = {
    "tput_per_gpu": 1500.0, "input_tput_per_gpu": 1000.0, "output_tput_per_gpu": 2500.0,
    "median_intvty": 40.0, "median_ttft": 0.5, "median_tpot": 0.025,
}  # fmt: skip
# 20 × 1,000 into the prefill pool, 10 × 2,500 out of the decode pool: 45,000 of 30 accelerators
TWO_POOLS = {
    "hardware": "h100", "framework": "sglang", "model": "dsr1", "precision": "fp8", "spec_method": "none",
    "disagg": True, "is_multinode": True, "num_prefill_gpu": 20, "num_decode_gpu": 10, "isl": 1024, "osl": 1024,
    "conc": 1024, "date": "2026-06-01", "run_url": "https://github.com/run/1", "metrics": METRICS,
}  # fmt: skip

SAMPLES: dict[str, Sample] = {
    "azure-retail-prices": Sample(
        "nd", lambda r: {"page-0001.json": page(*r)}, each(METER, "armRegionName", "a", "b", "c"), at_index("Items[{}]"),
        price=("retailPrice",), no_price=(*NO_NUMBER, "98.32"), other_price=80.0,
        required=tuple((n,) for n in ("unitOfMeasure", "type", "armRegionName", "productName")),
        names=(("armRegionName",),),
        bad=(
            *dicts("tierMinimumUnits", 100.0), *dicts("currencyCode", "dollars", ["USD"]), *dicts("type", "Savings"),
            *dicts("unitOfMeasure", "1 Month"), *dicts("productName", "Virtual Machines NDsr Windows Series"),
            *({day: word} for day in ("effectiveStartDate", "effectiveEndDate")
              for word in ("soon", 20270601, ["2027-06-01"], "2027-13-01", "0001-01-01T00:00:00+14:00")),
            {"meterName": "ND96 Spot", "skuName": "ND96 Low Priority"}, {"meterName": "", "skuName": ""},
            {"type": "Reservation"}, {"type": "Reservation", "reservationTerm": ["1 Year"]},
            {"type": "Reservation", "reservationTerm": "1 Month", "retailPrice": 9e4},
            # should the API one day mean the hour it says, a year must not come out at a cent an hour
            {"type": "Reservation", "reservationTerm": "1 Year", "retailPrice": 57.08},
        ),
        junk=JUNK,
        n_rejects=1,
    ),
    "runpod": Sample(
        "gpu-types", lambda r: lone({"data": {"gpuTypes": r}}), each(test_runpod.H100, "id", "A", "B", "C"), at_index("gpuTypes[{}]"),
        price=("securePrice",), required=(("id",), ("secureCloud",), ("communityCloud",)), names=(("id",),), other_price=3.5,
        bad=(*dicts("secureCloud", "yes", 1), *dicts("currency", "dollars")),
        junk=JUNK,
    ),
    "vast": Sample(
        "bundles", lambda r: lone({"offers": r}), each(test_vast.OFFER, "gpu_name", "A", "B", "C"), at_index("offers[{}]"),
        price=("dph_total",), required=(("num_gpus",), ("gpu_ram",), ("gpu_name",), ("hosting_type",)), names=(("gpu_name",),),
        bad=(
            *dicts("num_gpus", 0, 0.5, "many"), *dicts("gpu_ram", 0), *dicts("hosting_type", 2, True),
            *dicts("machine_id", DROP, None, 1.5, [1], True), *dicts("currency", "dollars"),
        ),
        junk=JUNK,
        n_rejects=1,
    ),
    "scaleway": Sample(
        "fr-par-2", lambda r: lone(f'{{"servers": {keyed(r)}}}'.encode()), tuple((name, SERVER) for name in SERVERS),
        tuple(f"servers['{name}']" for name in SERVERS), is_keyed=True, names=((0,),),
        price=(1, "hourly_price"), no_price=(*NO_NUMBER, "6,62"),
        bad=(*dicts((1, "gpu"), "two", "", [], 0.5, -2, 4), *dicts((1, "currency"), "dollars")),
        junk=JUNK,
        n_rejects=1,
    ),
    "lambda-api": Sample(
        "instance-types", lambda r: lone(f'{{"data": {keyed(r)}}}'.encode()),
        tuple((n, price_pages.lambda_type(n, *price_pages.LAMBDA_TYPES["gpu_8x_a100"])) for n in ("gpu_8x_a", "gpu_8x_b", "gpu_8x_c")),
        ("data.gpu_8x_a", "data.gpu_8x_b", "data.gpu_8x_c"), is_keyed=True,
        price=(*KIND, "price_cents_per_hour"), no_price=(*NO_NUMBER, "3192"), required=(KIND, (*KIND, "specs"), (*KIND, "specs", "gpus")),
        bad=(*dicts((*KIND, "specs", "gpus"), 0, 4, "8"), *dicts((*KIND, "currency"), "dollars")),
        junk=JUNK,
        n_rejects=1,
    ),
    "oci-price-list": Sample(
        "all", oci_payload, tuple((test_oci.shape(f"BM.GPU.{n}.8", n, 8), test_oci.product(n, 10)) for n in ("A1", "B1", "C1")),
        at_index("items[{}]"), names=((0, "name"),),
        price=(1, "currencyCodeLocalizations", 1, "prices", 0, "value"), no_price=(*NO_NUMBER, "10"),
        required=((0, "name"), (0, "gpuQty"), (0, "products"), (1, "metricName"), (1, "partNumber"), (1, "currencyCodeLocalizations")),
        bad=(
            *dicts((0, "gpuQty"), -8, "8"), *dicts((0, "products"), [None], [{"qty": 112, "type": {"value": "ocpu"}}]),
            {(0, "products"): [{"partNumber": "B1", "qty": 1, "type": {"value": "ocpu"}}] * 2},
            *dicts((1, "metricName"), "GPU Per Month", "OCPU Per Hour"),
            *dicts((1, "currencyCodeLocalizations", 1, "currencyCode"), "GBP"),
            *dicts((1, "currencyCodeLocalizations", 1, "prices", 0, "model"), "MONTHLY_COMMIT"),
            *dicts((1, "currencyCodeLocalizations", 1, "prices"), 10, []),
        ),
        n_rejects=1,
    ),
    "skypilot-catalog": Sample(
        "nebius", lambda r: lone(csv_lines(test_skypilot.HEADER + ",Currency", r)), each(SKYPILOT_LINE, "Region", "a", "b", "c"), LINES,
        price=("Price",), no_price=NO_CELL, names=(("Region",), ("InstanceType",), ("AcceleratorName",)), other_price="24.00",
        bad=(*dicts("AcceleratorCount", "0", "0.0", "-8", "eight"), *dicts("AcceleratorName", ""), *dicts("InstanceType", ""), {"Price": "", "SpotPrice": ""}),
    ),
    "gpuhunt-catalog": Sample(
        "aws", gpuhunt_payload, each(test_gpuhunt_catalog.P5, "location", "a", "b", "c"), LINES,
        price=("price",), no_price=(*NO_CELL, ""), names=(("location",), ("instance_name",), ("gpu_name",)), other_price="60",
        bad=(*dicts("gpu_count", "", "eight", "-8"), *dicts("spot", "", "maybe"), *dicts("instance_name", "")),
        n_rejects=1,
    ),
    "own-prices": Sample(
        "mine", lambda r: {"mine.csv": csv_lines(",".join([*SOUND, "region"]), r)}, each(SOUND, "region", "a", "b", "c"), LINES,
        price=("price",), no_price=(*(c for c in NO_CELL if c != '"1,5"'), '"1,500"', ""), other_price="3",
        names=(("region",), ("seller",), ("accelerator",)),
        bad=tuple({name: ""} for name in SOUND),
    ),
    "ecb-reference-rates": Sample(
        "history", lambda r: lone(csv_lines("Date,USD,JPY", r)),
        tuple({"Date": f"2026-10-{day}", "USD": "1.1172", "JPY": "175.68"} for day in (30, 29, 28)), LINES,
        price=("USD",), no_price=(*NO_CELL, ""), other_price="1.2", bad=dicts("Date", "", "30.10.2026", "soon"),
    ),
    "aws-price-list": Sample(
        "us-east-1", lambda r: lone(test_aws.price_list(*r)),
        tuple(test_aws.cells({"SKU": f"SKU-{n}", "Instance Type": f"p5.{n}"}) for n in "abc"), ("SKU-a", "SKU-b", "SKU-c"),
        price=("PricePerUnit",), no_price=("", "0.0000000000", "-55.04", "nan", "inf", "1" * 400, "55,04", "free"),
        names=(("Region Code",), ("Instance Type",)), other_price="98.32",
        bad=(
            *dicts("Unit", "Quantity", "Mo"), *dicts("Currency", ""), *dicts("Region Code", ""), *dicts("EndingRange", "750"),
            *dicts("RateCode", "OTHER-SKU-b.JRTCKXETXF.6YS6EN2CT7"),
        ),
    ),
    "gcp-billing-catalog": Sample(
        "compute-engine", gcp_payload, tuple(map(gcp_sku, "abc")), ("GPU-a", "GPU-b", "GPU-c"), names=(),
        required=(
            ("pricingInfo",), RATE, (*UNIT, "currencyCode"), (*EXPRESSION, "usageUnit"), ("serviceRegions",),
            ("category",),
        ),
        bad=(
            {(*UNIT, "units"): "0", (*UNIT, "nanos"): 0}, *dicts((*UNIT, "units"), "-1", "1.5", "9" * 400, "free"),
            *dicts((*UNIT, "nanos"), 10**9, "5"), *dicts((*EXPRESSION, "usageUnit"), "mo", ["h"]),
            *dicts(RATE, [{}, {}]), *dicts("description", DROP, None), *dicts((*UNIT, "currencyCode"), "dollars"), *dicts("serviceRegions", "b", [1]),
        ),
        n_rejects=1,
    ),
    "verda": Sample(
        "pricing", lambda r: lone(price_pages.verda_page([*r, *price_pages.VERDA_PAGE])),
        tuple(price_pages.verda_offer(90 + i, f"1x B{i}00 192GB spot", "Hourly spot instance price", 1.5) for i in (1, 2, 3)),
        ("#offer-91", "#offer-92", "#offer-93"), is_page=True, price=("price",), no_price=(None, "", "free", True, 0, -1, 2.5, 10**400),
        bad=(
            *dicts("priceCurrency", "EUR", None, "dollars"), *dicts(("priceSpecification", "unitText"), "month"),
            *dicts("description", "Hourly on-demand instance price", "Monthly spot instance price"), *dicts("name", "B100 spot"),
            {"price": 1500, "priceSpecification": {}}, *dicts("validFrom", "soon"),
        ),
    ),
    "crusoe": Sample(
        "pricing", lambda r: lone(price_pages.crusoe_page([*r, *price_pages.CRUSOE_GPUS])),
        tuple(("NVIDIA X", f"{m}GB", "HGX", "$4.29/GPU-hr", "Contact sales") for m in (10, 20, 30)),
        ("line 1 (", "line 2 (", "line 3 ("), is_page=True, price=(3,), other_price="$9.99/GPU-hr",
        no_price=("$3.90", "$3.90/hr", "$3.90/vCPU-hr", "$31.20 per 8-GPU node", "3.90/GPU-hr", "$0.00/GPU-hr"),
    ),
    "hyperstack": Sample(
        "pricing", lambda r: lone(price_pages.hyperstack_page([*r, *price_pages.HYPERSTACK_ON_DEMAND])),
        tuple((f"NVIDIA X{i}", "192", "31", "256", "$6.00") for i in range(3)),
        tuple(f"on-demand gpu pricing line {i}" for i in (1, 2, 3)), is_page=True, price=(4,), no_price=NO_PAGE_CELL, names=((0,),),
        bad=({0: ""},), junk=(("NVIDIA B100", "192", "$6.00"),),
    ),
    "nebius": Sample(
        "pricing",
        lambda r: lone(price_pages.nebius_page([("NVIDIA GPU Instances", price_pages.NEBIUS_HEADER, [*r, *price_pages.NEBIUS_GPUS[:5]])])),
        tuple((f"NVIDIA X{i}", "16", "200", "$2.15", "$3.85") for i in range(3)), ("table 1 row 1", "table 1 row 2", "table 1 row 3"),
        is_page=True, price=(4,), no_price=NO_PAGE_CELL, names=((0,),), bad=({0: ""},), junk=(("NVIDIA HGX B100", "16", "$1"),),
    ),
    "lambda": Sample("pricing", lambda r: lone(price_pages.lambda_page()), is_page=True),
    "coreweave": Sample("pricing", lambda r: lone(price_pages.coreweave_page()), is_page=True),
    "together": Sample("pricing", lambda r: lone(price_pages.together_page()), is_page=True),
    "vast-ccir-archive": Sample("2026-03-06", lambda r: stored("prices/vast/bundles_2026-03-06.json")),
    "epoch": Sample(
        "ml_hardware", lambda r: lone(csv_lines("Hardware name,Memory (bytes),TDP (W)", r)),
        tuple({"Hardware name": n, "Memory (bytes)": "8e10", "TDP (W)": "700.0"} for n in "ABC"), LINES,
        price=("Memory (bytes)",), no_price=("0", "inf", "nan", "-5", "80 GB", '"1,000"'), names=(("Hardware name",),),
    ),
    "rocm": Sample("gpu-arch-specs", lambda r: stored("specs/vendor/rocm_gpu-arch-specs.rst")),
    "neuron": Sample("trainium2", lambda r: stored("specs/vendor/neuron_trainium2.rst")),
    "nvidia": Sample("h100", lambda r: lone(spec_pages.NVIDIA["h100"].encode()), is_page=True),
    "amd": Sample("mi300x", lambda r: lone(spec_pages.AMD["mi300x"].encode()), is_page=True),
    "google-tpu": Sample("v5e", lambda r: lone(spec_pages.GOOGLE["v5e"].encode()), is_page=True),
    "gaudi": Sample("gaudi3", lambda r: lone(spec_pages.GAUDI["gaudi3"].encode()), is_page=True),
    "codecarbon": Sample(
        "countries", lambda r: lone(keyed(r).encode()),
        tuple((c, {"carbon_intensity": 56.039, "country_name": c, "year": 2023}) for c in ("FRA", "DEU", "ESP")),
        ("FRA", "DEU", "ESP"), is_keyed=True,
        price=(1, "carbon_intensity"), no_price=(DROP, None, "", "n/a", True, [], {}, 0, -3.5, NAN, INF, 10**400, 380950),
        bad=(*dicts((1, "year"), "last"),),
        junk=JUNK,
    ),
    "mlenergy": Sample(
        "leaderboard", mlenergy_payload, each(MLENERGY_ENTRY, "max_num_seqs", 4, 8, 16), at_index("configurations[{}]"),
        price=("median_itl_ms",), required=(("avg_power_watts",), ("num_gpus",), ("gpu_model",)), names=(("gpu_model",),),
        bad=(*dicts("num_gpus", "four", 0.5, 0), *dicts("gpu_model", " "), *dicts("energy_per_token_joules", 11.0, 0, -1)),
        junk=JUNK,
    ),
    "inferencex": Sample(
        "m", lambda r: {"benchmarks.json": json.dumps(r).encode()}, each(TWO_POOLS, "date", "2026-06-01", "2026-06-02", "2026-06-03"),
        at_index("[{}]"), price=("metrics", "output_tput_per_gpu"), required=(("metrics",), ("num_decode_gpu",)), names=(("hardware",),),
        bad=(
            *dicts("num_decode_gpu", 0, 11), *dicts("isl", 0.5, 0), *dicts("metrics", {}),
            {"disagg": False, "decode_tp": 4, "decode_ep": 1, "conc": 1},
        ),
        junk=JUNK,
    ),
}  # fmt: skip
