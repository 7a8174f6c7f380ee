"""Which accelerators a description names: systems of one to three models in every spelling, and names that are nearly known."""

import re
from collections import defaultdict

import duckdb
import jinja2
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from warehouse.storage.home import DBT_PROJECT_DIR

# names as submitters write them, of seven makers
MODELS = {
    "NVIDIA H100-SXM-80GB": "nvidia-h100-sxm-80gb",
    "NVIDIA H100-PCIe-80GB": "nvidia-h100-pcie-80gb",
    "NVIDIA A100-SXM4-40GB (400W)": "nvidia-a100-sxm-40gb",
    "A100-PCIE-40GB": "nvidia-a100-pcie-40gb",
    "Tesla V100-SXM2-16GB": "nvidia-v100-sxm2-16gb",
    "NVIDIA Blackwell GPU (B200-SXM-180GB)": "nvidia-b200-sxm-180gb",
    "NVIDIA Blackwell Ultra GPU (GB300)": "nvidia-gb300-288gb",
    "NVIDIA GH200 Grace Hopper Superchip 144GB": "nvidia-gh200-144gb",
    "NVIDIA L4": "nvidia-l4",
    "NVIDIA A10": "nvidia-a10",
    "NVIDIA RTX PRO 6000 Blackwell Server Edition": "nvidia-rtx-pro-6000-server",
    "NVIDIA Jetson AGX Orin 64G": "nvidia-jetson-agx-orin-64gb",
    "AMD Instinct MI300X 192GB HBM3": "amd-mi300x",
    "AMD Instinct MI355X 288GB HBM3e": "amd-mi355x",
    "Habana Gaudi HL-205": "intel-gaudi1",  # Gaudi alone and a count of two would be Gaudi 2
    "Intel® Gaudi® 2 AI Accelerator": "intel-gaudi2",
    "MS-Intel Arc Pro B60 Dual 48G Turbo": "intel-arc-pro-b60-dual",
    "TPU v5e": "google-tpu-v5e",
    "TPU-trillium": "google-tpu-v6e",
    "tpuv3-32": "google-tpu-v3",
    "AWS Trainium2": "aws-trainium2",
    "QUALCOMM Cloud AI 100 PCIe/HHHL Pro": "qualcomm-cloud-ai-100-pro",
    "Graphcore Bow IPU": "graphcore-bow",
}
JOINED = st.sampled_from(
    [" and ", " + ", "+", " & ", "/", ",", ", ", "; ", " with ", " plus ", "\n", "\r\n", "\t", " | ", "_", ") (", "\u00a0", "、"]
) | st.text(st.characters(codec="utf-8", categories=("P", "S", "Z", "Cc"), exclude_characters="×"), min_size=1, max_size=4)  # fmt: skip
COUNTED = st.sampled_from(
    ["{}", "8x {}", "{} (x8)", "{} x8", "2 nodes: {}", "72 × {}", "{} (2x8)", "2x8x {}", "8 x {} each"]
)


@pytest.fixture(scope="module")
def ask():
    """Return a function of described systems (name, platform, name of the system) → accelerator_id, candidates or `mixed`."""
    folder = DBT_PROJECT_DIR / "macros" / "identity"
    macros = "".join((folder / f"{m}.sql").read_text("utf-8") for m in ("identity", "accelerator_names"))
    environment = jinja2.Environment(autoescape=False)
    environment.globals["var"] = {"capacity_tolerance_pct": 10}.__getitem__
    render = environment.from_string(macros).module.accelerators_of_systems
    aliases = (
        "(select * replace (priority::integer as priority, is_mixed::boolean as is_mixed) "
        "from (from shipped union all by name from overrides))"
    )
    specs = "(select * replace (memory_gb::double as memory_gb) from specs)"
    with duckdb.connect() as db:
        for table, file in (
            ("shipped", "accelerator_aliases"),
            ("known", "accelerator_name_words"),
            ("specs", "accelerator_specs"),
        ):
            path = DBT_PROJECT_DIR / "seeds" / f"{file}.csv"
            db.execute(
                f"create table {table} as select *, false as is_override from read_csv('{path}', all_varchar = true)"
            )

        def answers(systems, overrides=(), capacity_gb=None):
            db.execute("create or replace table overrides as from shipped limit 0")
            for pattern, accelerator_id in overrides:
                db.execute(
                    "insert into overrides by name select ? as pattern, ? as accelerator_id, 1 as priority, ? as is_mixed, true as is_override",
                    [pattern, accelerator_id, not accelerator_id],
                )
            columns = ("accelerator_name_published", "platform", "system_name")
            db.execute(
                f"create or replace table asked as select {', '.join(f'unnest(?::varchar[]) as {c}' for c in columns)}, "
                "[?]::double[] as capacities_gb",
                [[system[i] for system in systems] for i in range(3)] + [capacity_gb],
            )
            found = db.execute(
                f"select {', '.join(columns)}, if(is_mixed, 'mixed', coalesce(candidates, accelerator_id)) "
                f"from ({render('asked', aliases, 'known', specs)})"
            ).fetchall()
            assert len(found) == len(set(systems))
            return {tuple(system): answer for *system, answer in found}

        yield answers


def names_only(ask, names, overrides=()):
    """Ask for names on a platform that says nothing; return the answers by name."""
    answers = ask([(name, "p", None) for name in dict.fromkeys(names)], overrides)
    return {name: answer for (name, *_), answer in answers.items()}


def drawn(strategy, n):
    """Return n examples of a strategy, the same ones every time."""
    out = []

    @seed(39)
    @settings(max_examples=n, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(strategy)
    def collect(example):
        out.append(example)

    collect()
    return out


@st.composite
def described(draw):
    """Draw the words for a system of one to three models, and its accelerators."""
    models = draw(st.lists(st.sampled_from(sorted(MODELS)), min_size=1, max_size=3))
    parts = [draw(COUNTED).format(model) for model in models]
    if draw(st.integers(0, 5)) == 0:
        words = str(parts)  # a list in JSON
    else:
        words = parts[0]
        for part in parts[1:]:
            words += draw(JOINED) + part
    return words, {MODELS[model] for model in models}


def test_one_accelerator_is_mapped_and_several_never(ask):
    systems = dict(drawn(described(), 600))
    assert sum(len(ids) > 1 for ids in systems.values()) > 200
    found = names_only(ask, systems)
    assert {w: found[w] for w, ids in systems.items() if len(ids) > 1 and found[w] != "mixed"} == {}
    assert {w: (found[w], ids) for w, ids in systems.items() if len(ids) == 1 and found[w] not in ids} == {}


def test_platform_or_system_may_say_that_there_are_several(ask):
    h100 = "NVIDIA H100-SXM-80GB"
    one, several = "nvidia-h100-sxm-80gb", "mixed"
    expected = {
        (h100, "72xVR200_8xH100", None): several,
        (h100, "H100x8_MI350Xx8", "box"): several,
        (h100, "box", "2x8x H100 + 1x8x A100"): several,
        ("tpuv3-32", "research_v3.32_resnet-tpuv3-32_tpu", "tpuv3-32 + tpuv2-8"): several,
        # the same part twice, in the ways of real rounds
        (h100, "DGX-H100_H100-SXM-80GBx8_TRT", "NVIDIA DGX H100 (8x H100-SXM-80GB, TensorRT)"): one,
        (h100, "vR750xa_H100_PCIe_80Cx2", "NVIDIA H100 (1x H100-PCIe-80GB, TensorRT)"): one,
        (
            "NVIDIA GH200-GraceHopper-Superchip",
            "GH200-GraceHopper-Superchip_GH200-144GB_aarch64x1_TRT",
            None,
        ): "nvidia-gh200-144gb",
    }
    assert ask(list(expected)) == expected


# models after which only more letters can follow
WORDS = [
    "NVIDIA H100", "NVIDIA H200", "NVIDIA H20", "NVIDIA H800", "NVIDIA A100", "NVIDIA A30", "NVIDIA A2", "Tesla T4",
    "NVIDIA L40S", "Tesla V100", "NVIDIA V100S", "NVIDIA B200", "NVIDIA B300", "NVIDIA GB200", "NVIDIA GB300",
    "NVIDIA GH200", "NVIDIA VR200", "NVIDIA Vera Rubin", "NVIDIA GeForce RTX 4090", "NVIDIA RTX PRO 6000",
    "NVIDIA RTX A5000", "NVIDIA Jetson AGX Orin", "NVIDIA Jetson AGX Thor", "AMD Instinct MI300X", "AMD Instinct MI325X",
    "AMD Instinct MI350X", "AMD Instinct MI355X", "AMD Instinct MI250X", "AMD Radeon RX 7900 XTX", "Intel Gaudi2",
    "Intel Gaudi 3", "Habana Gaudi", "Intel Arc Pro B60", "TPU v4", "TPU v5e", "TPU v5p", "TPU v6e", "AWS Trainium2",
    "AWS Trainium3", "Inferentia2", "Qualcomm Cloud AI 100 Ultra", "Qualcomm Cloud AI 100", "Huawei Ascend 910B",
    "Huawei Ascend 910C", "Groq LPU v1", "FuriosaAI RNGD", "MOFFETT S30", "Goya", "Hailo8", "RecAccel N3000", "Graphcore Bow IPU",
]  # fmt: skip


def test_more_letters_make_another_part(ask):
    glued = st.from_regex(r"[A-Za-z0-9]{1,6}", fullmatch=True).filter(lambda w: not re.fullmatch(r"x\d+", w))
    apart = st.from_regex(r"[ /_-][Z][A-Za-z0-9]{0,5}", fullmatch=True)
    endings = ["X-NEXT", " Ultra", " Super", " D", "-777GB", *drawn(glued | apart, 40)]
    known = names_only(ask, WORDS)
    assert None not in known.values() and "mixed" not in known.values()
    found = names_only(ask, [word + ending for word in WORDS for ending in endings])
    # the memory of a Hailo-8 is not known
    assert {w + e for w in WORDS for e in endings if found[w + e] == known[w]} == {"Hailo8-777GB"}


# name|platform|name of the system|GB in the system file|the part or parts, by the fields of submissions as makers describe their machines
RECORDS = """
|DGX-H100_x8|||
NVIDIA H100|p|||nvidia-h100-nvl-94gb;nvidia-h100-pcie-80gb;nvidia-h100-sxm-80gb
NVIDIA H100|R760xa_H100x4|PowerEdge R760xa (4x H100, PCIe Gen5)||nvidia-h100-nvl-94gb;nvidia-h100-pcie-80gb
NVIDIA H100|R760xa_H100-PCIe-80GBx4_TRT|PowerEdge R760xa||nvidia-h100-pcie-80gb
NVIDIA H100|XE9680_H100x8_TRT|||nvidia-h100-sxm-80gb
NVIDIA H100|sys|SYS-521GE (8x H100-NVL)||nvidia-h100-nvl-94gb
NVIDIA H100|H100-SXM or H100-PCIe|||nvidia-h100-nvl-94gb;nvidia-h100-pcie-80gb;nvidia-h100-sxm-80gb
NVIDIA H200|xd670_h200_x8||141|nvidia-h200-nvl-141gb;nvidia-h200-sxm-141gb
NVIDIA H200|xd670_h200_sxm_x8|||nvidia-h200-sxm-141gb
NVIDIA A100|DGX-A100_x8||80|nvidia-a100-sxm-80gb
NVIDIA A100|DGX-A100_x8|1 TB of memory||nvidia-a100-sxm-40gb;nvidia-a100-sxm-80gb
NVIDIA A100 80GB|p|||nvidia-a100-pcie-80gb;nvidia-a100-sxm-80gb
NVIDIA A100-PCIe|p||40|nvidia-a100-pcie-40gb
NVIDIA A100|p||64|nvidia-a100-pcie-40gb;nvidia-a100-pcie-80gb;nvidia-a100-sxm-40gb;nvidia-a100-sxm-80gb
Tesla V100|dgx1_ngc20.06||32|nvidia-v100-sxm2-32gb
Tesla V100 16GB|p|||nvidia-v100-pcie-16gb;nvidia-v100-sxm2-16gb
Tesla P100|p|||SXM2;nvidia-p100-pcie-16gb
NVIDIA GH200 Grace Hopper Superchip|p||144|nvidia-gh200-144gb
AMD Instinct MI300|p||192|amd-mi300x
NVIDIA RTX PRO 6000 Blackwell|PRIMERGY_CDI||96|nvidia-rtx-pro-6000-server
NVIDIA RTX PRO 6000 Blackwell|tower||96|nvidia-rtx-pro-6000-maxq;nvidia-rtx-pro-6000-server;nvidia-rtx-pro-6000-workstation
"""


def test_a_name_of_several_parts_is_decided_by_its_record_or_not_at_all(ask):
    of_capacity = defaultdict(dict)  # one question for all records of one capacity: patterns take longest
    for line in RECORDS.split("\n")[1:-1]:
        *system, capacity_gb, expected = (value or None for value in line.split("|"))
        of_capacity[capacity_gb][tuple(system)] = expected
    for capacity_gb, expected in of_capacity.items():
        asked = {"capacity_gb": int(capacity_gb)} if capacity_gb else {}
        assert ask(list(expected), **asked) == expected, capacity_gb


def test_words_that_make_another_product_or_a_slice_leave_a_name_unmapped(ask):
    names = [
        "NVIDIA H100 NVL144", "NVIDIA Rubin NVL144 CPX", "NVIDIA Vera Rubin NVL144 CPX", "NVIDIA GB300 NVL576", "NVIDIA B200 NVL72",
        "NVIDIA H100 vGPU", "NVIDIA H100-1g.10gb", "NVIDIA H100-SXM-80GB MIG 3g.40gb", "GRID A100-4C", "NVIDIA A100-SXM-40C",
        "NVIDIA T4-8Q", "AMD Instinct MI300X-NPS4-CPX-192GB", "1/2 NVIDIA H100-SXM-80GB", "NVIDIA H100X", "NVIDIA H100 Ultra",
        "NVIDIA H100 CNX", "NVIDIA A800-SXM-80GB", "NVIDIA B200A", "NVIDIA B300A", "NVIDIA B30A", "NVIDIA L40G", "NVIDIA B200 PCIe",
        "NVIDIA Blackwell Ultra GPU (B200)", "NVIDIA A100-SXM-64GB", "NVIDIA H100-SXM-94GB", "Tesla P100-SXM2-16GB", "NVIDIA H200 NVL4",
    ]  # fmt: skip
    parts = {
        "NVIDIA Vera Rubin NVL72": "nvidia-vr200-288gb",
        "NVIDIA GB200 NVL72": "nvidia-gb200-186gb",
        "NVIDIA H100 PCIe 80GB Tensor Core GPU, TGP 350W": "nvidia-h100-pcie-80gb",
        "NVIDIA H100_PCIE_BAREMETAL": "nvidia-h100-pcie-80gb",
        "NVIDIA A30 (4x1g.6gb MIG)": "nvidia-a30",
        "NVIDIA GRID T4-16Q": "nvidia-t4",
        "AMD Instinct MI300A": "amd-mi300a",
        "NVIDIA H20": "nvidia-h20-sxm-96gb",
        "NVIDIA GB10": "nvidia-gb10",
        "NVIDIA RTX PRO 6000 Blackwell Max-Q": "nvidia-rtx-pro-6000-maxq",
        "Tesla V100-FHHL-16GB": "nvidia-v100-fhhl-16gb",
        "Tesla V100-SXM2-32GB": "nvidia-v100-sxm2-32gb",
    }
    assert names_only(ask, [*names, *parts]) == dict.fromkeys(names) | parts


def test_an_unknown_companion_leaves_the_name_unmapped(ask):
    names = [
        "NVIDIA H100-SXM-80GB and Acme X9", "VR400 (72x) + H100 (8x)", "NVIDIA H100 with AMD Instinct MI999X",
        "NVIDIA H100 和 昇腾", "{'model': 'NVIDIA H100'}", "TPU v9, TPU v4",
    ]  # fmt: skip
    assert names_only(ask, names) == dict.fromkeys(names)


def test_processors_of_the_host_are_no_accelerators(ask):
    names = {
        "NVIDIA GH200 (Grace CPU + Hopper GPU) 96GB": "nvidia-gh200-96gb",
        "NVIDIA GB200 Grace Blackwell Superchip": "nvidia-gb200-186gb",
        "NVIDIA H100-SXM-80GB, host NVIDIA Grace CPU": "nvidia-h100-sxm-80gb",
        "8x NVIDIA B200 with AMD EPYC 9575F": "nvidia-b200-sxm-180gb",
        "AMD Instinct MI300X + 2x Intel Xeon Platinum 8480+": "amd-mi300x",
        "NVIDIA GB300 NVL72": "nvidia-gb300-288gb",
        "NVIDIA Grace Hopper GH200 144GB": "nvidia-gh200-144gb",
    }
    assert names_only(ask, names) == names


def test_an_override_precedes_for_its_own_words_only(ask):
    names = {
        "AMD Instinct MI455X 432GB HBM4 rev. B": "amd-mi455x",
        "AMD Instinct MI455X + NVIDIA H100": "mixed",
        "AMD Instinct MI455X and AMD Instinct MI466X": "mixed",
        "A100 of mine": "my-a100",
        "NVIDIA A100-SXM-80GB": "nvidia-a100-sxm-80gb",
        "NVIDIA H100 and a friend": "my-h100-pair",
        "Twins": "mixed",
    }
    overrides = [
        ("MI455X", "amd-mi455x"),
        ("MI466X", "amd-mi466x"),
        ("^A100 of mine$", "my-a100"),
        (r"^NVIDIA\ H100\ and\ a\ friend$", "my-h100-pair"),
        ("^Twins$", None),
    ]
    assert names_only(ask, names, overrides) == names
