"""The RST documents of AMD and AWS as they are, and vendor pages of the shapes they have."""

import csv
import io
from pathlib import Path

import pytest
import spec_pages

from ingest.core.errors import PayloadRejected
from ingest.specs import amd, gaudi, google_tpu, neuron, nvidia, rocm


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


def test_rocm_table_as_it_is_headed_since_2026():
    def tab(title, *rows):
        lines = [
            line for first, *cells in rows for line in (f"* - {first}", *(f"  - {cell}" for cell in cells))
        ]
        inside = "".join(f"      {line}\n" for line in lines)
        return f"  .. tab-item:: {title}\n\n    .. list-table::\n      :header-rows: 1\n\n{inside}\n"

    head = ("Name", "Architecture", "VRAM (GiB)")
    tabs = tab("AMD Instinct GPUs", head, ("MI355X", "CDNA4", "288"))
    tabs += tab("AMD Ryzen APUs", head, ("Ryzen AI Max+ 395", "Radeon 8060S", "Dynamic + carveout"))
    assert each(page(rocm, "gpu-arch-specs", f".. tab-set::\n\n{tabs}")) == {
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
    counts = {"Inf2.xlarge": 1, "Inf2.8xlarge": 1, "Inf2.24xlarge": 6, "Inf2.48xlarge": 12}
    assert {r.product_published: r.per_count for r in result.rows} == counts
    assert {v for (_, a), v in each(result).items() if a == "bf16_dense_tflops"} == {190}


def test_sparse_rates_of_trainium2_are_not_taken_for_twice_the_dense(spec_data):
    result = real(spec_data, neuron, "trainium2", "neuron_trainium2.rst")
    assert not any(r.is_sparse for r in result.rows) and not any(r.value == 2563 for r in result.rows)
    assert result.exclusions["a rate with sparsity beside the dense one"] == 8


def test_a_table_with_more_columns_than_heads_is_refused(spec_data):
    with pytest.raises(PayloadRejected, match="does not contain the same number of items"):
        real(spec_data, neuron, "trn1-arch", "neuron_trn1-arch.rst")


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
        for name in ["A30", "A10", "A2", "A40", "L4", "L40", "L40S", "T4"]
    },
    "NVIDIA RTX PRO 6000 Blackwell Server Edition": "nvidia-rtx-pro-6000-server",
    **{f"AMD Instinct {name.upper()}": f"amd-{name}" for name in spec_pages.AMD},
    **{f"TPU {name}": f"google-tpu-{name}" for name in spec_pages.GOOGLE},
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


WITHOUT_FIGURE = {"grace-hopper": 4, "v100": 2, "gaudi3": 1}
"""Cells of several figures that nothing sets apart."""
WITHOUT_BF16 = {"dgx-b200", "vera-rubin-nvl72", "t4", "v100", "rtx-pro-6000-server", "architecture"}
"""Pages that do not state the rate, or of parts whose data sheet does not."""


@pytest.mark.parametrize(
    ("source", "key"),
    [
        *((nvidia, key) for key in spec_pages.NVIDIA),
        *((amd, key) for key in spec_pages.AMD),
        *((google_tpu, key) for key in spec_pages.GOOGLE),
        *((gaudi, key) for key in spec_pages.GAUDI),
    ],
)
def test_figures_of_a_page_are_those_of_the_data_sheet(source, key):
    """Halved, doubled and divided as the warehouse does, against the curated figures, which come from data sheets."""
    with SEED.open(encoding="utf-8") as file:
        sheets = {row["accelerator_id"]: row for row in csv.DictReader(file)}
    parsed = source.SOURCE.parse([("", io.BytesIO(spec_pages.PAGES[source.PAGES[key][0]]))], key=key)
    assert len(parsed.rejects) == WITHOUT_FIGURE.get(key, 0)
    compared = set()
    for row in parsed.rows:
        sheet = sheets.get(PRODUCTS.get(row.product_published, ""), {})
        is_link = row.attribute == "scale_up_bandwidth_gb_s"
        if not (figure := sheet.get("interconnect_bandwidth_gb_s" if is_link else row.attribute)):
            continue
        value = row.value / row.per_count / (2 if row.is_sparse else 1)
        value *= 2 if row.is_bidirectional is False else 1
        if row.unit_published == "GiB":
            value *= 1e9 / 2**30
        is_equal = value == pytest.approx(float(figure), rel=ROUNDED)
        is_known = (row.product_published, row.attribute) in DIFFERENT
        assert is_equal is not is_known, (row, value, figure)
        compared.add(row.attribute)
    assert len(compared) > 1 and ("bf16_dense_tflops" in compared) is (key not in WITHOUT_BF16)
