"""The seeds that say who sells, what a type or a name holds and where a region lies, against every payload at hand.

The payloads are read here a second way (plain csv and json, no parser of ours); patterns are evaluated by DuckDB,
the engine that uses them, and by Python's `re`, and must agree.
"""

import csv
import itertools
import json
import re
from functools import cache
from pathlib import Path

import duckdb
import pytest

from ingest.prices import gcp_offers, offers

ROOT = Path(__file__).resolve().parents[3]
SEEDS = ROOT / "dbt_project" / "seeds"
SHARED = ROOT.parent / "shared"
PRICES = SHARED / "data" / "prices"

# A project without the payloads still tests the seeds themselves.
needs_prices = pytest.mark.skipif(not PRICES.is_dir(), reason="the real upstream files are not there")


@cache
def seed(name):
    with (SEEDS / f"{name}.csv").open(encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


@cache
def specs():
    return {row["accelerator_id"]: row for row in seed("accelerator_specs")}


@cache
def provider_of(published):
    hits = {r["provider"] for r in seed("cloud_provider_aliases") if r["name_published"] == published.lower()}
    assert len(hits) == 1, published
    return hits.pop()


@cache
def compiled(pattern):
    return re.compile(pattern, re.IGNORECASE | re.ASCII)


def full_matches(rows, column, values):
    """{value: rows whose pattern matches all of it}, by Python's `re`; that RE2 agrees is a test of its own."""
    return {v: [r for r in rows if compiled(r[column]).fullmatch(v)] for v in values}


def full_matches_by_duckdb(rows, column, values):
    con = duckdb.connect()
    con.execute("create table word as select unnest(?) as word", [list(values)])
    out = {v: [] for v in values}
    for r in rows:
        query = "select word from word where regexp_full_match(word, ?, 'i')"
        for (word,) in con.execute(query, [r[column]]).fetchall():
            out[word].append(r)
    return out


def of_type(provider, types):
    return full_matches(
        [r for r in seed("instance_accelerators") if r["provider"] == provider],
        "instance_type_regex",
        sorted(types),
    )


def of_region(provider, regions):
    return full_matches(
        [r for r in seed("cloud_regions") if r["provider"] == provider], "region_regex", sorted(regions)
    )


def words_of(name):
    return re.sub(r"[^a-z0-9.]+", " ", name.lower()).strip()


def of_name(name, memory_gb=None, provider="*"):
    """The rows for a GPU's name: those of the provider if there are any, else the general ones."""
    words = words_of(name)
    if memory_gb is None:
        said = re.search(r"([0-9]+) ?gb", name.lower())
        memory_gb = said[1] if said else ""
    else:
        memory_gb = str(round(memory_gb))
    hits = [
        r
        for r in full_matches(seed("gpu_name_accelerators"), "name_regex", [words])[words]
        if r["provider"] in (provider, "*") and compiled(r["memory_gb_regex"]).fullmatch(memory_gb)
    ]
    return [r for r in hits if r["provider"] == provider] or hits


def meaning(name, memory_gb=None, provider="*"):
    hits = of_name(name, memory_gb, provider)
    assert len(hits) <= 1, (name, memory_gb, [r["name_regex"] for r in hits])
    return (hits[0]["accelerator_id"] or hits[0]["rule"]) if hits else None


# ---------------------------------------------------------------- the payloads


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def json_of(path):
    return json.loads(path.read_text("utf-8"))


def offers_in(node):
    if isinstance(node, dict) and "gpu_name" in node:
        yield node
    elif isinstance(node, dict | list):
        for child in node.values() if isinstance(node, dict) else node:
            yield from offers_in(child)


@cache
def skypilot():
    """(cloud, line) of every accelerator line of the SkyPilot catalogs."""
    out = []
    for path in sorted((PRICES / "skypilot").glob("*.csv")):
        cloud = path.name.split("_")[0]
        out += [(cloud, line) for line in rows_of(path) if line["AcceleratorName"]]
    return out


def sizes(line):
    return [int(mib) for mib in re.findall(r"SizeInMiB['\"]?: (\d+)", line["GpuInfo"])]


def aws_products():
    for path in sorted((PRICES / "aws").glob("*.json")):
        for product in json_of(path)["products"].values():
            if (product["attributes"].get("gpu") or "0") != "0" or re.match(
                "trn|inf", product["attributes"].get("instanceType", "")
            ):
                yield product["attributes"]


def runpod():
    types = json_of(PRICES / "runpod" / "gpu_types.json")["data"]["gpuTypes"]
    return [gpu for gpu in types if gpu["id"] != "unknown"]


def vast():
    for path in sorted((PRICES / "vast").glob("*.json")):
        yield from (o for o in offers_in(json_of(path)) if isinstance(o["gpu_name"], str))


@cache
def offers_in_payloads():
    """(provider, instance type, region) of every offer with accelerators, as far as the payload states them."""
    out = [(provider_of(cloud), line["InstanceType"], line["Region"]) for cloud, line in skypilot()]
    out += [("aws", a["instanceType"], a["regionCode"]) for a in aws_products()]
    for path in (PRICES / "azure").glob("*.json"):
        for item in json_of(path)["Items"]:
            is_gpu = re.match("Standard_N", item["armSkuName"])
            out.append(("azure", item["armSkuName"] if is_gpu else "", item["armRegionName"]))
    out += [("runpod", gpu["id"], "") for gpu in runpod()]
    for server in json_of(PRICES / "scaleway" / "observed_rows_2026-08.json"):
        out.append(("scaleway", server["instance_name"], server["zone"]))
    for item in json_of(PRICES / "gpuhunt" / "observed_rows_2026-07_08.json"):
        provider = "aws" if item["instance_name"].startswith("p5") else "gcp"
        out.append((provider, item["instance_name"], item["location"]))
    # the name alone leaves the memory open: a 40 or 80 GB part, a modified card
    out += [("vast", f"{o['gpu_name']} {o['gpu_ram']:.0f}", o.get("geolocation")) for o in vast()]
    for line in rows_of(PRICES / "history" / "gpu_prices_daily_2026-07-18_2026-08-22.csv"):
        out.append((provider_of(line["provider"]), line["sku"].removesuffix(" (Windows)"), line["region"]))
    for line in rows_of(SHARED / "facts" / "hyperscaler_price_points.csv"):
        out.append((line["provider"], line["instance_type"], line["region"]))
    for tpu in json_of(PRICES / "gcp_tpu" / "tpu_pricing_2024-12-23.json").values():
        out += [("gcp", "", region) for region in tpu]
    return out


def stated_in_payloads(column):
    """{provider: instance types (column 1) or regions (column 2)}."""
    out = {}
    for offer in offers_in_payloads():
        if offer[column]:
            out.setdefault(offer[0], set()).add(offer[column])
    return out


# ---------------------------------------------------------------- the files themselves


def test_rules_of_instance_types_can_be_applied():
    for r in seed("instance_accelerators"):
        assert (r["count_rule"] == "fraction") <= (float(r["accelerator_count"] or 0.5) < 1), r
        _, _, candidates = r["note"].partition("candidates ")
        assert set(candidates.split(";")) <= {*specs(), ""}, r
        if r["count_rule"].startswith("group1"):
            # the group must not capture part of a family name: gpu-mi300x8-1536gb has 8, not 300
            group = re.search(r"\((?!\?)([^()]*)\)", r["instance_type_regex"])[1]
            assert group in (r"\d+", "2|4"), r
    for r in seed("gpu_name_accelerators"):
        candidates = r["candidates"].split(";") if r["candidates"] else []
        assert set(candidates) <= set(specs()) and bool(candidates) == (r["rule"] == "ambiguous"), r


def test_providers_under_their_many_names():
    providers = {r["provider"]: r for r in seed("cloud_providers")}
    aliases = {(r["source"], r["name_published"]): r["provider"] for r in seed("cloud_provider_aliases")}
    assert len(aliases) == len(seed("cloud_provider_aliases"))
    assert all(name == name.lower() for _, name in aliases)
    assert {p: aliases["*", p] for p in providers} == {p: p for p in providers}
    expected = {
        "vast-ai": "vast", "vast.ai": "vast", "vastai": "vast", "datacrunch": "verda", "lambdalabs": "lambda",
        "lambda": "lambda", "do": "digitalocean", "crusoecloud": "crusoe", "jarvis-labs": "jarvislabs",
        "scp": "samsung-cloud", "prime": "primeintellect",
    }  # fmt: skip
    assert {name: aliases["*", name] for name in expected} == expected
    assert [p for p, r in providers.items() if r["segment"] == "aggregate"] == ["several", "unnamed"]


@needs_prices
def test_every_provider_of_the_payloads_is_known():
    seen = {o["provider_id"] for o in json_of(PRICES / "curated" / "gpu_offerings_2026-05-24.json")}
    seen |= {p["id"] for p in json_of(PRICES / "curated" / "gpu_providers.json")}
    seen |= {cloud for cloud, _ in skypilot()}
    history = PRICES / "history"
    seen |= {r["provider"] for r in rows_of(history / "gpu_prices_daily_2026-07-18_2026-08-22.csv")}
    seen |= {r["provider"] for r in rows_of(SHARED / "facts" / "instance_accelerators.csv")}
    for name in seen:
        assert provider_of(name)
    sellers = {
        p
        for r in rows_of(history / "aggregator_daily_2025-10_2025-11.csv")
        for p in r["providers"].split("|")
    }
    known = {
        r["name_published"]
        for r in seed("cloud_provider_aliases")
        if r["source"] in ("*", "gpu-price-tracker")
    }
    assert len(sellers) > 10 and sellers <= known


# ---------------------------------------------------------------- instance types


@needs_prices
def test_every_accelerator_type_of_the_payloads_has_exactly_one_row():
    seen = stated_in_payloads(1)
    assert sum(map(len, seen.values())) > 200
    problems = [
        (provider, instance_type, [r["instance_type_regex"] for r in hits])
        for provider, types in seen.items()
        for instance_type, hits in of_type(provider, types).items()
        if len(hits) != 1
    ]
    assert problems == []


def test_no_two_rows_match_the_literal_types_of_each_other():
    """Every pattern, spelled out, is matched by its own row only."""
    for provider in {r["provider"] for r in seed("instance_accelerators")}:
        rows = [r for r in seed("instance_accelerators") if r["provider"] == provider]
        spelled = {s for r in rows for s in spellings(r["instance_type_regex"])}
        assert len(spelled) >= len(rows)
        for instance_type, hits in of_type(provider, spelled).items():
            assert len(hits) == 1, (provider, instance_type, [h["instance_type_regex"] for h in hits])


def spellings(pattern):
    """Some texts a pattern of the seeds matches: each alternative and option once, 8 for digits."""
    import re._parser as parser

    def of(tree):
        return ["".join(parts) for parts in itertools.product(*(item(*node) for node in tree))]

    def one_of(kind, value):
        return ["8"] if kind == "CATEGORY" else map(chr, value if kind == "RANGE" else [value])

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
                some = max(low, 1)
                return [text * some for text in of(tree)] + ([""] if low == 0 else [])
            case "IN":
                return [text for kind, value in arg for text in one_of(str(kind), value)]
            case "ANY":
                return ["x"]
            case "AT":
                return [""]
        raise AssertionError(f"{op} is not used in these patterns")

    return of(parser.parse(pattern))


@needs_prices
def test_skypilot_agrees_in_name_count_and_memory():
    """A second witness for each type: AcceleratorName, AcceleratorCount, SizeInMiB."""
    checked = 0
    for cloud, line in skypilot():
        provider = provider_of(cloud)
        row = of_type(provider, [line["InstanceType"]])[line["InstanceType"]][0]
        count = count_of(row, line["InstanceType"])
        if count is not None:
            assert count == float(line["AcceleratorCount"]), line
        if not row["accelerator_id"]:
            continue
        checked += 1
        chip = re.match(r"(?:RTX[ -]?)?(?:PRO[ -]?)?[A-Z]*\d+[A-Z]*", line["AcceleratorName"])[0]
        chip = re.sub(r"[ -]|^RTX", "", chip).lower()
        assert chip in row["accelerator_id"].replace("-", ""), (line["AcceleratorName"], row)
        said, memory = sizes(line), float(specs()[row["accelerator_id"]]["memory_gb"])
        if said and said[0]:
            assert 0.85 < said[0] / 1024 / memory < 1.15, (line, memory)
    assert checked > 100


def count_of(row, instance_type):
    if row["count_rule"] in ("group1", "group1/2"):
        number = int(re.fullmatch(row["instance_type_regex"], instance_type, re.IGNORECASE)[1])
        return number / 2 if row["count_rule"] == "group1/2" else number
    return float(row["accelerator_count"]) if row["accelerator_count"] else None


@needs_prices
def test_other_payloads_agree_in_count():
    for attributes in aws_products():
        row = of_type("aws", [attributes["instanceType"]])[attributes["instanceType"]][0]
        if attributes.get("gpu"):
            assert float(attributes["gpu"]) == count_of(row, attributes["instanceType"]), attributes
    for server in json_of(PRICES / "scaleway" / "observed_rows_2026-08.json"):
        name = server["instance_name"]
        assert count_of(of_type("scaleway", [name])[name][0], name) == server["gpu"], server
    lines = rows_of(SHARED / "facts" / "hyperscaler_price_points.csv")
    for line in lines:
        row = of_type(line["provider"], [line["instance_type"]])[line["instance_type"]][0]
        assert row["accelerator_id"] == line["accelerator_id"]
        assert count_of(row, line["instance_type"]) == float(line["accelerator_count"])
    assert len(lines) == 78


@pytest.mark.parametrize(
    ("provider", "instance_type", "accelerator_id", "count"),
    [
        ("aws", "p6e-gb200.36xlarge", "nvidia-gb200-186gb", 4),  # 36xlarge is 144 vCPU
        ("azure", "Standard_ND128isr_NDR_GB200_v6", "nvidia-gb200-186gb", 4),  # 128 vCPU
        ("azure", "Standard_ND128isr_GB300_v6", "nvidia-gb300-288gb", 4),
        ("azure", "Standard_NC40ads_H100_v5", "nvidia-h100-nvl-94gb", 1),  # not PCIe 80 GB
        ("azure", "Standard_ND96asr_v4", "nvidia-a100-sxm-40gb", 8),
        ("azure", "Standard_ND96amsr_A100_v4", "nvidia-a100-sxm-80gb", 8),
        ("azure", "Standard_NV6ads_A10_v5", "", 0.1667),
        ("azure", "Standard_NC36ds_xl_RTXPRO6000BSE_v6", "", 0.25),  # not one GPU for 36 vCPU
        ("azure", "Standard_NC288lds_xl_RTXPRO6000BSE_v6", "nvidia-rtx-pro-6000-server", 2),
        ("aws", "g5.16xlarge", "nvidia-a10g", 1),
        ("aws", "g5.12xlarge", "nvidia-a10g", 4),
        ("aws", "g6f.4xlarge", "", 0.5),
        ("aws", "p2.8xlarge", "nvidia-k80", 4),  # 8 GPUs on 4 boards
        ("aws", "trn2.48xlarge", "aws-trainium2", 16),
        ("aws", "inf2.48xlarge", "aws-inferentia2", 12),
        ("gcp", "v5p-8", "google-tpu-v5p", 4),  # cores, two a chip
        ("gcp", "v5litepod-8", "google-tpu-v5e", 8),  # chips
        ("gcp", "g2-standard-32", "nvidia-l4", 1),
        ("gcp", "n1-standard-8 with 2x T4", "nvidia-t4", 2),
        ("lambda", "gpu_1x_a100", "nvidia-a100-pcie-40gb", 1),
        ("lambda", "gpu_4x_a100", "nvidia-a100-pcie-40gb", 4),
        ("lambda", "gpu_8x_a100", "nvidia-a100-sxm-40gb", 8),
        ("hyperstack", "n3-H100x8-NVLink", "nvidia-h100-pcie-80gb", 8),
        ("hyperstack", "n3-RTX-A6000x8", "", None),
        ("seeweb", "ECS4GPU6", "nvidia-l4", 8),  # the size class is not the count
        ("seeweb", "ECS4GPU10", "", 4),
        ("seeweb", "ECS8GPU10", "", 8),
        ("yotta", "8x112v952g_NVIDIA_GeForce_RTX_5090_32G_SECURE", "nvidia-rtx-5090", 8),
        ("digitalocean", "gpu-mi300x8-1536gb", "amd-mi300x", 8),
        ("vultr", "vcg-a100-1c-6g-4vram", "", None),
        ("vultr", "vcg-a100-12c-120g-80vram", "nvidia-a100-pcie-80gb", 1),
        ("runpod", "NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb", "", 0.25),
        ("runpod", "NVIDIA RTX PRO 4500 Blackwell", "", 1),  # the workstation card
        ("vast", "A100 PCIE 40960", "nvidia-a100-pcie-40gb", None),
        ("vast", "A100 PCIE 81920", "nvidia-a100-pcie-80gb", None),
        ("vast", "RTX 4090", "nvidia-rtx-4090", None),
        ("vast", "RTX 4090 49140", "", None),  # modified
        ("vast", "A100 SXM4", "", None),  # 40 or 80
    ],
)  # fmt: skip
def test_easy_mistakes(provider, instance_type, accelerator_id, count):
    (row,) = of_type(provider, [instance_type])[instance_type]
    assert (row["accelerator_id"], count_of(row, instance_type)) == (accelerator_id, count)


@pytest.mark.parametrize(
    ("provider", "instance_type"),
    [
        ("aws", "m5.xlarge"),
        ("aws", "p5.96xlarge"),
        ("azure", "Standard_D8s_v5"),
        ("azure", "Standard_NC128ds_xl_RTXPRO6000BSE_v6"),  # a size of the preview, its share not known
        ("runpod", "unknown"),
        ("runpod", "NVIDIA H100 80GB HBM3 MIG"),
        ("seeweb", "ECS4GPU11"),
        ("gcp", "a3-highgpu-8g-extra"),
    ],
)
def test_what_is_not_known_stays_unmapped(provider, instance_type):
    assert of_type(provider, [instance_type])[instance_type] == []


@needs_prices
def test_no_gathered_fact_is_lost():
    """Only patterns were changed: on Vast the memory belongs to the name."""
    said = ("provider", "accelerator_id", "accelerator_count", "count_rule")
    ours = seed("instance_accelerators")
    for row in rows_of(SHARED / "facts" / "instance_accelerators.csv"):
        same = [r for r in ours if [r[c] for c in said] == [row[c] for c in said]]
        assert same and (
            row["provider"] == "vast"
            or row["instance_type_regex"] in {r["instance_type_regex"] for r in same}
        ), row


# ---------------------------------------------------------------- names of GPUs


@pytest.mark.parametrize(
    ("name", "memory", "provider", "expected"),
    [
        ("NVIDIA H100", 80, "*", "ambiguous"),
        ("H100 80GB", None, "*", "ambiguous"),
        ("H100 NVLink 80GB", None, "*", "ambiguous"),
        ("H100-80G-PCIe-NVLink", 80, "*", "nvidia-h100-pcie-80gb"),
        ("NVIDIA H100 NVLink", 80, "hyperstack", "nvidia-h100-pcie-80gb"),
        ("NVIDIA HGX H100", None, "*", "nvidia-h100-sxm-80gb"),
        ("NVIDIA H100 80GB HGX", 80, "*", "nvidia-h100-sxm-80gb"),
        ("NVIDIA H100 80GB HBM3", 80, "*", "nvidia-h100-sxm-80gb"),
        ("NVIDIA-H100-80GB-HBM3", 79.6, "*", "nvidia-h100-sxm-80gb"),
        ("H100 SXM", 96, "*", None),
        ("H100NVL", 94, "*", "nvidia-h100-nvl-94gb"),
        ("NVIDIA H200", 141, "*", "ambiguous"),
        ("NVIDIA H200", 141, "runpod", "nvidia-h200-sxm-141gb"),
        ("NVIDIA H200 NVL", 143, "runpod", "nvidia-h200-nvl-141gb"),
        ("NVIDIA B300", 180, "*", "ambiguous"),  # the memory is a B200's
        ("B300 SXM6", 262, "*", "nvidia-b300-sxm-270gb"),
        ("NVIDIA B200 NVL", 180, "*", "ambiguous"),
        ("B200", 192, "*", "nvidia-b200-sxm-180gb"),
        ("GH200_480GB", None, "*", "ambiguous"),  # memory of the CPU
        ("GH200_96GB", None, "*", "nvidia-gh200-96gb"),
        ("A100_80GB SXM4", None, "*", "nvidia-a100-sxm-80gb"),
        ("A100_80GB PCIe", None, "*", "nvidia-a100-pcie-80gb"),
        ("A100 SXM", None, "*", "ambiguous"),
        ("A100-80GB", None, "*", "ambiguous"),
        ("A800 80G", 80, "*", "no_id"),
        ("Tesla V100 NVLink", 16, "*", "nvidia-v100-sxm2-16gb"),
        ("Tesla V100", 16, "*", "ambiguous"),
        ("Tesla V100", 16, "verda", "nvidia-v100-sxm2-16gb"),
        ("RTX 4090", 24, "*", "nvidia-rtx-4090"),
        ("RTX 4090 (48 GB mod)", 48, "*", "no_id"),
        ("RTX 4090", 48, "*", "no_id"),
        ("RTX 6000 Ada", 48, "*", "nvidia-rtx-6000-ada"),
        ("Quadro RTX 6000", 24, "*", "no_id"),  # Turing
        ("RTX6000", 24, "*", "no_id"),
        ("RTX PRO 6000", 96, "*", "ambiguous"),
        ("RTX PRO 6000 SE", 96, "*", "nvidia-rtx-pro-6000-server"),
        ("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", 96, "*", "nvidia-rtx-pro-6000-maxq"),
        ("RTX PRO 6000 WK", 96, "*", "nvidia-rtx-pro-6000-workstation"),
        ("PRO 6000 MIG 24GB", 24, "*", "fraction"),
        ("L40", 48, "*", "nvidia-l40"),
        ("L40S", 45, "*", "nvidia-l40s"),
        ("L4", 24, "*", "nvidia-l4"),
        ("TPU v2 pod", None, "*", "google-tpu-v2"),
        ("tpu-v5litepod-8", None, "*", "google-tpu-v5e"),
        ("Trainium2", None, "*", "aws-trainium2"),
        ("NVIDIA H1000", 80, "*", None),
        ("unknown", 0, "*", None),
    ],
)
def test_what_a_name_means(name, memory, provider, expected):
    assert meaning(name, memory, provider) == expected


def made_up_names():
    """Every combination of maker, board, chip and form factor, sensible or not."""
    chips = [
        "H100", "H200", "H20", "H800", "B200", "GB200", "B300", "GB300", "GH200", "A100", "A800", "V100", "P100", "K80",
        "A10", "A10G", "L4", "L40", "L40S", "RTX 4090", "RTX 5090", "RTX PRO 6000", "RTX 6000 Ada", "RTX A6000",
        "RTX A5000", "RTX 4000 Ada", "Quadro RTX 6000", "MI300X", "T4", "A40", "GTX 1080 Ti",
    ]  # fmt: skip
    forms = ["", " SXM", " SXM5", " PCIe", " NVL", " NVLink", " SXM4 NVLink", " PCIe NVLink", " CC"]
    return [
        f"{maker}{board}{chip}{form}"
        for maker in ("", "NVIDIA ")
        for board in ("", "HGX ", "Tesla ")
        for chip in chips
        for form in forms
    ]


def test_no_two_rows_match_one_name():
    memories = [None, 16, 24, 32, 40, 48, 80, 94, 96, 141, 144, 180, 192, 288, 480]
    rows = seed("gpu_name_accelerators")
    by_words = full_matches(rows, "name_regex", {words_of(n) for n in made_up_names()})
    several = [
        (words, memory, [h["name_regex"] for h in tied])
        for words, hits in by_words.items()
        for memory in memories
        for provider in {h["provider"] for h in hits}
        if len(
            tied := [
                h
                for h in hits
                if h["provider"] == provider
                and compiled(h["memory_gb_regex"]).fullmatch("" if memory is None else str(memory))
            ]
        )
        > 1
    ]
    assert several == []
    # the form factor comes from words only
    for words, hits in by_words.items():
        for h in hits:
            part = re.fullmatch("nvidia-(a100|h100|h200|h800|v100)-(sxm2?|pcie|nvl)-.*", h["accelerator_id"])
            if part and h["provider"] == "*":
                said = {"sxm": "sxm|hgx", "sxm2": "sxm|nvlink", "pcie": "pcie", "nvl": r"nvl\b"}[part[2]]
                assert re.search(said, words), (words, h)


def test_more_letters_make_another_part():
    models = ("H100", "H200", "B200", "B300", "GB200", "A100", "V100", "L40S", "L4", "A10G", "T4", "RTX 4090", "MI300X", "MI355X",
              "TPU v5p", "Gaudi 2", "Trainium 2")  # fmt: skip
    forms = ("", " SXM", " SXM 80GB", " PCIe")
    known = {(m, f): meaning(f"NVIDIA {m}{f}" if m in models[:12] else m + f) for m in models for f in forms}
    parts = {key: part for key, part in known.items() if part and "-" in part}
    assert {m for m, _ in parts} >= {"H100", "A100", "MI300X", "TPU v5p"}
    changed = {
        (m + e + f, part) for (m, f), part in parts.items() for e in ("X-NEXT", "0", "z9", " Ultra2", " Zq")
    }
    by_words = full_matches(
        seed("gpu_name_accelerators"), "name_regex", {words_of(name) for name, _ in changed}
    )
    assert [
        n for n, part in changed if part in {h["accelerator_id"] for h in by_words.get(words_of(n), ())}
    ] == []


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
    named |= {
        (f"{r['gpu_type']} {r['socket_type']}".strip(), None, "*")
        for r in rows_of(PRICES / "history" / "aggregator_daily_2025-10_2025-11.csv")
    }
    named |= {
        (line["AcceleratorName"], (sizes(line) or [0])[0] / 1024 or None, provider_of(cloud))
        for cloud, line in skypilot()
    }
    for gpu in runpod():
        named |= {(words, gpu["memoryInGb"], "runpod") for words in (gpu["id"], gpu["displayName"])}
    named |= {(o["gpu_name"], o["gpu_ram"] / 1024, "vast") for o in vast()}
    assert len(named) > 250
    assert [n for n in named if meaning(*n) is None] == []


@needs_prices
def test_types_and_names_never_contradict_each_other():
    """Where both witnesses name a part, it is the same."""
    both = 0
    for cloud, line in skypilot():
        provider = provider_of(cloud)
        row = of_type(provider, [line["InstanceType"]])[line["InstanceType"]][0]
        by_name = meaning(line["AcceleratorName"], (sizes(line) or [0])[0] / 1024 or None, provider)
        if row["accelerator_id"] and by_name in specs():
            both += 1
            assert by_name == row["accelerator_id"], line
    for gpu in runpod():
        for row in of_type("runpod", [gpu["id"]])[gpu["id"]]:
            for words in (gpu["id"], gpu["displayName"]):
                by_name = meaning(words, gpu["memoryInGb"], "runpod")
                if by_name in specs():
                    both += 1
                    assert by_name == row["accelerator_id"], gpu
    assert both > 100


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("instance_accelerators", "instance_type_regex"),
        ("gpu_name_accelerators", "name_regex"),
        ("gpu_name_accelerators", "memory_gb_regex"),
        ("cloud_regions", "region_regex"),
    ],
)
def test_duckdb_reads_the_patterns_as_python_does(name, column):
    values = {s for r in seed(name) if column != "name_regex" for s in spellings(r[column])}
    values |= {words_of(n) for n in made_up_names()} if column == "name_regex" else {"", "8", "80", "unknown"}
    assert len(values) > 40
    rows = seed(name)
    assert full_matches_by_duckdb(rows, column, values) == full_matches(rows, column, values)


# ---------------------------------------------------------------- regions


def country_of(provider, region):
    (row,) = of_region(provider, [region])[region]
    if row["country_rule"] == "group1":
        return re.fullmatch(row["region_regex"], region, re.IGNORECASE)[1].upper()
    return row["country"]


# Regions that name no single country: a catalogue with one region for everything, a price for three countries of
# the EU, and a region whose country no public page says.
NO_COUNTRY = {
    ("hyperbolic", "default"),
    ("runpod", "secure-cloud EU (EU-RO/EU-SE/EU-NL)"),
    ("lambda", "europe-south-1"),
}


@needs_prices
def test_every_region_of_the_payloads_lies_in_one_country():
    seen = stated_in_payloads(2)
    assert sum(map(len, seen.values())) > 150
    for provider, regions in seen.items():
        for region, hits in of_region(provider, regions).items():
            assert len(hits) == 1, (provider, region, hits)
            country = country_of(provider, region)
            assert bool(re.fullmatch("[A-Z]{2}", country)) == ((provider, region) not in NO_COUNTRY), region


@needs_prices
def test_regions_agree_with_the_places_the_payloads_name():
    vast_regions = {o["geolocation"] for o in vast() if o.get("geolocation")}
    assert {r: country_of("vast", r) for r in vast_regions} == {r: r[-2:] for r in vast_regions}
    places = {"(N. Virginia)": "US", "(Oregon)": "US", "(Ireland)": "IE"}
    for attributes in aws_products():
        assert country_of("aws", attributes["regionCode"]) == next(
            c for place, c in places.items() if place in attributes["location"]
        )
    tpu_places = {
        "South Carolina": "US", "Ohio": "US", "Columbus": "US", "Iowa": "US", "Oregon": "US", "Oklahoma": "US",
        "Netherlands": "NL", "Tokio": "JP", "Tokyo": "JP", "Taiwan": "TW", "Singapore": "SG", "London": "GB",
        "Mumbai": "IN", "Dallas": "US", "Las Vegas": "US", "Belgium": "BE", "Israel": "IL", "Turin": "IT",
        "Frankfurt": "DE", "Paris": "FR", "Sao Paulo": "BR", "Seoul": "KR", "Jakarta": "ID", "Sydney": "AU",
    }  # fmt: skip
    checked = 0
    for tpu in json_of(PRICES / "gcp_tpu" / "tpu_pricing_2024-12-23.json").values():
        for region, price in tpu.items():
            place = next((c for p, c in tpu_places.items() if p in price["Location"]), None)
            assert place is None or place == country_of("gcp", region), (region, price)
            checked += place is not None
    assert checked > 5


@pytest.mark.parametrize(
    ("provider", "region", "country"),
    [
        ("aws", "us-east-1", "US"), ("aws", "us-east-1-atl-1", "US"), ("aws", "us-east-1-bue-1", "AR"),
        ("aws", "us-east-1-scl-1", "CL"), ("aws", "eu-central-1-waw-1", "PL"), ("aws", "eu-central-2", "CH"),
        ("aws", "us-gov-west-1", "US"), ("aws", "ap-east-1", "HK"), ("aws", "ap-east-2", "TW"),
        ("azure", "northeurope", "IE"), ("azure", "westeurope", "NL"), ("azure", "eastasia", "HK"),
        ("azure", "southindia", "IN"), ("azure", "southcentralus", "US"), ("azure", "westus3", "US"),
        ("gcp", "europe-west4-b", "NL"), ("gcp", "europe-west4", "NL"), ("gcp", "northamerica-northeast1-a", "CA"),
        ("gcp", "northamerica-south1", "MX"), ("gcp", "us-central1-ai1a", "US"), ("gcp", "asia-northeast3-a", "KR"),
        ("oci", "eu-frankfurt-1", "DE"), ("oci", "uk-gov-london-1", "GB"), ("oci", "ap-melbourne-1", "AU"),
        ("nebius", "eu-north1", "FI"), ("nebius", "eu-north2", "IS"), ("verda", "FIN-03", "FI"),
        ("verda", "ICE-01", "IS"), ("hyperstack", "NORWAY-1", "NO"), ("seeweb", "ch-lug1", "CH"),
        ("scaleway", "pl-waw-2", "PL"), ("digitalocean", "tor1", "CA"), ("runpod", "EU-RO-1", "RO"),
        ("runpod", "CA-MTL-3", "CA"), ("runpod", "IS", "IS"), ("vast", "The Netherlands, NL", "NL"),
        ("vast", ", US", "US"), ("crusoe", "eu-iceland1-a", "IS"), ("lambda", "me-west-1", "IL"),
    ],
)  # fmt: skip
def test_a_region_lies_where_it_lies(provider, region, country):
    assert country_of(provider, region) == country


@pytest.mark.parametrize(
    ("provider", "region"),
    [
        ("aws", "us-east-9"),
        ("azure", "atlantis"),
        ("gcp", "europe-west99"),
        ("oci", "eu-atlantis-1"),
        ("vast", "Earth"),
    ],
)
def test_an_unknown_region_stays_unknown(provider, region):
    assert of_region(provider, [region])[region] == []


def test_no_two_rows_match_one_region():
    for provider in {r["provider"] for r in seed("cloud_regions")}:
        rows = [
            r for r in seed("cloud_regions") if r["provider"] == provider and r["country_rule"] != "group1"
        ]
        if rows:
            spelled = {s for r in rows for s in spellings(r["region_regex"])}
            for region, hits in of_region(provider, spelled).items():
                assert len(hits) == 1, (provider, region, [h["region_regex"] for h in hits])


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
    assert {r: len(h) for r, h in of_region("aws", regions).items()} == dict.fromkeys(regions, 1)


def test_words_of_the_parsers_that_keep_a_price_from_comparison_are_in_their_seed():
    """A constant reworded in a parser would put such prices into the comparisons."""
    assert {
        row["purchase_option"]: row["comparability"] for row in seed("purchase_option_comparability")
    } == {
        # words of files of collected prices
        "vcpu and ram billed on top": "billed_on_top",
        "lowest live offer": "lowest_offer",
        gcp_offers._NOT_STARTABLE: "not_on_demand",
        offers.PLACEHOLDER: "placeholder",
        offers.ANNOUNCED: "announced",
        offers.ENDED: "ended",
        offers.SUPERSEDED: "superseded",
    }
