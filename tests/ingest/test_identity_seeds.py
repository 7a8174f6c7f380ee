"""The identity seeds against every real MLPerf inference name at hand.

Names are read by the macro that the warehouse uses, in DuckDB; other patterns are evaluated as `regexp_matches(value,
pattern, 'i')`; counts and units are derived here a second way, without the seeds.
"""

from __future__ import annotations

import csv
import json
import re
import tarfile
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import duckdb
import jinja2
import pytest

ROOT = Path(__file__).resolve().parents[2]
SEEDS = ROOT / "dbt_project" / "seeds"
SHARED = ROOT.parent / "shared"
DATA = SHARED / "data" / "mlperf"
COLLECTION = DATA / "releases" / "cm4mlperf-results.tar.gz"
SUMMARY_V5_1 = DATA / "inference_v5.1" / "summary_results.json"
SUMMARY_V6_1 = DATA / "inference_v6.1_sample" / "summary.json"
NAMES = SHARED / "facts" / "mlperf_accelerator_names.csv"
TREES = {r: DATA / "releases" / f"inference_results_{r}.tar.gz" for r in ("v4.1", "v5.1")}

NAMED = ("accelerator_specs", "accelerator_aliases", "accelerator_name_words", "accelerator_variants")


@cache
def seed(name: str) -> list[dict[str, str]]:
    with (SEEDS / f"{name}.csv").open(encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


@cache
def database() -> duckdb.DuckDBPyConnection:
    """The seeds as DuckDB tables of text, empty cells null."""
    con = duckdb.connect()
    for name in NAMED:
        con.execute(f"create table {name} as from read_csv('{SEEDS}/{name}.csv', all_varchar = true)")
    return con


# ---------------------------------------------------------------- the data


@cache
def results() -> list[dict]:
    """Every published performance row, each once, in one vocabulary."""
    if not COLLECTION.exists() or not SUMMARY_V5_1.exists() or not SUMMARY_V6_1.exists():
        pytest.skip(f"no MLPerf data under {DATA}")
    out: dict[tuple, dict] = {}

    def keep(release, submitter, division, suite, platform, system, model, scenario, name, per_node, nodes, value,
             unit, notes, location, inferred, row_kind="performance"):  # fmt: skip
        row = {
            "release": release, "submitter": submitter, "division": division, "suite": suite,
            "platform": platform, "system_name": system, "model": model, "scenario": scenario,
            "accelerator_name_published": name or "", "per_node": per_node, "nodes": nodes, "value": value,
            "unit": unit, "notes": notes or "", "location": location, "inferred": int(inferred or 0),
        }  # fmt: skip
        if row_kind == "performance":
            out.setdefault((release, location), row)

    with tarfile.open(COLLECTION) as tar:
        for member in tar:
            if not re.search(r"/experiment/mlperf-inference--.*/cm-result\.json$", member.name):
                continue
            for r in json.load(tar.extractfile(member)):
                keep(r["version"], r["Organization"], r["Division"], r["SystemType"], r["Platform"], r["SystemName"],
                     r["MlperfModel"], r["Scenario"], r["accelerator_model_name"], r["accelerators_per_node"],
                     r["number_of_nodes"], r["Result"], r["Units"], r["notes"], r["Location"], r["inferred"],
                     "power" if r["Units"] in ("Watts", "millijoules") else "performance")  # fmt: skip
    for r in json.loads(SUMMARY_V5_1.read_text("utf-8")):
        keep("v5.1", r["Submitter"], r["Category"], r["Suite"], r["Platform"], r["System"], r["Model"],
             r["Scenario"], r["Accelerator"], r["a#"], r["Nodes"], r["Performance_Result"], r["Performance_Units"],
             r["Notes"], r["Location"], r["inferred"])  # fmt: skip
    for r in json.loads(SUMMARY_V6_1.read_text("utf-8")).values():
        keep("v6.1", r["Organization"], r["Division"], r["SystemType"], r["Platform"], r["SystemName"],
             r["MlperfModel"], r["Scenario"], r["accelerator_model_name"], r["accelerators_per_node"],
             r["number_of_nodes"], r["Result"], r["Units"], r["notes"], r["Location"], r["inferred"],
             "power" if r["Units"] in ("Watts", "millijoules") else "performance")  # fmt: skip
    return list(out.values())


@cache
def systems() -> list[tuple[str, str]]:
    return sorted({(r["accelerator_name_published"], r["platform"]) for r in results()})


@cache
def tree_systems() -> list[dict]:
    """Every system description of the rounds whose tree is at hand and no summary table is read here."""
    out = []
    for release in ("v0.5", "v0.7", "v1.1", "v6.0"):
        path = DATA / "releases" / f"inference_results_{release}.tar.gz"
        if not path.exists():
            pytest.skip(f"no {path.name}")
        with tarfile.open(path) as tar:
            for member in tar:
                m = re.match(r"[^/]+/(closed|open)/([^/]+)/systems/([^/]+)\.json$", member.name)
                if not m:
                    continue
                try:
                    system = json.loads(tar.extractfile(member).read().decode("utf-8-sig", "replace"))
                except json.JSONDecodeError:
                    continue
                if not isinstance(system, dict):
                    continue
                out.append(
                    {
                        "release": release, "division": m[1], "submitter": m[2], "platform": m[3],
                        "accelerator_name_published": str(system.get("accelerator_model_name") or ""),
                        "per_node": system.get("accelerators_per_node"), "nodes": system.get("number_of_nodes"),
                    }
                )  # fmt: skip
    return out


def tree_names() -> list[tuple[str, str]]:
    return sorted({(r["accelerator_name_published"], r["platform"]) for r in tree_systems()})


@cache
def listed_names() -> list[tuple[str, str]]:
    """Names of rounds whose data is not at hand: v3.0, v6.0, training."""
    if not NAMES.exists():
        pytest.skip(f"no {NAMES}")
    with NAMES.open(encoding="utf-8", newline="") as f:
        return [("" if r["name"] == "(empty)" else r["name"], "") for r in csv.DictReader(f)]


@cache
def summaries(release: str) -> dict[str, dict[str, str]]:
    """location → the lines of its mlperf_log_summary.txt, the first of each key."""
    if not TREES[release].exists():
        pytest.skip(f"no {TREES[release].name}")
    out = {}
    with tarfile.open(TREES[release]) as tar:
        for member in tar:
            m = re.match(r"[^/]+/(.+)/performance/run_1/mlperf_log_summary\.txt$", member.name)
            if m:
                lines: dict[str, str] = {}
                for line in tar.extractfile(member).read().decode("utf-8", "replace").splitlines():
                    key, colon, value = line.partition(":")
                    if colon:
                        key = re.sub(r"^\* ", "", key.strip()).lower().replace(".0th", "th")
                        lines.setdefault(key, value.strip())
                out[m.group(1)] = lines
    return out


# ---------------------------------------------------------------- the checks, which must be able to fail


@cache
def accelerators_of_systems() -> str:
    """The macro's query on the table `asked`."""
    macros = ("identity", "accelerator_names")
    text = "".join((SEEDS.parent / "macros/identity" / f"{name}.sql").read_text("utf-8") for name in macros)
    aliases = "(select * replace (priority::int as priority, is_mixed = 'true' as is_mixed), false as is_override from accelerator_aliases)"
    module = jinja2.Environment(autoescape=False).from_string(text).module
    return module.accelerators_of_systems("asked", aliases, "accelerator_name_words")


def asked(names: list[tuple[str, str]]) -> duckdb.DuckDBPyConnection:
    con = database().cursor()
    con.execute(
        "create or replace temp table asked (accelerator_name_published varchar, platform varchar, system_name varchar)"
    )
    con.executemany("insert into asked values (?, ?, null)", [list(n) for n in names])
    return con


def matches(names: list[tuple[str, str]]) -> dict[tuple[str, str], dict]:
    """(name, platform) → its accelerator or that it has several, and the alias; names that mean neither are left out."""
    rows = asked(names).execute(
        "select accelerator_name_published, platform, accelerator_id, is_mixed, alias_pattern "
        f"from ({accelerators_of_systems()}) where accelerator_id is not null or is_mixed"
    )
    return {
        (name, platform): {"id": i, "mixed": mixed, "pattern": p}
        for name, platform, i, mixed, p in rows.fetchall()
    }


def is_absent(name: str) -> bool:
    return name.strip().lower() in {r["name_lower"] for r in seed("accelerator_absent_names")}


@cache
def known_matches() -> dict[tuple[str, str], dict]:
    """`matches` of every name at hand, once."""
    return matches(systems() + listed_names() + tree_names())


def unmapped(names: list[tuple[str, str]], found: dict | None = None) -> list[tuple[str, str]]:
    """Names that are neither mapped, nor mixed, nor the word for no accelerator."""
    found = matches(names) if found is None else found
    return [n for n in names if not is_absent(n[0]) and n not in found]


def ties(names: list[tuple[str, str]]) -> list[str]:
    """Names for which aliases of one priority lead to different accelerators."""
    return (
        asked(names)
        .execute(
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
        .fetchall()
    )


def accelerator_of(name: str, platform: str = "") -> str | None:
    if is_absent(name):
        return "absent"
    hit = matches([(name, platform)]).get((name, platform))
    return None if hit is None else ("mixed" if hit["mixed"] else hit["id"])


def flagged(variant: str) -> list[dict]:
    """Rows that some pattern of the variant matches."""
    con = database().cursor()
    fields = ("accelerator_name_published", "platform", "system_name", "notes")
    values = sorted({(f, r[f]) for r in results() for f in fields})
    con.execute("create or replace temp table said (field varchar, words varchar)")
    con.executemany("insert into said values (?, ?)", [list(v) for v in values])
    hits = set(
        con.execute(
            "select distinct said.field, words from said join accelerator_variants v "
            "on v.field = said.field and v.variant = ? and regexp_matches(words, v.pattern, 'i')",
            [variant],
        ).fetchall()
    )
    return [r for r in results() if any((f, r[f]) in hits for f in fields)]


def order(release: str) -> tuple[int, int]:
    major, minor = release.removeprefix("v").split(".")
    return int(major), int(minor)


def rule(release: str, benchmark: str, scenario: str) -> dict[str, str]:
    fitting = [
        r
        for r in seed("mlperf_inference_metrics")
        if r["scenario"] == scenario
        and r["benchmark_id"] in (benchmark, "*")
        and order(r["release_from"]) <= order(release)
        and (not r["release_to"] or order(release) <= order(r["release_to"]))
    ]
    own = [r for r in fitting if r["benchmark_id"] == benchmark]
    assert len(own or fitting) == 1, f"{release} {benchmark} {scenario}: {fitting}"
    return (own or fitting)[0]


def benchmark_of(release: str, published: str) -> str | None:
    for a in seed("mlperf_benchmark_aliases"):
        if a["published_name"] == published and a["release"] in ("", release):
            return a["benchmark_id"]
    return published if published in {b["benchmark_id"] for b in seed("mlperf_benchmarks")} else None


# ---------------------------------------------------------------- form


@pytest.mark.parametrize("path", sorted(SEEDS.glob("*.csv")), ids=lambda path: path.stem)
def test_a_seed_is_plain_csv(path):
    payload = path.read_bytes()
    payload.decode("utf-8")
    assert b"\r" not in payload and payload.endswith(b"\n") and not payload.startswith(b"\xef\xbb\xbf")
    for row in seed(path.stem):
        assert None not in row and None not in row.values(), row
        assert all(v == v.strip() for v in row.values()), row


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("accelerator_aliases", ("pattern", "platform_pattern")),
        ("accelerator_variants", ("variant", "field", "pattern")),
        ("mlperf_releases", ("suite_kind", "release")),
        ("mlperf_system_corrections", ("suite_kind", "release", "submitter", "platform", "field")),
    ],
)
def test_keys_are_unique(name, key):
    assert not [k for k, n in Counter(tuple(r[c] for c in key) for r in seed(name)).items() if n > 1]


def test_the_metrics_seed_is_the_file_the_parser_reads():
    link = SEEDS / "mlperf_inference_metrics.csv"
    assert link.is_symlink() and not link.readlink().is_absolute()
    assert link.resolve() == ROOT / "ingest" / "mlperf" / "inference_metrics.csv"


def test_specs_are_slugs_numbers_and_sourced():
    numbers = re.compile(r"\w+_(?:gb|s|w|tflops|tops|size|usd)")
    for row in seed("accelerator_specs"):
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", row["accelerator_id"]), row
        assert row["source_url"].startswith("https://"), row
        assert re.fullmatch(r"(\d{4}(-\d\d(-\d\d)?)?)?", row["release_date"]), row
        assert all(float(v) > 0 for c, v in row.items() if v and numbers.fullmatch(c)), row


# ---------------------------------------------------------------- accelerators

GH200 = "NVIDIA GH200-GraceHopper-Superchip"
THREE_KINDS = (
    "AMD Instinct MI300X 192GB HBM3 (x8) and AMD Instinct MI325X 256GB HBM3e (x8) "
    "and AMD Instinct MI355X 288GB HBM3e (x8)"
)
# names beside those of test_names_checked_before_keep_their_accelerator
EXPECTED = {
    ("NVIDIA H100 NVL", ""): "nvidia-h100-nvl-94gb",
    ("NVIDIA H100-80C", "vR750xa_H100_PCIe_80Cx2_TRT"): "nvidia-h100-pcie-80gb",
    ("NVIDIA H100-SXM-80GB-02", "H100-SXM-80GB-02x1_TRT"): "nvidia-h100-sxm-80gb",
    ("H100-SXM-80GB", "H100-2N-80GB"): "nvidia-h100-sxm-80gb",
    ("Virtualized NVIDIA H100-SXM-80GB", ""): "nvidia-h100-sxm-80gb",
    (GH200, f"{GH200[7:]}_GH200-144GB_aarch64x1_TRT"): "nvidia-gh200-144gb",
    (GH200, f"{GH200[7:]}_GH200-96GB_aarch64x1_TRT"): "nvidia-gh200-96gb",
    ("NVIDIA A100-SXM4-80GB CTS", ""): "nvidia-a100-sxm-80gb",
    ("NVIDIA A100-SXM4-40GB", ""): "nvidia-a100-sxm-40gb",
    ("NVIDIA A100-PCIe-40GB", ""): "nvidia-a100-pcie-40gb",
    ("NVIDIA HGX A100 SXM", ""): "nvidia-a100-sxm-80gb",
    ("NVIDIA Drive-A100-PCIe", ""): "nvidia-drive-a100-pcie-32gb",
    ("NVIDIA RTX A1000", ""): "nvidia-rtx-a1000-mobile",
    ("NVIDIA A10-24Q", ""): "nvidia-a10",
    ("NVIDIA A10-PCI-24GB", ""): "nvidia-a10",
    ("NVIDIA A30 (4x1g.6gb MIG)", ""): "nvidia-a30",
    ("NVIDIA L40-PCIE-48GB", ""): "nvidia-l40",
    ("Virtualized NVIDIA L40S", ""): "nvidia-l40s",
    ("NVIDIA A100 80 GB 300W PCIe", ""): "nvidia-a100-pcie-80gb",  # "GB 300" is not a GB300
    ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", ""): "nvidia-rtx-pro-6000-workstation",
    ("NVIDIA Orin", "Orin_TRT"): "nvidia-jetson-agx-orin-devkit-32gb",
    ("NVIDIA Jetson AGX Orin", "Orin_TRT"): "nvidia-jetson-agx-orin-devkit-32gb",
    ("NVIDIA Jetson AGX Orin 32G", ""): "nvidia-jetson-agx-orin-devkit-32gb",
    ("NVIDIA Xavier NX", ""): "nvidia-jetson-xavier-nx-8gb",
    ("AMD Instinct MI250", ""): "amd-mi250",
    ("AMD Instinct MI300X 192GB HBM3 (x32), AMD Instinct MI325X 256GB HBM3e (x16)", ""): "mixed",
    (THREE_KINDS, ""): "mixed",
    ("1 Node: NVIDIA A100-SXM-80GBx8, 2 Nodes: NVIDIA A30x4", ""): "mixed",
    ("NVIDIA H200 (x8), NVIDIA H100 (x8)", ""): "mixed",
    ("Intel® Gaudi® 2 AI Accelerator", ""): "intel-gaudi2",
    ("Habana Gaudi2", ""): "intel-gaudi2",
    ("Inferentia", ""): "aws-inferentia1",
    ("Neuchips RecAccel", ""): "neuchips-recaccel-fpga",
    ("MOFFETT S4-PCIe/HHHL-20GB", ""): "moffett-s4",
    ("SAPEON X220-enterprise", ""): "sapeon-x220-enterprise",
    ("BR104-300W PCIe", ""): "biren-br104-pcie-300w",
    ("Qualcomm Cloud AI 100 Standard", ""): "qualcomm-cloud-ai-100-standard",
    ("N/A", ""): "absent",
    ("-", ""): "absent",
    ("None", ""): "absent",
    ("", ""): "absent",
    ("ARM Mali-G610 MP4", ""): "arm-mali-g610-mp4",
}  # fmt: skip
KNOWN_UNMAPPED = {"Dynamo Neuromorphic NPU"}


def test_tricky_names():
    found = matches(list(EXPECTED))
    words = {n: ("mixed" if hit["mixed"] else hit["id"]) for n, hit in found.items()}
    absent = {n: "absent" for n in EXPECTED if is_absent(n[0])}
    assert words | absent == EXPECTED and not words.keys() & absent.keys()


def test_every_datacenter_closed_row_has_an_accelerator_or_is_a_cpu_system():
    rows = [r for r in results() if r["division"] == "closed" and "datacenter" in r["suite"]]
    names = sorted({(r["accelerator_name_published"], r["platform"]) for r in rows})
    assert len(rows) > 4000 and not unmapped(names, known_matches())
    for r in rows:
        if is_absent(r["accelerator_name_published"]):
            assert str(r["per_node"]) in ("", "0", "N/A"), r


def test_every_system_of_five_more_rounds_is_mapped():
    assert len(tree_systems()) > 400
    # two systems without a result: DynamoNPU of v1.1, and Intel's notebook of v0.5, whose results name another system
    assert {platform for _, platform in unmapped(tree_names(), known_matches())} == {
        "DynamoNPU",
        "ICL-i31005G1_openvino",
    }
    with (DATA / "inference_v6.1" / "summary_core.csv").open(encoding="utf-8", newline="") as f:
        latest = sorted({(r["accelerator_model_name"], r["Platform"]) for r in csv.DictReader(f)})
    found = matches(latest)
    assert unmapped(latest, found) == []
    mixed = {platform for (_, platform), hit in found.items() if hit["mixed"]}
    # two systems of v6.1 hold parts of several kinds
    assert mixed == {"Cisco_UCS_H200x8_MI350Xx8_G200_2x2_TOR", "2x8xMI355X_2x8xMI300X"}


def test_what_stays_unmapped_is_known_and_has_no_results():
    assert {n for n, _ in unmapped(systems() + listed_names(), known_matches())} == KNOWN_UNMAPPED
    assert not [r for r in results() if r["accelerator_name_published"] in KNOWN_UNMAPPED]


def test_equal_priorities_never_disagree():
    assert not ties([name for name, hit in known_matches().items() if not hit["mixed"]])


def test_names_checked_before_keep_their_accelerator():
    changed = {GH200, "NVIDIA Jetson AGX Orin"}  # deliberate corrections of the curated list
    if not NAMES.exists():
        pytest.skip(f"no {NAMES}")
    with NAMES.open(encoding="utf-8", newline="") as f:
        for row in csv.DictReader(f):
            if (
                row["accelerator_id"]
                and row["accelerator_id"] != "amd-mixed-instinct"
                and row["name"] not in changed
            ):
                assert known_matches()[row["name"], ""]["id"] == row["accelerator_id"], row


@pytest.mark.parametrize("release", TREES)
def test_memory_of_the_accelerator_agrees_with_the_system_files(release):
    if not TREES[release].exists():
        pytest.skip(f"no {TREES[release].name}")
    memory = {r["accelerator_id"]: r["memory_gb"] for r in seed("accelerator_specs")}
    asked = {}
    with tarfile.open(TREES[release]) as tar:
        for member in tar:
            if re.search(r"/systems/[^/]+\.json$", member.name):
                try:
                    system = json.load(tar.extractfile(member))
                except json.JSONDecodeError:
                    continue
                text = str(system.get("accelerator_memory_capacity")) if isinstance(system, dict) else ""
                m = re.match(r"([\d.]+) ?(Mi)?", text)
                name = (system.get("accelerator_model_name") or "") if m else ""
                if m and not is_absent(name):
                    asked[name, Path(member.name).stem] = float(m.group(1)) / (1024 if m.group(2) else 1)
    found = matches(list(asked))
    assert len(found) == len(asked) > 60
    for key, capacity in asked.items():
        known = float(memory[found[key]["id"]] or 0) if found[key]["id"] else capacity
        # drivers report a few percent less than the card is sold with
        assert 0.9 * known <= capacity <= 1.03 * known, (key, capacity, known)


# ---------------------------------------------------------------- variants


LIMITS = ("GPU Power Limit: 280W", "limitted to 275W", "TDP: 310W", "With 20W Accelerator", "Max15W")


def test_power_capped_rows():
    def by_hand(r):
        text = f"{r['platform']} {r['system_name']}".lower()
        return (
            "maxq" in text
            or "non maxn" in text
            or "max15" in text
            or ("qaic100" in text and text.endswith(", ee)"))
            or any(w in r["notes"] for w in LIMITS)
        )

    rows = flagged("power_capped")
    assert {(r["release"], r["location"]) for r in rows} == {
        (r["release"], r["location"]) for r in results() if by_hand(r)
    }
    assert len(rows) > 1000


def test_virtualised_rows():
    by_hand = [
        r
        for r in results()
        if r["accelerator_name_published"].startswith("Virtualized")
        or r["accelerator_name_published"] in ("NVIDIA A10-24Q", "NVIDIA A100-SXM-80C", "NVIDIA H100-80C")
        or "VMware" in r["system_name"] + r["notes"]
        or "OCP virt" in r["notes"]
        or r["notes"].strip().startswith(("VM ", "Broadcom VM "))
        or "ESXi" in r["platform"]
    ]
    rows = flagged("virtualised")
    assert {r["location"] for r in rows} == {r["location"] for r in by_hand}


def test_partitioned_rows():
    rows = flagged("partitioned")
    by_hand = [r for r in results() if "MIG)" in r["accelerator_name_published"]]
    assert {r["location"] for r in rows} == {r["location"] for r in by_hand}


@pytest.mark.parametrize(
    ("variant", "field", "words", "expected"),
    [
        (
            "power_capped",
            "accelerator_name_published",
            "AMD Instinct MI355X 288GB HBM3e (Power Cap 1000 W)",
            True,
        ),
        ("power_capped", "notes", "GPU 450W / 600W (reduced)", True),
        ("power_capped", "notes", "2300W TGP Per GPU", False),
        ("power_capped", "platform", "MaxQuant_server", False),
        ("virtualised", "accelerator_name_published", "NVIDIA L40S-48Q", True),
        ("virtualised", "platform", "1-node-2S-GNR_86C", False),
        ("virtualised", "notes", "Red Hat OpenShift Container Platform 4.14 + OpenShift AI", False),
        ("virtualised", "notes", "vCPU: 24", False),
        ("partitioned", "accelerator_name_published", "NVIDIA H100-SXM-80GB (1x1g.10gb MIG)", True),
        ("partitioned", "platform", "Amigo_A100x8_TRT", False),
    ],
)
def test_variant_patterns(variant, field, words, expected):
    hits = database().cursor().execute(
        "select count(*) from accelerator_variants where variant = ? and field = ? and regexp_matches(?, pattern, 'i')",
        [variant, field, words],
    ).fetchone()[0]  # fmt: skip
    assert bool(hits) is expected


# ---------------------------------------------------------------- benchmarks and units


def test_every_published_benchmark_release_and_submitter_is_known():
    releases = {r["release"] for r in seed("mlperf_releases") if r["suite_kind"] == "inference"}
    submitters = {s["submitter_published"] for s in seed("mlperf_submitters")}
    ranges = {
        b["benchmark_id"]: (order(b["first_release"]), order(b["last_release"] or "v999.0"))
        for b in seed("mlperf_benchmarks")
    }
    for r in results():
        benchmark = benchmark_of(r["release"], r["model"])
        assert benchmark, r
        first, last = ranges[benchmark]
        assert first <= order(r["release"]) <= last, (benchmark, r["release"])
        assert r["release"] in releases and r["submitter"] in submitters, r
        rule(r["release"], benchmark, r["scenario"])
    assert benchmark_of("v6.1", "VLM") == "qwen3-vl-235b-a22b" and benchmark_of("v5.1", "VLM") is None
    assert benchmark_of("v5.1", "made-up-7b") is None


def test_benchmark_families_and_targets():
    for b in seed("mlperf_benchmarks"):
        suffix = f"-{b['accuracy_target']}" if b["accuracy_target"] else ""
        assert b["benchmark_id"] == b["benchmark_family"] + suffix, b
    tokens = {b["benchmark_id"] for b in seed("mlperf_benchmarks") if b["tokens_metric"] == "true"}
    assert tokens == {
        m["benchmark_id"] for m in seed("mlperf_inference_metrics") if m["result_unit"] == "tokens/s"
    }


def test_ranges_of_rules_do_not_overlap_and_defaults_cover_every_round():
    releases = [r["release"] for r in seed("mlperf_releases") if r["suite_kind"] == "inference"]
    for b in seed("mlperf_benchmarks"):
        for release in releases:
            if order(release) < order(b["first_release"]):
                continue
            for scenario in ("Offline", "Server", "SingleStream", "MultiStream"):
                rule(release, b["benchmark_id"], scenario)
            if order(release) >= (5, 1):
                rule(release, b["benchmark_id"], "Interactive")
    assert rule("v1.1", "resnet", "MultiStream")["result_unit"] == "samples_per_query"
    assert rule("v6.1", "wan-2.2-t2v-a14b", "SingleStream")["result_unit"] == "latency_s"


LOG_LINE = {
    "samples_per_second": "samples per second",
    "tokens_per_second": "tokens per second",
    "tokens_per_second_inferred": "tokens per second (inferred)",
    "scheduled_samples_per_second": "scheduled samples per second",
    "completed_samples_per_second": "completed samples per second",
    "completed_tokens_per_second": "completed tokens per second",
    "completed_tokens_per_second_inferred": "completed tokens per second (inferred)",
    "early_stopping_90": "early stopping 90th percentile estimate",
    "early_stopping_99": "early stopping 99th percentile estimate",
    "early_stopping_99_9": "early stopping 99.9th percentile estimate",
    "percentile_90": "90th percentile latency (ns)",
    "percentile_90_additional": "90.00 percentile latency (ns)",
}


@pytest.mark.parametrize(("release", "n_rows", "n_derived"), [("v4.1", 937, 0), ("v5.1", 1448, 536)])
def test_units_and_the_inferred_flag_are_what_the_logs_say(release, n_rows, n_derived):
    logs = summaries(release)
    rows = [r for r in results() if r["release"] == release]
    assert len(rows) == n_rows
    wrong, derived = [], 0
    for r in rows:
        log = logs[r["location"]]
        ran = (
            "Interactive"
            if (log["scenario"], r["scenario"]) == ("Server", "Interactive")
            else log["scenario"]
        )
        assert (ran != r["scenario"]) == bool(r["inferred"]), r
        if ran != r["scenario"]:
            derived += 1
            assert ran == "SingleStream" and r["scenario"] in ("MultiStream", "Offline"), r
            continue
        how = rule(release, benchmark_of(release, r["model"]), r["scenario"])
        scale = {"latency_ms": 1e6, "latency_s": 1e9}.get(how["result_unit"], 1)
        measured = float(log[LOG_LINE[how["log_metric"]]]) / scale
        # the summary log of older loadgens rounds per-second values to two decimals
        if abs(measured - r["value"]) > max(1e-4 * r["value"], 0.0051 if scale == 1 else 0):
            wrong.append((r["location"], r["value"], measured, how))
    assert not wrong and derived == n_derived
    flag = {
        s["release"]: s["inferred_flag_is_reliable"]
        for s in seed("mlperf_releases")
        if s["suite_kind"] == "inference"
    }
    assert flag[release] == "true"


def test_units_of_the_first_llm_rounds_follow_from_their_size():
    at = {(r["release"], r["platform"], r["model"], r["scenario"]): r["value"] for r in results()}
    ratios = [
        value / at["v4.0", platform, model, "Server"]
        for (release, platform, model, scenario), value in at.items()
        if release == "v4.0" and model == "llama2-70b-99.9" and scenario == "Offline"
        and ("v4.0", platform, model, "Server") in at
    ]  # fmt: skip
    # about 294 tokens a sample: Offline counts tokens, Server samples
    assert len(ratios) > 15 and all(290 < q < 450 for q in ratios)
    assert rule("v4.0", "llama2-70b-99.9", "Offline")["result_unit"] == "tokens/s"
    assert rule("v4.0", "llama2-70b-99.9", "Server")["result_unit"] == "queries/s"
    dgx = [at[r, "DGX-H100_H100-SXM-80GBx8_TRT", "gptj-99", "Offline"] for r in ("v3.1", "v4.0", "v4.1")]
    assert dgx[0] < 200 and dgx[1] < 400 and dgx[2] > 10_000
    assert [rule(r, "gptj-99", "Offline")["result_unit"] for r in ("v3.1", "v4.0", "v4.1")] == [
        "samples/s", "samples/s", "tokens/s"
    ]  # fmt: skip


def test_the_inferred_flag_of_older_rounds_is_plausible():
    value = {(r["release"], r["location"].rsplit("/", 1)[0], r["scenario"]): r["value"] for r in results()}
    for r in results():
        if order(r["release"]) < (4, 1) and r["inferred"]:
            assert r["scenario"] in ("MultiStream", "Offline"), r
            single = value.get((r["release"], r["location"].rsplit("/", 1)[0], "SingleStream"))
            if r["scenario"] == "MultiStream" and single:
                assert r["value"] > 8 * single, r


# ---------------------------------------------------------------- releases, submitters, corrections


def test_releases_are_dated_in_order():
    for kind in ("inference", "training"):
        rows = [r for r in seed("mlperf_releases") if r["suite_kind"] == kind]
        assert [order(r["release"]) for r in rows] == sorted(order(r["release"]) for r in rows)
        dates = [r["published_on"] for r in rows if r["published_on"]]
        assert dates == sorted(dates) and len(dates) >= len(rows) - 1
    reliable = {
        r["release"]: r["inferred_flag_is_reliable"]
        for r in seed("mlperf_releases")
        if r["suite_kind"] == "inference"
    }
    assert {r for r, v in reliable.items() if v == "false"} == {"v6.0", "v6.1"}
    assert {r for r, v in reliable.items() if v == ""} == {"v0.5", "v0.7", "v1.0", "v1.1"}


def test_submitters_are_one_company_under_one_id():
    names = defaultdict(set)
    for s in seed("mlperf_submitters"):
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", s["submitter_id"]), s
        names[s["submitter_id"]].add(s["submitter_name"])
    assert all(len(n) == 1 for n in names.values())
    by_name = {s["submitter_published"]: s for s in seed("mlperf_submitters")}
    assert by_name["CTuning"]["submitter_id"] == by_name["cTuning"]["submitter_id"]
    assert by_name["Quanta_Cloud_Technology"]["submitter_name"] == "Quanta Cloud Technology"
    assert by_name["Supermicro_MangoBoost"]["members"] == "Supermicro;MangoBoost"
    known = {s["submitter_name"] for s in seed("mlperf_submitters")} | {"Broadcom", "VMware", "SIT"}
    assert all(set(s["members"].split(";")) <= known for s in seed("mlperf_submitters") if s["members"])


def test_corrections_are_about_rows_that_exist():
    field = {"accelerators_per_node": "per_node", "number_of_nodes": "nodes"}
    for c in seed("mlperf_system_corrections"):
        hits = [
            r
            for r in results() + tree_systems()
            if (r["release"], r["submitter"], r["platform"]) == (c["release"], c["submitter"], c["platform"])
            and str(r[field[c["field"]]]) == c["published_value"]
        ]
        assert hits and c["is_per_accelerator_valid"] in ("true", "false") and c["reason"] and c["source"], c


def test_a_named_accelerator_with_a_count_of_zero_is_corrected_or_mixed():
    corrected = {(c["release"], c["submitter"], c["platform"]) for c in seed("mlperf_system_corrections")}
    for r in results():
        count = str(r["per_node"])
        if is_absent(r["accelerator_name_published"]):
            assert count in ("", "0", "N/A"), r
        elif not count.isdigit() or int(count) == 0:
            mixed = accelerator_of(r["accelerator_name_published"], r["platform"]) == "mixed"
            assert mixed or (r["release"], r["submitter"], r["platform"]) in corrected, r
