"""The RST documents of AMD and AWS as they are, and vendor pages of the shapes they have."""

import csv
import io
from pathlib import Path

import pytest
import spec_pages

from ingest.core.errors import PayloadRejected
from ingest.specs import amd, gaudi, google_tpu, neuron, nvidia, rocm
from ingest.specs.registry import SPEC_SOURCES


def each(result):
    return {(r.product_published, r.attribute): r.value / r.per_count for r in result.rows}


def real(spec_data, source, key, name):
    with (spec_data / "vendor" / name).open("rb") as file:
        return source.SOURCE.parse([("", file)], key=key)


def page(source, key, html):
    return source.SOURCE.parse([("", io.BytesIO(html.encode()))], key=key)


def test_rocm_table(spec_data):
    result = real(spec_data, rocm, "gpu-arch-specs", "rocm_gpu-arch-specs.rst")
    gib = {r.product_published: float(r.value_published) for r in result.rows}
    assert (gib["MI300X"], gib["MI210"], gib["MI50 (16GB)"], gib["Radeon RX 7900 XTX"]) == (192, 64, 16, 24)
    assert {(r.attribute, r.unit_published) for r in result.rows} == {("memory_gb", "GiB")}
    assert each(result)["MI300X", "memory_gb"] == pytest.approx(192 * 2**30 / 1e9)
    assert len(gib) == len(result.rows) == 39 and not result.rejects


def rst_tab(title, *rows):
    """A tab with a table of the shape that AMD has had since 2026."""
    lines = [f".. tab-item:: {title}", "", "  .. list-table::", "      :header-rows: 1", ""]
    for first, *cells in rows:
        lines += ["      *", f"        - {first}", *(f"        - {cell}" for cell in cells)]
    return "".join(f"\n  {line}".rstrip(" ") for line in lines) + "\n"


def test_rocm_table_as_it_is_headed_since_2026():
    text = "\n.. tab-set::\n" + "".join(
        rst_tab(title, ("Name", "Architecture", "VRAM (GiB)"), row)
        for title, row in (
            ("AMD Instinct GPUs", ("MI355X", "CDNA4", "288")),
            ("AMD Ryzen APUs", ("Ryzen AI Max+ 395", "Radeon 8060S", "Dynamic + carveout")),
        )
    )
    assert each(page(rocm, "gpu-arch-specs", text)) == {
        ("MI355X", "memory_gb"): pytest.approx(288 * 2**30 / 1e9)
    }


@pytest.mark.parametrize(
    ("key", "product", "bf16", "fp8", "memory_gib", "gb_s"),
    [
        ("trainium", "Trainium", 190, 190, 32, 820 * 2**30 / 1e9),
        ("trainium2", "Trainium2", 667, 1299, 96, 2900),
        ("trainium3", "Trainium3", 671, 2517, 144, 4900),
        ("inferentia2", "Inferentia2", 190, 190, 32, 820 * 2**30 / 1e9),
    ],
)
def test_neuron_chip_pages(spec_data, key, product, bf16, fp8, memory_gib, gb_s):
    found = each(real(spec_data, neuron, key, f"neuron_{key}.rst"))
    assert found[product, "bf16_dense_tflops"] == bf16
    assert found[product, "fp8_dense_tflops"] == fp8
    assert found[product, "memory_gb"] == pytest.approx(memory_gib * 2**30 / 1e9)
    assert found[product, "memory_bandwidth_gb_s"] == pytest.approx(gb_s)


def test_neuron_instances_are_divided_by_their_chips_and_agree_with_the_chip(spec_data):
    found = each(real(spec_data, neuron, "trn2-arch", "neuron_trn2-arch.rst"))
    chip = each(real(spec_data, neuron, "trainium2", "neuron_trainium2.rst"))
    for instance in ("trn2.48xlarge / trn2u.48xlarge", "Trn2 UltraServer"):
        for attribute in ("bf16_dense_tflops", "fp8_dense_tflops", "memory_gb", "memory_bandwidth_gb_s"):
            assert found[instance, attribute] == pytest.approx(chip["Trainium2", attribute], rel=0.01)
        assert (instance, "scale_up_bandwidth_gb_s") not in found  # 1,024 is a part of the chip's 1,280


def test_neuron_instances_a_row_each(spec_data):
    result = real(spec_data, neuron, "inf2-arch", "neuron_inf2-arch.rst")
    assert {(r.product_published, r.per_count) for r in result.rows} == {
        ("Inf2.xlarge", 1),
        ("Inf2.8xlarge", 1),
        ("Inf2.24xlarge", 6),
        ("Inf2.48xlarge", 12),
    }
    assert {v for (_, a), v in each(result).items() if a == "bf16_dense_tflops"} == {190}


def test_sparse_rates_of_trainium2_are_not_taken_for_twice_the_dense(spec_data):
    result = real(spec_data, neuron, "trainium2", "neuron_trainium2.rst")
    assert not any(r.is_sparse for r in result.rows) and not any(r.value == 2563 for r in result.rows)
    assert result.left_out["a rate with sparsity beside the dense one"] == 8


def test_a_table_with_more_columns_than_heads_is_refused(spec_data):
    with pytest.raises(PayloadRejected, match="does not contain the same number of items"):
        real(spec_data, neuron, "trn1-arch", "neuron_trn1-arch.rst")


def table(*lines):
    rows = ("".join(f"<td>{cell}</td>" for cell in line.split(" | ")) for line in lines)
    return (
        "<table><tr>"
        + "</tr><tr>".join(rows).replace("td>", "th>", lines[0].count("|") * 2 + 2)
        + "</tr></table>"
    )


GIB = 2**30 / 1e9
TPU_PAGES = {
    "v5e": (
        table(
            "Specification | Values",
            "Peak compute per chip (bf16) | 197 TFLOPs",
            "Peak compute per chip (Int8) | 393 TOPs",
            "HBM capacity per chip | 16 GB",
            "HBM bandwidth per chip | 800 GiBps",
            "Bidirectional inter-chip interconnect (ICI) bandwidth (per chip) | 400 GBps",
            "DRAM per host | 512 GiB",
            "TPU Pod size | 256 chips",
            "BF16 peak compute per Pod | 50.63 PFLOPs",
            "Bisection bandwidth per Pod | 1.6 TB/s",
        ),
        {
            ("TPU v5e", "bf16_dense_tflops"): 197,
            ("TPU v5e", "int8_dense_tops"): 393,
            ("TPU v5e", "memory_gb"): 16,
            ("TPU v5e", "memory_bandwidth_gb_s"): 800 * GIB,
            ("TPU v5e", "scale_up_bandwidth_gb_s"): 400,
        },
    ),
    "tpu7x": (  # several generations, with units in the rows' names
        table(
            "Specification | v5p | TPU7x (Ironwood)",
            "Number of chips per pod | 8960 | 9216",
            "Peak compute per chip (BF16) (TFLOPs) | 459 | 2307",
            "Peak compute per chip (FP8) (TFLOPs) | 459 | 4614",
            "HBM capacity per chip (GiB) | 95 | 192",
        ),
        {
            ("v5p", "bf16_dense_tflops"): 459,
            ("v5p", "fp8_dense_tflops"): 459,
            ("v5p", "memory_gb"): 95 * GIB,
            ("TPU7x (Ironwood)", "bf16_dense_tflops"): 2307,
            ("TPU7x (Ironwood)", "fp8_dense_tflops"): 4614,
            ("TPU7x (Ironwood)", "memory_gb"): 192 * GIB,
        },
    ),
    "v4": (  # formats beside the figure, capacity with bandwidth
        table(
            "Key specifications | v4 Pod values",
            "Peak compute per chip | 275 teraflops (bf16 or int8)",
            "HBM2 capacity and bandwidth | 32 GiB, 1200 GBps",
            "Measured min/mean/max power | 90/170/192 W",
        ),
        {
            ("TPU v4", "bf16_dense_tflops"): 275,
            ("TPU v4", "int8_dense_tops"): 275,
            ("TPU v4", "memory_gb"): 32 * GIB,
            ("TPU v4", "memory_bandwidth_gb_s"): 1200,
            ("TPU v4", "tdp_w"): 192,
        },
    ),
}


@pytest.mark.parametrize("key", TPU_PAGES)
def test_tpu_pages_are_read_per_chip(key):
    html, expected = TPU_PAGES[key]
    assert each(page(google_tpu, key, html)) == pytest.approx(expected)


def test_gaudi_generations_matrix_and_vector_rates():
    html = table(
        "Feature | Intel Gaudi 2 | Intel Gaudi 3",
        "BF16 Matrix TFLOPs | 432 | 1835",
        "BF16 Vector TFLOPs | 11 | 28.7",
        "HBM Bandwidth | 2.46 TB/s | 3.67 TB/s",
        "On-die SRAM Bandwidth | 6.4 TB/s | 12.8 TB/s",
        "TDP (OAM) | 600W | 900W (Air)/1200W (Liquid)",
    )
    result = page(gaudi, "gaudi3", html)
    found = each(result)
    assert found["Intel Gaudi 3", "bf16_dense_tflops"] == 1835 and found["Intel Gaudi 2", "tdp_w"] == 600
    assert found["Intel Gaudi 3", "memory_bandwidth_gb_s"] == 3670
    assert ("Intel Gaudi 3", "tdp_w") not in found and "Liquid" in str(result.rejects[0])


def test_gaudi_documentation_tells_memory_in_sentences():
    found = each(page(gaudi, "architecture", spec_pages.GAUDI["architecture"]))
    assert found == {
        ("Intel Gaudi 2", "memory_gb"): 96,
        ("Intel Gaudi 2", "memory_bandwidth_gb_s"): 2450,
        ("Intel Gaudi 3", "memory_gb"): 128,
        ("Intel Gaudi 3", "memory_bandwidth_gb_s"): 3700,
    }


PRODUCTS = {
    "H100 SXM": "nvidia-h100-sxm-80gb",
    "H100 NVL": "nvidia-h100-nvl-94gb",
    "H200 SXM": "nvidia-h200-sxm-141gb",
    "H200 NVL": "nvidia-h200-nvl-141gb",
    "HGX B200": "nvidia-b200-sxm-180gb",
    "HGX B300": "nvidia-b300-sxm-270gb",
    "NVIDIA DGX B200": "nvidia-b200-sxm-180gb",
    "GB200 NVL72": "nvidia-gb200-186gb",
    "GB200 Grace Blackwell Superchip": "nvidia-gb200-186gb",
    "GB300 NVL72": "nvidia-gb300-288gb",
    "Rubin GPU": "nvidia-vr200-288gb",
    "Vera Rubin NVL72": "nvidia-vr200-288gb",
    "GH200": "nvidia-gh200-96gb",
    "GH200 NVL2": "nvidia-gh200-144gb",
    "A100 80GB PCIe": "nvidia-a100-pcie-80gb",
    "A100 80GB SXM": "nvidia-a100-sxm-80gb",
    "V100 for NVLink": "nvidia-v100-sxm2-16gb",
    **{
        f"NVIDIA {name}": f"nvidia-{name.lower()}"
        for name in ("A30", "A10", "A2", "A40", "L4", "L40", "L40S", "T4")
    },
    "NVIDIA RTX PRO 6000 Blackwell Server Edition": "nvidia-rtx-pro-6000-server",
    **{
        f"AMD Instinct {name}": f"amd-{name.lower()}"
        for name in ("MI210", "MI250", "MI250X", "MI300A", "MI300X", "MI325X", "MI350X", "MI355X")
    },
    **{f"TPU {name}": f"google-tpu-{name}" for name in ("v3", "v4", "v5e", "v5p", "v6e")},
    "TPU7x (Ironwood)": "google-tpu-v7",
    "Intel Gaudi 2": "intel-gaudi2",
}
ROUNDED = 0.03
"""Pages round to two or three digits: 1.4 TB of a board are 8 × 180 GB, 2.5 PFLOPs are 2,516.6 TFLOP/s."""
DIFFERENT = {
    ("TPU v3", "tdp_w"): "the highest measured, not the limit of the literature",
    ("TPU v5e", "memory_bandwidth_gb_s"): "800 GiBps where another build prints 819 GBps",
    ("GB300 NVL72", "memory_gb"): "20 TB of the page are 20.7",
    ("GB300 NVL72", "fp64_tflops"): "100 TFLOPS of the rack, 1.3 of the part",
    ("GB300 NVL72", "fp32_tflops"): "6 PFLOPS of the rack, 80 TFLOP/s of the part",
    ("HGX B300", "int8_dense_tops"): "3 POPS of the board, rounded from 2.5",
    ("NVIDIA T4", "memory_bandwidth_gb_s"): "the page says 300, the data sheet 320",
    ("NVIDIA DGX B200", "memory_bandwidth_gb_s"): "64 TB/s of the system, 7.7 of the part in the data sheet",
}
SEED = Path(__file__).resolve().parents[3] / "dbt_project" / "seeds" / "accelerator_specs.csv"


@pytest.mark.parametrize(
    ("source", "key"),
    [
        (source, key)
        for source, bodies in (
            (nvidia, spec_pages.NVIDIA),
            (amd, spec_pages.AMD),
            (google_tpu, spec_pages.GOOGLE),
            (gaudi, spec_pages.GAUDI),
        )
        for key in bodies
    ],
)
def test_figures_of_a_page_are_those_of_the_data_sheet(source, key):
    """Halved, doubled and divided as the warehouse does, against the curated figures, which come from data sheets."""
    with SEED.open(encoding="utf-8") as file:
        sheets = {row["accelerator_id"]: row for row in csv.DictReader(file)}
    parsed = source.SOURCE.parse([("", io.BytesIO(spec_pages.PAGES[source.PAGES[key][0]].encode()))], key=key)
    compared = 0
    for row in parsed.rows:
        sheet = sheets.get(PRODUCTS.get(row.product_published, ""), {})
        column = (
            "interconnect_bandwidth_gb_s" if row.attribute == "scale_up_bandwidth_gb_s" else row.attribute
        )
        if not sheet.get(column):
            continue
        value = row.value / row.per_count / (2 if row.is_sparse else 1)
        value *= 2 if row.is_bidirectional is False else 1
        if row.unit_published == "GiB":
            value *= 1e9 / 2**30
        is_equal = value == pytest.approx(float(sheet[column]), rel=ROUNDED)
        is_known = (row.product_published, row.attribute) in DIFFERENT
        assert is_equal is not is_known, (
            row.product_published,
            row.attribute,
            row.note,
            value,
            sheet[column],
        )
        compared += 1
    assert compared >= 2


def test_pages_for_people_ask_robots_first():
    for name, source in SPEC_SOURCES.items():
        assert all(f.is_page == (name in {"nvidia", "amd", "google-tpu", "gaudi"}) for f in source.plan({}))
