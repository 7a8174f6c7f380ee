"""The seeds that say who sells, what a type or a name holds and where a region lies, against every payload at hand.

The payloads are read here a second way: plain csv and json, no parser of ours.
"""

import csv
import itertools
import json
import re
import re._parser
from functools import cache
from pathlib import Path

import duckdb
import pytest

from ingest.prices import gcp_offers, offers
from ingest.prices.gcp_machines import MACHINES
from ingest.prices.gcp_skus import OLD_TPU_TYPES
from warehouse.storage.home import SNAPSHOT_DIR

ROOT = Path(__file__).resolve().parents[3]
SHARED = ROOT.parent / "shared"
PRICES = SHARED / "data" / "prices"

needs_prices = pytest.mark.skipif(not PRICES.is_dir(), reason="the real upstream files are not there")


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def json_of(path):
    return json.loads(path.read_text("utf-8"))


@cache
def seed(name):
    return rows_of(ROOT / "dbt_project" / "seeds" / f"{name}.csv")


@cache
def specs():
    return {row["accelerator_id"]: row for row in seed("accelerator_specs")}


@cache
def provider_of(published):
    (provider,) = {
        r["provider"] for r in seed("cloud_provider_aliases") if r["name_published"] == published.lower()
    }
    return provider


@cache
def compiled(pattern):
    return re.compile(pattern, re.IGNORECASE | re.ASCII)


def matches(name, column, provider, value):
    """The rows of the provider in a seed whose pattern matches all of the value."""
    return [r for r in seed(name) if r["provider"] == provider and compiled(r[column]).fullmatch(value)]


@cache
def of_type(provider, instance_type):
    return matches("instance_accelerators", "instance_type_regex", provider, instance_type)


@cache
def of_region(provider, region):
    return matches("cloud_regions", "region_regex", provider, region)


def count_of(row, instance_type):
    if row["count_rule"] in ("group1", "group1/2"):
        number = int(compiled(row["instance_type_regex"]).fullmatch(instance_type)[1])
        return number / 2 if row["count_rule"] == "group1/2" else number
    return float(row["accelerator_count"]) if row["accelerator_count"] else None


def country_of(provider, region):
    (row,) = of_region(provider, region)
    if row["country_rule"] == "group1":
        return compiled(row["region_regex"]).fullmatch(region)[1].upper()
    return row["country"]


def of_name(name, memory_gb=None, provider="*"):
    """The rows for a GPU's name: those of the provider if there are any, else the general ones."""
    words = re.sub(r"[^a-z0-9.]+", " ", name.lower()).strip()
    said = re.search(r"([0-9]+) ?gb", name.lower())
    memory = str(round(memory_gb)) if memory_gb is not None else said[1] if said else ""
    neutral = "|".join(r["pattern"] for r in seed("accelerator_name_words") if r["is_in_prices"] == "true")
    shortened = re.sub(" +", " ", re.sub(rf"\b(?:{neutral})\b", " ", words, flags=re.IGNORECASE)).strip()
    for wording, of in itertools.product((words, shortened), (provider, "*")):
        hits = matches("gpu_name_accelerators", "name_regex", of, wording)
        if hits := [r for r in hits if compiled(r["memory_gb_regex"]).fullmatch(memory)]:
            return hits
    return []


def meaning(name, memory_gb=None, provider="*"):
    hits = of_name(name, memory_gb, provider)
    assert len(hits) <= 1, (name, memory_gb, [r["name_regex"] for r in hits])
    return (hits[0]["accelerator_id"] or hits[0]["rule"]) if hits else None


@cache
def skypilot():
    """(provider, line) of every accelerator line of the SkyPilot catalogs."""
    return [
        (provider_of(path.name.split("_")[0]), line)
        for path in sorted((PRICES / "skypilot").glob("*.csv"))
        for line in rows_of(path)
        if line["AcceleratorName"]
    ]


def memory_of(line):
    """GB of one accelerator of a SkyPilot line, None where it does not say."""
    said = re.search(r"SizeInMiB['\"]?: (\d+)", line["GpuInfo"])
    return int(said[1]) / 1024 or None if said else None


def aws_products():
    for path in sorted((PRICES / "aws").glob("*.json")):
        for product in json_of(path)["products"].values():
            attributes = product["attributes"]
            if attributes.get("gpu", "0") != "0" or re.match("trn|inf", attributes.get("instanceType", "")):
                yield attributes


def runpod():
    types = json_of(PRICES / "runpod" / "gpu_types.json")["data"]["gpuTypes"]
    return [gpu for gpu in types if gpu["id"] != "unknown"]


def vast():
    archive = json_of(PRICES / "vast" / "bundles_2026-03-06.json")["offers_by_model"].values()
    fixture = json_of(PRICES / "vast" / "bundles_fixture_2026-07-18.json")["offers"]
    return [*itertools.chain(*archive), *fixture]


@cache
def stated_in_payloads():
    """(provider, instance type, region) of every offer with accelerators, as far as the payload states them."""
    out = {(provider, line["InstanceType"], line["Region"]) for provider, line in skypilot()}
    out |= {("aws", a["instanceType"], a["regionCode"]) for a in aws_products()}
    for path in (PRICES / "azure").glob("*.json"):
        for item in json_of(path)["Items"]:
            is_gpu = re.match("Standard_N", item["armSkuName"])
            out.add(("azure", item["armSkuName"] if is_gpu else "", item["armRegionName"]))
    out |= {("runpod", gpu["id"], "") for gpu in runpod()}
    for server in json_of(PRICES / "scaleway" / "observed_rows_2026-08.json"):
        out.add(("scaleway", server["instance_name"], server["zone"]))
    for item in json_of(PRICES / "gpuhunt" / "observed_rows_2026-07_08.json"):
        provider = "aws" if item["instance_name"].startswith("p5") else "gcp"
        out.add((provider, item["instance_name"], item["location"]))
    # the name alone leaves the memory open: a 40 or 80 GB part, a modified card
    out |= {("vast", f"{o['gpu_name']} {o['gpu_ram']:.0f}", o.get("geolocation") or "") for o in vast()}
    for line in rows_of(PRICES / "history" / "gpu_prices_daily_2026-07-18_2026-08-22.csv"):
        out.add((provider_of(line["provider"]), line["sku"].removesuffix(" (Windows)"), line["region"]))
    for line in rows_of(SHARED / "facts" / "hyperscaler_price_points.csv"):
        out.add((line["provider"], line["instance_type"], line["region"]))
    out |= {("gcp", name, "") for name in (*(m.name for m in MACHINES), *OLD_TPU_TYPES.values())}
    for tpu in json_of(PRICES / "gcp_tpu" / "tpu_pricing_2024-12-23.json").values():
        out |= {("gcp", "", region) for region in tpu}
    return out


@needs_prices
def test_every_provider_of_the_payloads_is_known():
    providers = {r["provider"] for r in seed("cloud_providers")}
    assert {p: provider_of(p) for p in providers} == {p: p for p in providers}
    seen = {o["provider_id"] for o in json_of(PRICES / "curated" / "gpu_offerings_2026-05-24.json")}
    seen |= {p["id"] for p in json_of(PRICES / "curated" / "gpu_providers.json")}
    seen |= {r["provider"] for r in rows_of(SHARED / "facts" / "instance_accelerators.csv")}
    tracked = rows_of(PRICES / "history" / "aggregator_daily_2025-10_2025-11.csv")
    seen |= {p for r in tracked for p in r["providers"].split("|")}
    assert len(seen) > 35 and {provider_of(name) for name in seen} <= providers


@needs_prices
def test_every_type_of_the_payloads_has_exactly_one_row():
    types = {(provider, name) for provider, name, _ in stated_in_payloads() if name}
    assert len(types) > 200
    assert {at: len(of_type(*at)) for at in types} == dict.fromkeys(types, 1)


NO_COUNTRY = {  # a region for everything, a price for three countries, and one whose country no public page says
    ("hyperbolic", "default"),
    ("runpod", "secure-cloud EU (EU-RO/EU-SE/EU-NL)"),
    ("lambda", "europe-south-1"),
}


@needs_prices
def test_every_region_of_the_payloads_lies_in_one_country():
    regions = {(provider, region) for provider, _, region in stated_in_payloads() if region}
    assert len(regions) > 150
    assert {at for at in regions if not re.fullmatch("[A-Z]{2}", country_of(*at))} == NO_COUNTRY


def spellings(pattern):
    """Some texts a pattern of the seeds matches: each alternative and option once, 8 for digits."""

    def of(tree):
        return ["".join(parts) for parts in itertools.product(*(item(*node) for node in tree))]

    def item(op, arg):
        match str(op):
            case "LITERAL":
                return [chr(arg)]
            case "BRANCH":
                return [text for tree in arg[1] for text in of(tree)]
            case "SUBPATTERN":
                return of(arg[3])
            case "MAX_REPEAT":
                low, _, tree = arg
                return [text * max(low, 1) for text in of(tree)] + ([""] if low == 0 else [])
            case "IN":
                singles = [chr(value) for kind, value in arg if str(kind) == "LITERAL"]
                ends = [chr(end) for kind, value in arg if str(kind) == "RANGE" for end in value]
                return singles + ends or ["8"]
        return ["x"]

    return of(re._parser.parse(pattern))


@pytest.mark.parametrize(
    ("name", "column"),
    [("instance_accelerators", "instance_type_regex"), ("cloud_regions", "region_regex")],
)
def test_no_two_rows_match_the_same_text(name, column):
    """Every pattern, spelled out, is matched by its own row only."""
    spelled = {
        (r["provider"], text)
        for r in seed(name)
        if r.get("country_rule") != "group1"
        for text in spellings(r[column])
    }
    assert len(spelled) >= 250
    assert {at: len(matches(name, column, *at)) for at in spelled} == dict.fromkeys(spelled, 1)


@pytest.mark.skipif(not (SHARED / "facts").is_dir(), reason="the collected facts are not there")
def test_collected_facts_agree_in_accelerator_and_count():
    """A list made by others, spelled out."""
    facts = rows_of(SHARED / "facts" / "instance_accelerators.csv")
    said = {
        (provider_of(fact["provider"]), text): (fact["accelerator_id"], count_of(fact, text))
        for fact in facts
        for text in spellings(fact["instance_type_regex"])
    }
    ours = {at: [(row["accelerator_id"], count_of(row, at[1])) for row in of_type(*at)] for at in said}
    assert len(said) > 250 and ours == {at: [part] for at, part in said.items()}


@needs_prices
def test_skypilot_agrees_in_name_count_and_memory():
    """A second source for each type: AcceleratorName, AcceleratorCount, SizeInMiB."""
    checked = 0
    for provider, line in skypilot():
        (row,) = of_type(provider, line["InstanceType"])
        count = count_of(row, line["InstanceType"])
        if count is not None:
            assert count == float(line["AcceleratorCount"]), line
        if not row["accelerator_id"]:
            continue
        checked += 1
        chip = re.match(r"(?:RTX[ -]?)?(?:PRO[ -]?)?[A-Z]*\d+[A-Z]*", line["AcceleratorName"])[0]
        chip = re.sub(r"[ -]|^RTX", "", chip).lower()
        assert chip in row["accelerator_id"].replace("-", ""), (line["AcceleratorName"], row)
        said, memory = memory_of(line), float(specs()[row["accelerator_id"]]["memory_gb"])
        assert said is None or 0.85 < said / memory < 1.15, (line, memory)
    assert checked > 100


@needs_prices
def test_other_payloads_agree_in_count():
    counts = {
        ("scaleway", server["instance_name"]): server["gpu"]
        for server in json_of(PRICES / "scaleway" / "observed_rows_2026-08.json")
    }
    counts |= {("aws", a["instanceType"]): float(a["gpu"]) for a in aws_products() if a.get("gpu")}
    points = rows_of(SHARED / "facts" / "hyperscaler_price_points.csv")
    for line in points:
        at = line["provider"], line["instance_type"]
        assert of_type(*at)[0]["accelerator_id"] == line["accelerator_id"]
        counts[at] = float(line["accelerator_count"])
    assert len(points) == 78
    assert {at: count_of(of_type(*at)[0], at[1]) for at in counts} == counts


@needs_prices
def test_regions_agree_with_the_places_the_payloads_name():
    vast_regions = {o["geolocation"] for o in vast() if o.get("geolocation")}
    assert {r: country_of("vast", r) for r in vast_regions} == {r: r[-2:] for r in vast_regions}
    places = {
        "N. Virginia": "US", "South Carolina": "US", "Ohio": "US", "Iowa": "US", "Oregon": "US", "Oklahoma": "US",
        "Ireland": "IE", "Netherlands": "NL", "Tokyo": "JP", "Taiwan": "TW", "Singapore": "SG", "London": "GB",
        "Mumbai": "IN", "Belgium": "BE", "Israel": "IL",
    }  # fmt: skip
    named = {("aws", a["regionCode"]): a["location"] for a in aws_products()}
    for tpu in json_of(PRICES / "gcp_tpu" / "tpu_pricing_2024-12-23.json").values():
        named |= {("gcp", region): price["Location"] for region, price in tpu.items()}
    expected = {at: c for at, location in named.items() for p, c in places.items() if p in location}
    assert len(expected) > 8 and {at: country_of(*at) for at in expected} == expected


@pytest.mark.parametrize(
    ("provider", "instance_type", "accelerator_id", "count"),
    [
        ("aws", "p6e-gb200.36xlarge", "nvidia-gb200-186gb", 4),  # 36xlarge is 144 vCPU
        ("aws", "g5.16xlarge", "nvidia-a10g", 1),
        ("aws", "trn2.48xlarge", "aws-trainium2", 16),
        ("aws", "g6f.4xlarge", "", 0.5),
        ("aws", "p2.8xlarge", "nvidia-k80", 4),  # 8 GPUs on 4 boards
        ("azure", "Standard_ND128isr_NDR_GB200_v6", "nvidia-gb200-186gb", 4),  # 128 vCPU
        ("azure", "Standard_ND96asr_v4", "nvidia-a100-sxm-40gb", 8),
        ("azure", "Standard_NC40ads_H100_v5", "nvidia-h100-nvl-94gb", 1),
        ("gcp", "v5p-8", "google-tpu-v5p", 4),  # cores, two a chip
        ("gcp", "v5litepod-8", "google-tpu-v5e", 8),  # chips
        ("lambda", "gpu_1x_a100", "nvidia-a100-pcie-40gb", 1),
        ("azure", "Standard_NC36ds_xl_RTXPRO6000BSE_v6", "", 0.25),  # not one GPU for 36 vCPU
        ("azure", "Standard_NC288lds_xl_RTXPRO6000BSE_v6", "nvidia-rtx-pro-6000-server", 2),
        # Microsoft's tables of 2026-03-18; swedencentral asks 7.15, 14.30 and 18.59 for them, as for NC144 and NC288 (NC324: more CPU)
        *(
            ("azure", f"Standard_NC{vcpus}{form}_xl_RTXPRO6000BSE_v6", "nvidia-rtx-pro-6000-server", count)
            for vcpus, count in ((132, 1), (264, 2), (324, 2))
            for form in ("lds", "ds")
        ),
        (
            "azure",
            "Standard_NC320ds_xl_RTXPRO6000BSE_v6",
            "nvidia-rtx-pro-6000-server",
            2,
        ),  # not 2.5 by its vCPUs
        ("vultr", "vcg-a100-1c-6g-4vram", "", None),
        ("vultr", "vcg-a100-12c-120g-80vram", "nvidia-a100-pcie-80gb", 1),
        ("runpod", "NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb", "", 0.25),
        ("vast", "RTX 4090 49140", "", None),  # modified
        ("vast", "A100 SXM4", "", None),  # 40 or 80
    ],
)
def test_easy_mistakes(provider, instance_type, accelerator_id, count):
    (row,) = of_type(provider, instance_type)
    assert (row["accelerator_id"], count_of(row, instance_type)) == (accelerator_id, count)


@pytest.mark.parametrize(
    ("provider", "region", "country"),
    [
        ("aws", "us-east-1-bue-1", "AR"), ("aws", "eu-central-1-waw-1", "PL"), ("aws", "eu-central-2", "CH"),
        ("aws", "ap-east-2", "TW"), ("azure", "northeurope", "IE"), ("azure", "eastasia", "HK"),
        ("azure", "southindia", "IN"), ("azure", "southcentralus", "US"), ("gcp", "northamerica-south1", "MX"),
        ("gcp", "europe-west4-b", "NL"), ("oci", "uk-gov-london-1", "GB"), ("nebius", "eu-north2", "IS"),
        ("verda", "ICE-01", "IS"), ("seeweb", "ch-lug1", "CH"), ("runpod", "CA-MTL-3", "CA"), ("vast", ", US", "US"),
    ],
)  # fmt: skip
def test_a_region_lies_where_it_lies(provider, region, country):
    assert country_of(provider, region) == country


@pytest.mark.parametrize(
    ("provider", "region", "state"),
    [
        ("aws", "us-east-1c", "VA"),
        ("aws", "us-east-1-dfw-2a", "TX"),
        ("aws", "us-gov-east-1", None),
        ("azure", "eastus2euap", None),
        ("azure", "westus3", "AZ"),
        ("gcp", "us-central2-b", "OK"),
        ("runpod", "US-TX-3", "TX"),
    ],
)
def test_a_region_lies_in_one_state_at_most(provider, region, state):
    found = matches("cloud_region_us_states", "region_regex", provider, region)
    states = [r["us_state"] or compiled(r["region_regex"]).fullmatch(region)[1] for r in found]
    assert states == ([state] if state else [])


def test_every_state_of_a_region_has_a_grid():
    files = f"{SNAPSHOT_DIR}/grid_intensities/*__us-states@*.parquet"
    shipped = {state for (state,) in duckdb.sql(f"select distinct us_state from '{files}'").fetchall()}
    assert len(shipped - {None}) == 51
    assert {r["us_state"] for r in seed("cloud_region_us_states") if r["state_rule"] == "fixed"} <= shipped


@pytest.mark.parametrize(
    ("provider", "instance_type", "region"),
    [
        ("aws", "p5.96xlarge", "us-east-9"),
        (
            "azure",
            "Standard_NC64ds_xl_RTXPRO6000BSE_v6",
            "atlantis",
        ),  # of the preview: no table counts its part
        ("gcp", "a3-highgpu-8g-extra", "europe-west99"),
        ("runpod", "NVIDIA H100 80GB HBM3 MIG", "unknown"),
    ],
)
def test_what_is_not_known_stays_unmapped(provider, instance_type, region):
    assert of_type(provider, instance_type) == of_region(provider, region) == []


def test_the_regions_of_aws_are_complete():
    """The partitions aws, aws-cn, aws-us-gov and aws-eusc as botocore's endpoints.json of 2026-11 lists them."""
    regions = {
        "af-south-1", "ap-east-1", "ap-east-2", "ap-northeast-1", "ap-northeast-2", "ap-northeast-3",
        "ap-south-1", "ap-south-2", "ap-southeast-1", "ap-southeast-2", "ap-southeast-3", "ap-southeast-4",
        "ap-southeast-5", "ap-southeast-6", "ap-southeast-7", "ca-central-1", "ca-west-1", "eu-central-1",
        "eu-central-2", "eu-north-1", "eu-south-1", "eu-south-2", "eu-west-1", "eu-west-2",
        "eu-west-3", "il-central-1", "me-central-1", "me-south-1", "mx-central-1", "sa-east-1",
        "us-east-1", "us-east-2", "us-west-1", "us-west-2", "cn-north-1", "cn-northwest-1",
        "us-gov-east-1", "us-gov-west-1", "eusc-de-east-1",
    }  # fmt: skip
    assert {r: len(of_region("aws", r)) for r in regions} == dict.fromkeys(regions, 1)


@pytest.mark.parametrize(
    ("name", "memory", "provider", "expected"),
    [
        ("NVIDIA H100", 80, "*", "ambiguous"),
        ("H100 NVLink 80GB", None, "*", "ambiguous"),
        ("H100-80G-PCIe-NVLink", 80, "*", "nvidia-h100-pcie-80gb"),
        ("NVIDIA H100 NVLink", 80, "hyperstack", "nvidia-h100-pcie-80gb"),
        ("NVIDIA HGX H100", None, "*", "nvidia-h100-sxm-80gb"),
        ("NVIDIA-H100-80GB-HBM3", 79.6, "*", "nvidia-h100-sxm-80gb"),
        ("H100 SXM", 96, "*", None),
        ("NVIDIA H200", 141, "*", "ambiguous"),
        ("NVIDIA H200", 141, "runpod", "nvidia-h200-sxm-141gb"),
        ("NVIDIA B300", 180, "*", "ambiguous"),  # the memory is a B200's
        ("B200", 192, "*", "nvidia-b200-sxm-180gb"),
        ("GH200_480GB", None, "*", "ambiguous"),  # memory of the CPU
        ("A100_80GB PCIe", None, "*", "nvidia-a100-pcie-80gb"),
        ("A100 SXM", None, "*", "ambiguous"),
        ("Tesla V100", 16, "*", "ambiguous"),
        ("Tesla V100", 16, "verda", "nvidia-v100-sxm2-16gb"),
        ("Tesla V100-FHHL-16GB", 16, "*", "nvidia-v100-fhhl-16gb"),
        ("Tesla V100 SXM3 32 GB", None, "*", "nvidia-v100-sxm3-32gb"),
        ("H100_PCIE_BAREMETAL", 80, "*", "nvidia-h100-pcie-80gb"),
        ("A100-SXM4-80GB BareMetal", 80, "*", "nvidia-a100-sxm-80gb"),
        ("NVIDIA H200 SXM Tensor Core GPU, air cooled", 141, "*", "nvidia-h200-sxm-141gb"),
        ("H100 NVL144", 94, "*", None),
        ("H100-1g.10gb", 80, "*", None),
        ("GRID A100-4C", 40, "*", None),
        ("L40S-12Q", None, "*", None),
        ("H100 SXM Ultra", 80, "*", None),
        ("RTX 4090", 48, "*", "no_id"),
        ("Quadro RTX 6000", 24, "*", "no_id"),  # Turing
        ("RTX PRO 6000", 96, "*", "ambiguous"),
        ("RTX PRO 6000 SE", 96, "*", "nvidia-rtx-pro-6000-server"),
        ("PRO 6000 MIG 24GB", 24, "*", "fraction"),
        ("L40", 48, "*", "nvidia-l40"),
        ("L40S", 45, "*", "nvidia-l40s"),
        ("tpu-v5litepod-8", None, "*", "google-tpu-v5e"),
    ],
)
def test_what_a_name_means(name, memory, provider, expected):
    assert meaning(name, memory, provider) == expected


def test_a_name_has_one_meaning_and_its_form_factor_comes_from_words():
    """Every combination of board, chip, form factor and memory, sensible or not."""
    chips = (
        "H100", "H200", "H20", "H800", "B200", "GB200", "B300", "GB300", "GH200", "A100", "A800", "V100", "A10", "A10G", "L4",
        "L40", "L40S", "RTX 4090", "RTX PRO 6000", "RTX 6000 Ada", "RTX A6000", "Quadro RTX 6000", "MI300X", "T4",
    )  # fmt: skip
    forms = ("", " SXM5", " PCIe", " NVL", " NVLink", " SXM4 NVLink", " PCIe NVLink", " CC")
    said = {"sxm": "sxm|hgx", "sxm2": "sxm|nvlink", "pcie": "pcie", "nvl": r"nvl\b"}
    for board, chip, form in itertools.product(("", "NVIDIA HGX ", "Tesla "), chips, forms):
        for memory in (None, 16, 24, 32, 40, 48, 80, 94, 96, 141, 144, 180, 192, 288):
            name = f"{board}{chip}{form}"
            part = re.fullmatch(
                "nvidia-(a100|h100|h200|h800|v100)-(sxm2?|pcie|nvl)-.*", meaning(name, memory) or ""
            )
            assert part is None or re.search(said[part[2]], name.lower()), (name, part[0])


def test_more_letters_make_another_part():
    names = ("H100 SXM", "H200 SXM", "B200", "GB200", "A100 SXM 80GB", "L40S", "L4", "A10G", "T4", "RTX 4090",
             "MI300X", "MI355X", "TPU v5p", "Gaudi 2", "Trainium 2")  # fmt: skip
    for name in names:
        chip, form = re.fullmatch(r"(.*?)( SXM.*)?", name).groups()
        assert meaning(name) in specs()
        for more in ("X-NEXT", "0", "z9", " Ultra2", " Zq"):
            assert meaning(f"{chip}{more}{form or ''}") != meaning(name)


@needs_prices
def test_every_name_of_the_payloads_means_something():
    named = {
        (words, o["vram_gb"], provider_of(o["provider_id"]))
        for o in json_of(PRICES / "curated" / "gpu_offerings_2026-05-24.json")
        for link in ("", o.get("interconnect") or "")
        for words in [
            o["gpu_model"] if link.lower() in o["gpu_model"].lower() else f"{o['gpu_model']} {link}"
        ]
    }
    tracked = rows_of(PRICES / "history" / "aggregator_daily_2025-10_2025-11.csv")
    named |= {(f"{r['gpu_type']} {r['socket_type']}".strip(), None, "*") for r in tracked}
    named |= {(line["AcceleratorName"], memory_of(line), provider) for provider, line in skypilot()}
    named |= {(gpu[at], gpu["memoryInGb"], "runpod") for gpu in runpod() for at in ("id", "displayName")}
    named |= {(o["gpu_name"], o["gpu_ram"] / 1024, "vast") for o in vast()}
    assert len(named) > 250
    assert [n for n in named if meaning(*n) is None] == []


@needs_prices
def test_types_and_names_never_contradict_each_other():
    named = {
        (provider, line["InstanceType"], line["AcceleratorName"], memory_of(line))
        for provider, line in skypilot()
    }
    named |= {("runpod", g["id"], g[at], g["memoryInGb"]) for g in runpod() for at in ("id", "displayName")}
    both = [
        (row["accelerator_id"], by_name)
        for provider, instance_type, name, memory in named
        for row in of_type(provider, instance_type)
        if row["accelerator_id"] and (by_name := meaning(name, memory, provider)) in specs()
    ]
    assert len(both) > 100 and [pair for pair in both if pair[0] != pair[1]] == []


def test_words_of_the_parsers_that_keep_a_price_from_comparison_are_in_their_seed():
    """A constant reworded in a parser would put such prices into the comparisons."""
    words = {row["purchase_option"] for row in seed("purchase_option_comparability")}
    collected = {
        *("vcpu and ram billed on top", "lowest live offer"),
        *("serverless", "from an article", "starting price"),
    }
    assert words - collected == {
        gcp_offers._NOT_STARTABLE, offers.PLACEHOLDER, offers.ANNOUNCED, offers.ENDED, offers.SUPERSEDED
    }  # fmt: skip
