"""The reader of any spec table: units, footnotes of sparsity, counts in heads, directions of links."""

import pytest
from bs4 import BeautifulSoup

from ingest.core.figures import figures_in, unit_in
from ingest.core.spec_value import SpecAccount, SpecValue
from ingest.specs.attributes import attributes_of
from ingest.specs.footnotes import keep_marks
from ingest.specs.reading import (
    BESIDE_DENSE,
    BESIDE_MATRIX,
    BESIDE_TRAINING,
    NO_FIGURE,
    NOT_COMPARED,
    OF_MORE,
    Reading,
    read_specs,
)
from ingest.specs.rst_tables import read_rst, rst_tables
from ingest.specs.tables import html_tables, pairs_table


def read(html, product="", *, pairs=False, link=None):
    soup = BeautifulSoup(html, "html.parser")
    keep_marks(soup)
    account = SpecAccount("page")
    tables = [pairs_table(soup, product)] if pairs else html_tables(soup, product)
    read_specs(account, tables, Reading(source="s", url="u", member="", link_is_bidirectional=link))
    return account.settle()


def values(parsed):
    return {(r.product_published, r.attribute): (r.value, r.is_sparse, r.per_count) for r in parsed.rows}


@pytest.mark.parametrize(
    ("text", "dimension", "figure", "converted"),
    [
        ("teraFLOPS", "flops", 1979, 1979),
        ("TFLOPs", "flops", 197, 197),
        ("petaFLOPS", "flops", 1.44, 1440),
        ("PFLOPS", "flops", 36, 36_000),
        ("FLOP/s", "flops", 989.4e12, 989.4),
        ("TOPS", "ops", 393, 393),
        ("POPs", "ops", 2.6, 2600),
        ("PetaOps", "ops", 100, 100_000),
        ("GB", "bytes", 80, 80),
        ("GiB", "bytes", 192, 206.158430208),  # 192 × 2³⁰ / 10⁹
        ("MiB", "bytes", 81_559, 85.520809984),  # 81559 × 2²⁰ / 10⁹
        ("TB", "bytes", 13.4, 13_400),
        ("TB/s", "bytes/s", 3.35, 3350),
        ("GB/sec", "bytes/s", 384, 384),
        ("GBps", "bytes/s", 819, 819),
        ("GiBps", "bytes/s", 800, 858.9934592),
        ("Gbps", "bytes/s", 1600, 200),  # bits: 1600 / 8
        ("byte/s", "bytes/s", 3.35e12, 3350),
        ("W", "watts", 700, 700),
        ("kW", "watts", 1.2, 1200),
    ],
)
def test_a_unit_is_what_its_letters_say(text, dimension, figure, converted):
    unit = unit_in(text)
    assert (unit.dimension, unit.words) == (dimension, text)
    assert unit.convert(figure) == pytest.approx(converted, rel=1e-9)


@pytest.mark.parametrize(
    "words", ["BW", "Workloads", "GPUs", "FP8", "BF16", "Options", "Below", "8 Blackwell"]
)
def test_letters_of_a_word_are_no_unit(words):
    assert unit_in(words) is None


def test_figures_of_a_cell_with_a_capital_i_for_a_bar():
    first, second = figures_in("183 I 366*", unit_in("TFLOPS"))
    assert (first.number, first.marks) == (183, ())
    assert (second.number, second.marks) == (366, ("*",))
    assert [f.number for f in figures_in("1,440 | 1,080 PFLOPS")] == [1440, 1080]
    assert {f.unit.words for f in figures_in("1,440 | 1,080 PFLOPS")} == {"PFLOPS"}


@pytest.mark.parametrize(
    ("words", "attributes"),
    [
        ("BFLOAT16 Tensor Core*", {"flops": ("bf16_dense_tflops",)}),
        ("FP16/BF16 Tensor Core", {"flops": ("fp16_dense_tflops", "bf16_dense_tflops")}),
        ("MXFP8/MXFP4 TFLOPS", {"flops": ("fp8_dense_tflops", "fp4_dense_tflops")}),
        ("INT8 Tensor Core", {"ops": ("int8_dense_tops",)}),
        ("FP64", {"flops": ("fp64_tflops",)}),
        ("FP64 Tensor Core", {}),
        ("FP64/FP64 Tensor Core", {"flops": ("fp64_tflops",)}),
        ("Peak Single Precision Matrix (FP32) Performance", {}),
        ("Peak Single Precision (FP32) Performance", {"flops": ("fp32_tflops",)}),
        ("BF16 Vector TFLOPs", {}),
        ("GPU Memory Bandwidth", {"bytes": ("memory_gb",), "bytes/s": ("memory_bandwidth_gb_s",)}),
        ("Host Memory (GiB)", {}),
        ("L3 Cache (MiB)", {}),
        ("CPU Memory | Bandwidth", {}),
        ("Total Board Power (TBP)", {"watts": ("tdp_w",)}),
        ("Max Thermal Design Power (TDP)", {"watts": ("tdp_w",)}),
        ("NVLink Bandwidth", {"bytes/s": ("scale_up_bandwidth_gb_s",)}),
        ("Peak Infinity Fabric™ Link Bandwidth", {}),
        ("EFAv3 bandwidth (Gbps)", {}),
    ],
)
def test_what_a_row_is_about(words, attributes):
    assert attributes_of(words) == attributes


HOPPER = """
<table><thead><tr><th></th><th>H100 SXM</th><th>H100 NVL</th></tr></thead><tbody>
<tr><td>FP64</td><td>34 teraFLOPS</td><td>30 teraFLOPS</td></tr>
<tr><td>FP64 Tensor Core</td><td>67 teraFLOPS</td><td>60 teraFLOPS</td></tr>
<tr><td>BFLOAT16 Tensor Core*</td><td>1,979 teraFLOPS</td><td>1,671 teraFLOPS</td></tr>
<tr><td>INT8 Tensor Core*</td><td>3,958 TOPS</td><td>3,341 TOPS</td></tr>
<tr><td>GPU Memory</td><td>80GB</td><td>94GB</td></tr>
<tr><td>GPU Memory Bandwidth</td><td>3.35TB/s</td><td>3.9TB/s</td></tr>
<tr><td>Max Thermal Design Power (TDP)</td><td>Up to 700W (configurable)</td><td>350-400W (configurable)</td></tr>
<tr><td>Interconnect</td><td>NVIDIA NVLink™: 900GB/s<br>PCIe Gen5: 128GB/s</td><td>NVIDIA NVLink: 600GB/s<br>PCIe Gen5: 128GB/s</td></tr>
</tbody></table><p>* With sparsity</p>
"""


def test_a_footnote_makes_only_its_own_rows_sparse():
    found = values(read(HOPPER, link=True))
    assert found["H100 SXM", "bf16_dense_tflops"] == (1979, True, 1)
    assert found["H100 SXM", "int8_dense_tops"] == (3958, True, 1)
    assert found["H100 SXM", "fp64_tflops"] == (34, False, 1)  # neither halved nor the tensor rate
    assert found["H100 SXM", "memory_bandwidth_gb_s"] == (3350, False, 1)
    assert found["H100 NVL", "tdp_w"] == (400, False, 1)  # the upper end of a range
    assert found["H100 NVL", "scale_up_bandwidth_gb_s"] == (600, False, 1)  # NVLink, not PCIe
    assert len(found) == 14


def test_a_superscript_is_a_mark_and_no_digit():
    html = """<table><tr><th>Spec</th><th>H200 SXM<sup>1</sup></th></tr>
    <tr><td>FP16 Tensor Core<sup>2</sup></td><td>1,979 TFLOPS</td></tr><tr><td>FP64</td><td>34<sup>1</sup> TFLOPS</td></tr></table>
    <p>1. Preliminary specifications. May be subject to change. 2. With sparsity.</p>"""
    found = values(read(html, "NVIDIA H200"))
    assert found == {
        ("H200 SXM", "fp16_dense_tflops"): (1979, True, 1),
        ("H200 SXM", "fp64_tflops"): (34, False, 1),
    }


def test_a_mark_without_footnote_is_rejected_by_name():
    parsed = read(HOPPER.replace("<p>* With sparsity</p>", ""))
    assert len(parsed.rejects) == 4
    assert "BFLOAT16" in str(parsed.rejects[0]) and "footnote" in str(parsed.rejects[0])
    assert not {a for _, a in values(parsed)} & {"bf16_dense_tflops", "int8_dense_tops"}


def test_of_dense_and_sparse_in_one_cell_the_dense_is_read():
    html = """<table><tr><td>TF32 Tensor Core TFLOPS</td><td>183 I 366*</td></tr>
    <tr><td>BFLOAT16 Tensor Core TFLOPS</td><td>362.05 I 733*</td></tr></table><p>*With Sparsity</p>"""
    parsed = read(html, "NVIDIA L40S")
    assert values(parsed) == {
        ("NVIDIA L40S", "tf32_dense_tflops"): (183, False, 1),
        ("NVIDIA L40S", "bf16_dense_tflops"): (362.05, False, 1),
    }
    assert sum(parsed.left_out.values()) == 2


BOARD = """
<table><thead><tr><th></th><th>HGX B300</th><th>HGX B200</th></tr></thead>
<tr><td>Form Factor</td><td>8x NVIDIA Blackwell Ultra SXM</td><td>8x NVIDIA Blackwell SXM</td></tr>
<tr><td>FP4 Tensor Core<sup>1</sup></td><td>144 PFLOPS | 108 PFLOPS</td><td>144 PFLOPS | 72 PFLOPS</td></tr>
<tr><td>FP16/BF16 Tensor Core<sup>2</sup></td><td>36 PFLOPS</td><td>36 PFLOPS</td></tr>
<tr><td>FP64/FP64 Tensor Core</td><td>10 TFLOPS</td><td>296 TFLOPS</td></tr>
<tr><td>Total Memory</td><td>2.1 TB</td><td>1.4 TB</td></tr>
<tr><td>NVLink GPU-to-GPU Bandwidth</td><td>1.8 TB/s</td><td>1.8 TB/s</td></tr>
<tr><td>Total NVLink Bandwidth</td><td>14.4 TB/s</td><td>14.4 TB/s</td></tr>
</table><p>1. Specification in Sparse | Dense</p><p>2. Specification in Sparse. Dense is one-half of it.</p>
"""


def test_a_board_of_eight_is_counted_and_a_figure_per_gpu_is_not():
    parsed = read(BOARD, link=True)
    found = {(r.product_published, r.attribute, r.per_count): (r.value, r.is_sparse) for r in parsed.rows}
    assert found["HGX B300", "fp4_dense_tflops", 8] == (108_000, False)  # not 144 halved: 13,500 each
    assert found["HGX B200", "bf16_dense_tflops", 8] == (36_000, True)
    assert found["HGX B200", "fp64_tflops", 8] == (296, False)
    assert found["HGX B200", "memory_gb", 8] == (1400, False)
    assert found["HGX B200", "scale_up_bandwidth_gb_s", 1] == (1800, False)
    assert found["HGX B200", "scale_up_bandwidth_gb_s", 8] == (14_400, False)


def test_racks_and_superchips_are_counted_by_their_configuration():
    html = """<table><thead><tr><th></th><th>GB200 NVL72</th><th>GB200 Grace Blackwell Superchip</th></tr></thead>
    <tr><td>Configuration</td><td>36 Grace CPU : 72 Blackwell GPUs</td><td>1 Grace CPU : 2 Blackwell GPU</td></tr>
    <tr><td>FP16/BF16 Tensor Core<sup>1</sup></td><td>360 PFLOPS</td><td>10 PFLOPS</td></tr>
    <tr><td>GPU Memory | Bandwidth</td><td>Up to 13.4 TB HBM3e | 576 TB/s</td><td>Up to 372GB HBM3e | 16 TB/s</td></tr>
    <tr><td>NVLink Bandwidth</td><td>130TB/s</td><td>3.6TB/s</td></tr>
    <tr><td>CPU Memory | Bandwidth</td><td>Up to 17 TB LPDDR5X | Up to 18.4 TB/s</td><td>Up to 480GB LPDDR5X | 512 GB/s</td></tr>
    <tr><td>TDP</td><td>120 kW</td><td>2700 W</td></tr></table><p>1. With sparsity.</p>"""
    parsed = read(html, link=True)
    each = {(r.product_published, r.attribute): r.value / r.per_count for r in parsed.rows}
    assert {r.per_count for r in parsed.rows} == {72, 2}
    for product in ("GB200 NVL72", "GB200 Grace Blackwell Superchip"):
        assert each[product, "bf16_dense_tflops"] == 5000  # with sparsity, per GPU: 2,500 dense
        assert each[product, "memory_gb"] == pytest.approx(186, rel=0.002)
        assert each[product, "memory_bandwidth_gb_s"] == 8000
        assert each[product, "scale_up_bandwidth_gb_s"] == pytest.approx(1800, rel=0.005)
    assert parsed.left_out == {OF_MORE: 2, NOT_COMPARED: 4}  # power with the CPUs; CPU memory and counts


def test_pairs_of_a_page_with_vector_and_matrix_and_sparse_rates():
    html = """<dl><dt>Peak Half Precision (FP16) Performance</dt><dd>1.3 PFLOPs</dd>
    <dt>Peak bfloat16 </dt><dd>1.3 PFLOPs</dd>
    <dt>Peak bfloat16 with Structured Sparsity</dt><dd>2.61 PFLOPs</dd>
    <dt>Peak Single Precision (FP32) Performance</dt><dd>163.4 TFLOPs</dd>
    <dt>Peak Double Precision Matrix (FP64) Performance</dt><dd>163.4 TFLOPs</dd>
    <dt>Peak Double Precision (FP64) Performance</dt><dd>81.7 TFLOPs</dd>
    <dt>Dedicated Memory Size</dt><dd>192 GB</dd><dt>Dedicated Memory Type</dt><dd>HBM3</dd>
    <dt>Peak Memory Bandwidth</dt><dd>5.3 TB/s</dd><dt>Memory Interface</dt><dd>8192-bit</dd>
    <dt>Peak Infinity Fabric™ Link Bandwidth</dt><dd>128 GB/s</dd>
    <dt>Typical Board Power (TBP)</dt><dd>750W | 800W Peak</dd></dl>"""
    parsed = read(html, "AMD Instinct MI300X", pairs=True)
    assert {a: v for (_, a), v in values(parsed).items()} == {
        "fp16_dense_tflops": (1300, False, 1),
        "bf16_dense_tflops": (1300, False, 1),
        "fp32_tflops": (163.4, False, 1),
        "fp64_tflops": (81.7, False, 1),
        "memory_gb": (192, False, 1),
        "memory_bandwidth_gb_s": (5300, False, 1),
        "tdp_w": (750, False, 1),
    }


def test_a_sparse_rate_without_the_dense_one_is_kept_as_such():
    html = "<dl><dt>Peak bfloat16 with Structured Sparsity</dt><dd>2.61 PFLOPs</dd></dl>"
    assert values(read(html, "X", pairs=True)) == {("X", "bf16_dense_tflops"): (2610, True, 1)}


def test_several_figures_that_nothing_sets_apart_are_rejected():
    html = "<table><tr><td>GPU Memory</td><td>96GB HBM3 | 144GB HBM3e</td></tr><tr><td>TDP</td><td>900W (Air) / 1200W (Liquid)</td></tr></table>"
    parsed = read(html, "GH200")
    assert not parsed.rows and len(parsed.rejects) == 2
    assert "96GB" in str(parsed.rejects[0]) and "1200W" in str(parsed.rejects[1])


def test_a_figure_no_accelerator_has_is_rejected():
    """A rack that nothing says is one: 1,440 PFLOP/s of FP4 in one chip."""
    parsed = read(
        "<table><tr><td>FP4 Tensor Core</td><td>1,440 PFLOPS</td></tr><tr><td>TDP</td><td>—</td></tr></table>",
        "X",
    )
    assert not parsed.rows
    assert "1,440" in str(parsed.rejects[0]) and parsed.left_out == {NO_FIGURE: 1}


L4 = """<table><tr><td>BFLOAT16 Tensor Core</td><td>242 teraFLOPS*</td></tr></table>
<p>* Shown with sparsity. Specifications are one-half lower without sparsity.</p>"""


def test_a_footnote_that_speaks_of_both_shows_the_sparse_figure():
    assert values(read(L4, "NVIDIA L4")) == {("NVIDIA L4", "bf16_dense_tflops"): (242, True, 1)}


@pytest.mark.parametrize(
    "note",
    [
        "1. All Tensor Core specifications are with sparsity unless otherwise noted.",
        "All other Tensor Core specs are sparse; dense is one-half of the sparse value.",
    ],
)
def test_a_footnote_for_all_tensor_rows_needs_no_mark_on_them(note):
    html = f"""<table><tr><th></th><th>GB300 NVL72</th></tr>
    <tr><td>FP4 Tensor Core</td><td>1,440 PFLOPS | 1,080 PFLOPS<sup>2</sup></td></tr>
    <tr><td>FP16/BF16 Tensor Core</td><td>360 PFLOPS</td></tr><tr><td>FP32</td><td>6 PFLOPS</td></tr>
    <tr><td>FP64 / FP64 Tensor Core</td><td>100 TFLOPS</td></tr></table><p>{note}</p><p>2. Without sparsity.</p>"""
    found = {a: v for (_, a), v in values(read(html)).items()}
    assert found["fp4_dense_tflops"] == (1_080_000, False, 72)
    assert found["bf16_dense_tflops"] == (360_000, True, 72)
    assert found["fp32_tflops"] == (6000, False, 72)
    assert found["fp64_tflops"] == (100, False, 72)  # no sparsity in FP64


def test_a_rack_s_table_per_gpu_is_not_divided():
    html = """<table><tr><th></th><th>GB200 NVL72 (per GPU)</th><th>GH200 NVL2</th></tr>
    <tr><td>FP64</td><td>40 TFLOPS</td><td>68 TFLOPS</td></tr></table>"""
    assert values(read(html)) == {
        ("GB200 NVL72 (per GPU)", "fp64_tflops"): (40, False, 1),
        ("GH200 NVL2", "fp64_tflops"): (68, False, 2),
    }


def test_a_cell_across_all_products_is_the_figure_of_each():
    html = """<table><thead><tr><th></th><th>A100 80GB PCIe</th><th>A100 80GB SXM</th></tr></thead>
    <tr><td>FP64</td><td colspan="2">9.7 TFLOPS</td></tr><tr><td>GPU Memory Bandwidth</td><td>1,935 GB/s</td><td>2,039 GB/s</td></tr></table>"""
    found = values(read(html))
    assert found["A100 80GB PCIe", "fp64_tflops"] == found["A100 80GB SXM", "fp64_tflops"] == (9.7, False, 1)
    assert found["A100 80GB SXM", "memory_bandwidth_gb_s"] == (2039, False, 1) and len(found) == 4


def test_a_row_with_other_cells_than_products_is_rejected():
    html = """<table><tr><th></th><th>A1</th><th>A2</th></tr><tr><td>FP64</td><td>1 TFLOPS</td><td>2 TFLOPS</td></tr>
    <tr><td>FP32</td><td>3 TFLOPS</td></tr></table>"""
    parsed = read(html)
    assert len(parsed.rows) == 2 and "1 cells under 2 products" in str(parsed.rejects[0])


def test_of_vector_and_matrix_rates_of_a_format_the_matrix_rate_is_read():
    """Pages of MI350 tell both; that of MI300X, only one and unnamed, which is the matrix rate."""
    html = """<dl><dt>Peak Half Precision Matrix (FP16) Performance</dt><dd>1.15 PFLOPs</dd>
    <dt>Peak Half Precision Matrix (FP16) Performance with Structured Sparsity</dt><dd>2.3 PFLOPs</dd>
    <dt>Peak Half Precision (FP16) Performance</dt><dd>72 TFLOPs</dd>
    <dt>Peak Single Precision Matrix (FP32) Performance</dt><dd>72 TFLOPs</dd>
    <dt>Peak Single Precision (FP32) Performance</dt><dd>71 TFLOPs</dd></dl>"""
    parsed = read(html, "MI350P", pairs=True)
    assert values(parsed) == {
        ("MI350P", "fp16_dense_tflops"): (1150, False, 1),
        ("MI350P", "fp32_tflops"): (71, False, 1),
    }
    assert parsed.left_out[BESIDE_MATRIX] == 1 and parsed.left_out[BESIDE_DENSE] == 1


def test_a_rate_of_training_is_read_and_that_of_inference_beside_it_is_not():
    html = """<table><tr><td>NVFP4 Inference</td><td>50 PFLOPS</td></tr><tr><td>NVFP4 Training</td><td>35 PFLOPS</td></tr></table>"""
    parsed = read(html, "Rubin GPU")
    assert values(parsed) == {("Rubin GPU", "fp4_dense_tflops"): (35_000, False, 1)}
    assert parsed.left_out[BESIDE_TRAINING] == 1


def test_two_numbers_for_one_attribute_in_a_table_are_rejected():
    """The memory of a superchip's CPU under the same words as that of its GPU."""
    html = """<table><tr><td>Memory bandwidth</td><td>Up to 512GB/s</td></tr><tr><td>Memory bandwidth</td><td>Up to 9.8TB/s</td></tr>
    <tr><td>FP64</td><td>34 TFLOPS</td></tr></table>"""
    parsed = read(html, "GH200")
    assert values(parsed) == {("GH200", "fp64_tflops"): (34, False, 1)}
    assert (
        len(parsed.rejects) == 2
        and "512GB/s" in str(parsed.rejects[0])
        and "9.8TB/s" in str(parsed.rejects[0])
    )


def test_pages_of_older_cards():
    html = """<table><tr><td>Single-Precision</td><td>8.1 TFLOPS</td></tr><tr><td>Mixed-Precision (FP16/FP32)</td><td>65 TFLOPS</td></tr>
    <tr><td>GPU Memory</td><td>16 GB GDDR6<br>300 GB/sec</td></tr><tr><td>Power</td><td>70 watts</td></tr></table>"""
    assert values(read(html, "NVIDIA T4")) == {
        ("NVIDIA T4", "fp32_tflops"): (8.1, False, 1),  # 65 is FP16's, added up in FP32
        ("NVIDIA T4", "fp16_dense_tflops"): (65, False, 1),
        ("NVIDIA T4", "memory_gb"): (16, False, 1),
        ("NVIDIA T4", "memory_bandwidth_gb_s"): (300, False, 1),
        ("NVIDIA T4", "tdp_w"): (70, False, 1),
    }
    variants = read(
        "<table><tr><td>Memory HBM2</td><td>32/16 GB HBM2<br>900 GB/s</td></tr></table>", "NVIDIA V100"
    )
    assert values(variants) == {("NVIDIA V100", "memory_bandwidth_gb_s"): (900, False, 1)}
    assert "32/16 GB" in str(variants.rejects[0])


def test_a_rate_without_a_unit_has_that_of_its_fellows_where_they_agree():
    html = """<table><tr><td>TF32 Tensor Core TFLOPS</td><td>183 I 366*</td></tr>{}<tr><td>FP8 Tensor Core</td><td>733 I 1,466*</td></tr>
    </table><p>*With sparsity</p>"""
    found = values(read(html.format(""), "NVIDIA L40S"))
    assert found["NVIDIA L40S", "fp8_dense_tflops"] == (733, False, 1)
    other = "<tr><td>FP4 Tensor Core PFLOPS</td><td>3 I 6*</td></tr>"
    assert ("NVIDIA L40S", "fp8_dense_tflops") not in values(read(html.format(other), "NVIDIA L40S"))


def test_power_of_a_system_is_not_divided():
    html = """<table><tr><th></th><th>NVIDIA DGX B200</th></tr><tr><td>GPU</td><td>8x NVIDIA Blackwell GPUs</td></tr>
    <tr><td>Power Consumption</td><td>~14.3kW max</td></tr><tr><td>System Memory</td><td>2TB, configurable to 4TB</td></tr>
    <tr><td>GPU Memory</td><td>1,440GB total, 64TB/s HBM3e bandwidth</td></tr></table>"""
    parsed = read(html)
    assert values(parsed) == {
        ("NVIDIA DGX B200", "memory_gb"): (1440, False, 8),
        ("NVIDIA DGX B200", "memory_bandwidth_gb_s"): (64_000, False, 8),
    }
    assert parsed.left_out[OF_MORE] == 1


def test_directions_of_a_link():
    html = """<table><tr><td>Bidirectional inter-chip interconnect (ICI) bandwidth (per chip)</td><td>400 GBps</td></tr>
    <tr><td>Interchip Interconnect BW</td><td>1,600 Gbps</td></tr></table>"""
    rows = read(html, "TPU v5e", link=False).rows
    assert [(r.value, r.is_bidirectional) for r in rows] == [(400, True), (200, False)]


def test_an_unknown_product_or_attribute_is_no_row():
    with pytest.raises(ValueError, match="no attribute"):
        SpecValue(
            source="s",
            product_published="X",
            attribute="price",
            value=1,
            value_published="1",
            unit_published="",
            source_url="",
            member="",
            record="",
            note="",
        )
    parsed = read("<table><tr><td>TDP</td><td>700 W</td></tr></table>")
    assert not parsed.rows and "names no product" in str(parsed.rejects[0])


RST = """
Chip Architecture
=================

.. tab-set::

  .. tab-item:: Chips

    .. list-table::
        :header-rows: 1

        * - Model
          - VRAM (GiB)
          - L2 Cache (MiB)
        * - A1
          - 192
          - 8
        * - A2
          -
          - 8

+---------+----------------------------------+
| Compute | Two :ref:`Cores <cores>` with    |
|         | 380 INT8 TOPS, 190 FP16/BF16     |
|         | TFLOPS, and 47.5 FP32 TFLOP.     |
+---------+----------------------------------+
| Device  | 32GiB of device memory, with     |
| Memory  | 2.9 TB/sec of bandwidth.         |
+---------+----------------------------------+

.. include:: /etc/hostname
"""


def test_rst_tables_inside_tabs_and_sentences_in_grids():
    page = read_rst(RST)
    assert page.title == "Chip Architecture"
    in_tab, grid = rst_tables(page, "A3")
    account = SpecAccount("rst")
    read_specs(account, [in_tab.turned(), grid], Reading(source="s", url="u", member=""))
    parsed = account.settle()
    assert values(parsed) == {
        ("A1", "memory_gb"): (206.158430208, False, 1),
        ("A3", "int8_dense_tops"): (380, False, 1),
        ("A3", "fp16_dense_tflops"): (190, False, 1),
        ("A3", "bf16_dense_tflops"): (190, False, 1),
        ("A3", "fp32_tflops"): (47.5, False, 1),
        ("A3", "memory_gb"): (34.359738368, False, 1),
        ("A3", "memory_bandwidth_gb_s"): (2900, False, 1),
    }
    assert parsed.left_out[NO_FIGURE] == 1


def test_nothing_of_the_machine_is_included():
    text = ".. include:: /etc/passwd\n\n.. raw:: html\n   :file: /etc/passwd\n\nX\n=\n"
    assert "root:" not in str(read_rst(text))
