"""The identity seeds against real MLPerf names: those that are shipped, and a list that was mapped by hand.

Names are read by the macro that the warehouse uses, in DuckDB; other patterns are evaluated as `regexp_matches(value,
pattern, 'i')`. That every shipped name is mapped is a check of every build.
"""

from __future__ import annotations

import csv
import json
import re
import tarfile
from collections import defaultdict
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import jinja2
import pytest

from ingest.core import values
from warehouse.storage.home import SNAPSHOT_DIR

ROOT = Path(__file__).resolve().parents[2]
SEEDS = ROOT / "dbt_project" / "seeds"
NAMES = ROOT.parent / "shared" / "facts" / "mlperf_accelerator_names.csv"


@cache
def seed(name: str) -> list[dict[str, str]]:
    with (SEEDS / f"{name}.csv").open(encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


@cache
def database() -> duckdb.DuckDBPyConnection:
    """The seeds as DuckDB tables of text, empty cells null."""
    con = duckdb.connect()
    for name in (
        "accelerator_specs",
        "accelerator_aliases",
        "accelerator_name_words",
        "accelerator_variants",
    ):
        con.execute(f"create table {name} as from read_csv('{SEEDS}/{name}.csv', all_varchar = true)")
    return con


@cache
def results(kind: str = "inference") -> list[dict[str, Any]]:
    """Every shipped result."""
    files = f"{SNAPSHOT_DIR}/mlperf_{kind}_results/*.parquet"
    return duckdb.execute("from read_parquet(?, union_by_name = true)", [files]).to_arrow_table().to_pylist()


@cache
def listed_names() -> dict[str, str]:
    """Names mapped by hand → accelerator."""
    if not NAMES.exists():
        pytest.skip(f"no {NAMES}")
    with NAMES.open(encoding="utf-8", newline="") as f:
        return {row["name"]: row["accelerator_id"] for row in csv.DictReader(f)}


@cache
def accelerators_of_systems() -> str:
    """The macro's query on the table `asked`."""
    folder = SEEDS.parent / "macros" / "identity"
    text = "".join((folder / f"{name}.sql").read_text("utf-8") for name in ("identity", "accelerator_names"))
    aliases = "(select * replace (priority::int as priority, is_mixed = 'true' as is_mixed), false as is_override from accelerator_aliases)"
    specs = "(select * replace (memory_gb::double as memory_gb) from accelerator_specs)"
    environment = jinja2.Environment(autoescape=False)
    environment.globals["var"] = {"capacity_tolerance_pct": 10}.__getitem__
    return environment.from_string(text).module.accelerators_of_systems(
        "asked", aliases, "accelerator_name_words", specs
    )


def asked(names: list[tuple[str, str]]) -> duckdb.DuckDBPyConnection:
    con = database().cursor()
    con.execute(
        "create or replace temp table asked (accelerator_name_published varchar, platform varchar, system_name varchar, capacities_gb double[])"
    )
    con.executemany("insert into asked values (?, ?, null, [])", [list(n) for n in names])
    return con


def accelerators(names: list[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """(name, platform) → its accelerator, or "mixed"; names that mean neither are left out."""
    rows = asked(names).execute(
        "select accelerator_name_published, platform, if(is_mixed, 'mixed', accelerator_id) as accelerator "
        f"from ({accelerators_of_systems()}) where accelerator is not null"
    )
    return {(name, platform): accelerator for name, platform, accelerator in rows.fetchall()}


def is_absent(name: str) -> bool:
    return name.strip().lower() in {r["name_lower"] for r in seed("accelerator_absent_names")}


@pytest.mark.parametrize("path", sorted(SEEDS.glob("*.csv")), ids=lambda path: path.stem)
def test_a_seed_is_plain_csv(path):
    payload = path.read_bytes()
    payload.decode("utf-8")
    assert b"\r" not in payload and payload.endswith(b"\n") and not payload.startswith(b"\xef\xbb\xbf")
    for row in seed(path.stem):
        assert None not in row and None not in row.values(), row
        assert all(v == v.strip() for v in row.values()), row


def test_the_dbt_project_has_no_links():
    """A system without symbolic links checks each out as a file that holds a path."""
    assert [path for path in (ROOT / "dbt_project").rglob("*") if path.is_symlink()] == []


def test_specs_are_slugs_numbers_and_sourced():
    numbers = re.compile(r"\w+_(?:gb|s|w|tflops|tops|size|usd)")
    for row in seed("accelerator_specs"):
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", row["accelerator_id"]), row
        assert row["source_url"].startswith("https://"), row
        assert re.fullmatch(r"(\d{4}(-\d\d(-\d\d)?)?)?", row["release_date"]), row
        assert all(float(v) > 0 for c, v in row.items() if v and numbers.fullmatch(c)), row


GH200 = "NVIDIA GH200-GraceHopper-Superchip"
# names beside those of `listed_names`
EXPECTED = {
    ("NVIDIA H100 NVL", ""): "nvidia-h100-nvl-94gb",
    ("NVIDIA H100-80C", "vR750xa_H100_PCIe_80Cx2_TRT"): "nvidia-h100-pcie-80gb",
    ("NVIDIA H100-SXM-80GB-02", "H100-SXM-80GB-02x1_TRT"): "nvidia-h100-sxm-80gb",
    ("H100-SXM-80GB", "H100-2N-80GB"): "nvidia-h100-sxm-80gb",
    (GH200, f"{GH200[7:]}_GH200-144GB_aarch64x1_TRT"): "nvidia-gh200-144gb",
    (GH200, f"{GH200[7:]}_GH200-96GB_aarch64x1_TRT"): "nvidia-gh200-96gb",
    ("NVIDIA A100-SXM4-80GB CTS", ""): "nvidia-a100-sxm-80gb",
    ("NVIDIA A100-SXM4-40GB", ""): "nvidia-a100-sxm-40gb",
    ("NVIDIA A100-PCIe-40GB", ""): "nvidia-a100-pcie-40gb",
    ("NVIDIA HGX A100 SXM", "rigel-nvidia_original"): "nvidia-a100-sxm-80gb",
    ("NVIDIA A100", "nf5488_mxnet"): "nvidia-a100-sxm-40gb",  # as its system file states
    ("NVIDIA V100", "gpu-v100-8-TF2.0"): "nvidia-v100-sxm2-16gb",
    ("NVIDIA Drive-A100-PCIe", ""): "nvidia-drive-a100-pcie-32gb",
    ("NVIDIA RTX A1000", ""): "nvidia-rtx-a1000-mobile",
    ("NVIDIA A10-24Q", ""): "nvidia-a10",
    ("NVIDIA A30 (4x1g.6gb MIG)", ""): "nvidia-a30",
    ("NVIDIA L40-PCIE-48GB", ""): "nvidia-l40",
    ("Virtualized NVIDIA L40S", ""): "nvidia-l40s",
    ("NVIDIA A100 80 GB 300W PCIe", ""): "nvidia-a100-pcie-80gb",  # "GB 300" is not a GB300
    ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", ""): "nvidia-rtx-pro-6000-workstation",
    ("NVIDIA Jetson AGX Orin", "Orin_TRT"): "nvidia-jetson-agx-orin-devkit-32gb",
    ("NVIDIA Jetson AGX Orin 32G", ""): "nvidia-jetson-agx-orin-devkit-32gb",
    ("NVIDIA Xavier NX", ""): "nvidia-jetson-xavier-nx-8gb",
    ("AMD Instinct MI250", ""): "amd-mi250",
    ("1 Node: NVIDIA A100-SXM-80GBx8, 2 Nodes: NVIDIA A30x4", ""): "mixed",
    ("NVIDIA H200 (x8), NVIDIA H100 (x8)", ""): "mixed",
    ("Inferentia", ""): "aws-inferentia1",
    ("Neuchips RecAccel", ""): "neuchips-recaccel-fpga",
    ("MOFFETT S4-PCIe/HHHL-20GB", ""): "moffett-s4",
    ("SAPEON X220-enterprise", ""): "sapeon-x220-enterprise",
    ("BR104-300W PCIe", ""): "biren-br104-pcie-300w",
    ("Qualcomm Cloud AI 100 Standard", ""): "qualcomm-cloud-ai-100-standard",
    ("NVIDIA A100-SXM4-40GB (400W)", "dgxa100_ngc20.06_mxnet"): "nvidia-a100-sxm-40gb",
    ("TPU", "tpu-v4-128-TF"): "google-tpu-v4",
    ("TPU v3", "tpu-v3-8192-JAX"): "google-tpu-v3",
    ("tpuv2-512", "cloud_v2.512_resnet-tpuv2-512_tpu"): "google-tpu-v2",
    ("Habana Gaudi2", "HLS-Gaudi2"): "intel-gaudi2",
    ("Ascend910", "modelarts_128_mindspore_open"): "huawei-ascend-910",
    ("Tesla V100-SXM3-H-32GB", "dgx2h_ngc18.11_mxnet"): "nvidia-v100-sxm3-32gb-450w",
    ("NVIDIA V100-SXM3-32GB (350W)", "dgx2_ngc20.06_tensorflow"): "nvidia-v100-sxm3-32gb",
    ("NVIDIA H100-SXM5-96GB", "SR675v3-4xH100_SXM5_96GB_700W"): "nvidia-h100-sxm-96gb",
    ("N/A", ""): "absent",
    ("", ""): "absent",
    ("ARM Mali-G610 MP4", ""): "arm-mali-g610-mp4",
}


def test_tricky_names():
    found = accelerators(list(EXPECTED))
    absent = {name: "absent" for name in EXPECTED if is_absent(name[0])}
    assert found | absent == EXPECTED and not found.keys() & absent.keys()


def test_names_mapped_by_hand_keep_their_accelerator():
    # the last two are names of several parts: other fields decide
    corrected = {
        GH200,
        "NVIDIA Jetson AGX Orin",
        "Dynamo Neuromorphic NPU",
        "NVIDIA RTX PRO 4500 Blackwell",
        "NVIDIA H100-80C",
    }
    by_hand = {name: i for name, i in listed_names().items() if i and name not in corrected}
    found = accelerators([(name, "") for name in by_hand])
    wanted = {(name, ""): i.replace("amd-mixed-instinct", "mixed") for name, i in by_hand.items()}
    assert {name: found.get(name) for name in wanted} == wanted and len(wanted) > 90


def test_aliases_of_equal_priority_never_disagree():
    names = {(r["accelerator_name_published"] or "", r["platform"]) for r in results()}
    names |= {(r["accelerator_name_published"] or "", r["system"]) for r in results("training")}
    found = accelerators(sorted(names | {(name, "") for name in listed_names()}))
    single = [name for name, accelerator in found.items() if accelerator != "mixed"]
    ties = asked(single).execute(
        """
        select accelerator_name_published || ': ' || string_agg(pattern, ' or ')
        from (
            select asked.*, pattern, accelerator_id
            from asked join accelerator_aliases
                on regexp_matches(accelerator_name_published, pattern, 'i')
                and (platform_pattern is null or regexp_matches(platform, platform_pattern, 'i'))
            qualify priority::int = min(priority::int) over (partition by accelerator_name_published, platform)
        )
        group by accelerator_name_published, platform
        having count(distinct accelerator_id) > 1
        """
    )
    assert len(single) > 1000 and ties.fetchall() == []


# stated otherwise: two cards together; 192 GB of B200 are physical, 180 usable; a copy error for H200 NVL
OTHER_CAPACITIES = {"2x 24 GB", "192 GB", "96000 MiB"}
TREES = ("inference_v4.1", "inference_v5.1", "training_v0.7", "training_v3.1", "training_v5.1")


@pytest.mark.parametrize("tree", TREES)
def test_memory_of_the_accelerator_agrees_with_the_system_files(mlperf_data, tree):
    tarball = mlperf_data / "releases" / f"{tree.replace('_', '_results_')}.tar.gz"
    if not tarball.is_file():
        pytest.skip(f"the real release is not at hand ({tarball})")
    memory = {row["accelerator_id"]: row["memory_gb"] for row in seed("accelerator_specs")}
    stated = {}
    with tarfile.open(tarball) as tar:
        for member in tar:
            if not re.search(r"/systems/[^/]+\.json$", member.name):
                continue
            try:
                system = json.load(tar.extractfile(member))
            except ValueError:  # a comma too many
                continue
            text = str(system.get("accelerator_memory_capacity") if isinstance(system, dict) else "")
            capacity = values.number(re.sub(r" ?(GiB|GB|G|MiB)$", "", text, flags=re.I))
            name = system.get("accelerator_model_name") if capacity else ""
            if name and not is_absent(name) and text not in OTHER_CAPACITIES:
                stated[name, Path(member.name).stem] = capacity / (1024 if text.endswith("MiB") else 1)
    found = accelerators(list(stated))
    assert len(found) == len(stated) > 20
    for key, capacity in stated.items():
        known = float(memory.get(found[key]) or 0) or capacity
        # drivers report a few percent less than the card is sold with
        assert 0.9 * known <= capacity <= 1.03 * known, (key, capacity, known)


LIMITS = (
    *("GPU Power Limit: 280W", "limitted to 275W", "TDP: 310W", "With 20W Accelerator", "Max15W"),
    "450W / 600W (reduced)",
)


def is_power_capped(name: str, platform: str, system_name: str, notes: str) -> bool:
    text = f"{platform} {system_name}".lower()
    in_text = any(words in text for words in ("maxq", "non maxn", "max15", "power cap"))
    return in_text or ("qaic100" in text and text.endswith(", ee)")) or any(w in notes for w in LIMITS)


def is_virtualised(name: str, platform: str, system_name: str, notes: str) -> bool:
    return (
        name.startswith("Virtualized")
        or name in ("NVIDIA A10-24Q", "NVIDIA A100-SXM-80C", "NVIDIA H100-80C", "NVIDIA GRID T4-16Q")
        or any(word in system_name + notes for word in ("VMware", "OCP virt"))
        or notes.strip().startswith(("VM ", "Broadcom VM "))
        or "ESXi" in platform
    )


@pytest.mark.parametrize(
    ("variant", "by_hand"),
    [
        ("power_capped", is_power_capped),
        ("virtualised", is_virtualised),
        ("partitioned", lambda name, *others: "MIG)" in name),
    ],
)
def test_signs_of_a_variant_are_those_found_by_hand(variant, by_hand):
    fields = ("accelerator_name_published", "platform", "system_name", "notes")
    signs = [row for row in seed("accelerator_variants") if row["variant"] == variant]
    said = sorted({tuple(r[field] or "" for field in fields) for r in results()})
    found = {
        words
        for words in said
        if any(re.search(r["pattern"], words[fields.index(r["field"])], re.I) for r in signs)
    }
    assert found == {words for words in said if by_hand(*words)} and len(found) > 5


def test_a_benchmark_is_a_family_and_a_target_and_has_one_rule_of_units_a_round():
    for b in seed("mlperf_benchmarks"):
        assert b["benchmark_id"] == "-".join(filter(None, (b["benchmark_family"], b["accuracy_target"])))
    rounds = [r["release"] for r in seed("mlperf_releases") if r["suite_kind"] == "inference"]
    ends = {release: n for n, release in enumerate(rounds)} | {"": len(rounds)}
    spans = defaultdict(list)
    for r in seed("mlperf_inference_metrics"):
        spans[r["benchmark_id"], r["scenario"]].append((ends[r["release_from"]], ends[r["release_to"]]))
    for of, found in spans.items():
        assert all(end < begin for (_, end), (begin, _) in pairwise(sorted(found))), of


def test_no_correction_of_a_unit_is_open_ended():
    rounds = [row["release"] for row in seed("mlperf_releases") if row["suite_kind"] == "inference"]
    corrected = [row for row in seed("mlperf_inference_metrics") if row["corrected_to"]]
    assert len(corrected) == 13
    for row in corrected:
        first, seen, last = (
            rounds.index(row[k] or rounds[-1]) for k in ("release_from", "corrected_to", "release_to")
        )
        assert first <= seen <= last, row


def test_rounds_are_dated_in_their_order():
    for kind in ("inference", "training"):
        dates = [r["published_on"] for r in seed("mlperf_releases") if r["suite_kind"] == kind]
        dated = list(filter(None, dates))
        assert dated == sorted(dated) and len(dates) - 1 <= len(dated) > 10


def test_submitters_are_one_company_under_one_id():
    names = {(s["submitter_id"], s["submitter_name"]) for s in seed("mlperf_submitters")}
    assert len({submitter_id for submitter_id, _ in names}) == len(names)
    known = {name for _, name in names} | {"Broadcom", "VMware", "SIT"}
    assert all(set(s["members"].split(";")) <= known for s in seed("mlperf_submitters") if s["members"])


def test_corrections_are_about_rows_that_exist():
    stated = {
        (r["release"], r["submitter"], r["platform"], field, str(r[field] or 0))
        for r in results()
        for field in ("accelerators_per_node", "number_of_nodes")
    }
    for c in seed("mlperf_system_corrections"):
        published = c["published_value"] or "0"
        assert (c["release"], c["submitter"], c["platform"], c["field"], published) in stated, c
