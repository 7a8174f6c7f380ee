"""The reader of any spec table: units, footnotes of sparsity, counts in heads, directions of links."""

import pytest
from bs4 import BeautifulSoup

from ingest.core.figures import figures_in, unit_in
from ingest.core.spec_value import SpecAccount
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


def read(html, product="", *, is_pairs=False, link=None):
    soup = BeautifulSoup(html, "html.parser")
    keep_marks(soup)
    account = SpecAccount("page")
    tables = [pairs_table(soup, product)] if is_pairs else html_tables(soup, product)
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


def table(*lines, notes=""):
    """An HTML table, cells set apart by `` ; ``, its first line the head (empty: none), with notes below."""
    head, *body = ([f"<td>{cell}</td>" for cell in line.split(" ; ")] for line in lines)
    head = "".join(head).replace("td>", "th>") if lines[0] else ""
    rows = "".join(f"<tr>{''.join(cells)}</tr>" for cells in body)
    return f"<table><thead><tr>{head}</tr></thead>{rows}</table>" + "".join(
        f"<p>{n}</p>" for n in notes.split("\n")
    )


def pairs(*lines):
    cells = (line.split(" ; ") for line in lines)
    return "<dl>" + "".join(f"<dt>{term}</dt><dd>{value}</dd>" for term, value in cells) + "</dl>"


HOPPER = (
    " ; H100 SXM ; H100 NVL",
    "FP64 ; 34 teraFLOPS ; 30 teraFLOPS",
    "FP64 Tensor Core ; 67 teraFLOPS ; 60 teraFLOPS",
    "BFLOAT16 Tensor Core* ; 1,979 teraFLOPS ; 1,671 teraFLOPS",
    "INT8 Tensor Core* ; 3,958 TOPS ; 3,341 TOPS",
    "GPU Memory Bandwidth ; 3.35TB/s ; 3.9TB/s",
    "Max Thermal Design Power (TDP) ; Up to 700W (configurable) ; 350-400W (configurable)",
    "Interconnect ; NVLink™: 900GB/s<br>PCIe Gen5: 128GB/s ; NVIDIA NVLink: 600GB/s<br>PCIe Gen5: 128GB/s",
)
BOARD = table(
    " ; HGX B300 ; HGX B200",
    "Form Factor ; 8x NVIDIA Blackwell Ultra SXM ; 8x NVIDIA Blackwell SXM",
    "FP4 Tensor Core<sup>1</sup> ; 144 PFLOPS | 108 PFLOPS ; 144 PFLOPS | 72 PFLOPS",
    "FP16/BF16 Tensor Core<sup>2</sup> ; 36 PFLOPS ; 36 PFLOPS",
    "FP64/FP64 Tensor Core ; 10 TFLOPS ; 296 TFLOPS",
    "Total Memory ; 2.1 TB ; 1.4 TB",
    "NVLink GPU-to-GPU Bandwidth ; 1.8 TB/s ; 1.8 TB/s",
    "Total NVLink Bandwidth ; 14.4 TB/s ; 14.4 TB/s",
    notes="1. Specification in Sparse | Dense\n2. Specification in Sparse. Dense is one-half of it.",
)
SUPERCHIPS = table(
    " ; GB200 NVL72 ; GB200 Grace Blackwell Superchip",
    "Configuration ; 36 Grace CPU : 72 Blackwell GPUs ; 1 Grace CPU : 2 Blackwell GPU",
    "FP16/BF16 Tensor Core<sup>1</sup> ; 360 PFLOPS ; 10 PFLOPS",
    "GPU Memory | Bandwidth ; Up to 13.4 TB HBM3e | 576 TB/s ; Up to 372GB HBM3e | 16 TB/s",
    "NVLink Bandwidth ; 130TB/s ; 3.6TB/s",
    "CPU Memory | Bandwidth ; Up to 17 TB LPDDR5X | Up to 18.4 TB/s ; Up to 480GB LPDDR5X | 512 GB/s",
    "TDP ; 120 kW ; 2700 W",
    notes="1. With sparsity.",
)
MI300X = (
    "Peak Half Precision (FP16) Performance ; 1.3 PFLOPs",
    "Peak bfloat16 ; 1.3 PFLOPs",
    "Peak bfloat16 with Structured Sparsity ; 2.61 PFLOPs",
    "Peak Single Precision (FP32) Performance ; 163.4 TFLOPs",
    "Peak Double Precision Matrix (FP64) Performance ; 163.4 TFLOPs",
    "Peak Double Precision (FP64) Performance ; 81.7 TFLOPs",
    "Dedicated Memory Size ; 192 GB",
    "Dedicated Memory Type ; HBM3",
    "Memory Interface ; 8192-bit",
    "Peak Infinity Fabric™ Link Bandwidth ; 128 GB/s",
    "Typical Board Power (TBP) ; 750W | 800W Peak",
)
L40S = "TF32 Tensor Core TFLOPS ; 183 I 366*"
BF16, FP4, FP8, FP16, FP32, FP64, INT8, GB, GB_S, LINK, W = (
    *(
        "bf16_dense_tflops",
        "fp4_dense_tflops",
        "fp8_dense_tflops",
        "fp16_dense_tflops",
        "fp32_tflops",
        "fp64_tflops",
    ),
    *("int8_dense_tops", "memory_gb", "memory_bandwidth_gb_s", "scale_up_bandwidth_gb_s", "tdp_w"),
)
# html, product of the page, {attribute or (product, attribute): (value, is sparse, accelerators)}, words of rejects
CASES = {
    "a footnote makes only its own rows sparse": (
        table(*HOPPER, notes="* With sparsity"), "",
        {("H100 SXM", BF16): (1979, True, 1), ("H100 SXM", INT8): (3958, True, 1), ("H100 SXM", FP64): (34, False, 1),
         ("H100 SXM", GB_S): (3350, False, 1), ("H100 SXM", W): (700, False, 1), ("H100 SXM", LINK): (900, False, 1),
         ("H100 NVL", BF16): (1671, True, 1), ("H100 NVL", INT8): (3341, True, 1), ("H100 NVL", FP64): (30, False, 1),
         # the upper end of a range; NVLink, not PCIe
         ("H100 NVL", GB_S): (3900, False, 1), ("H100 NVL", W): (400, False, 1), ("H100 NVL", LINK): (600, False, 1)}, [],
    ),
    "a mark without footnote": (table(*HOPPER[:1], HOPPER[3]), "", {}, ["footnote", "footnote"]),
    "a superscript is a mark and no digit": (
        table("Spec ; H200 SXM<sup>1</sup>", "FP16 Tensor Core<sup>2</sup> ; 1,979 TFLOPS", "FP64 ; 34<sup>1</sup> TFLOPS",
              notes="1. Preliminary specifications. May be subject to change. 2. With sparsity."),
        "NVIDIA H200", {("H200 SXM", FP16): (1979, True, 1), ("H200 SXM", FP64): (34, False, 1)}, [],
    ),
    "of dense and sparse in one cell the dense": (
        table("", L40S, "BFLOAT16 Tensor Core TFLOPS ; 362.05 I 733*", notes="*With Sparsity"), "L40S",
        {"tf32_dense_tflops": (183, False, 1), BF16: (362.05, False, 1)}, [],
    ),
    "a rate without a unit has that of its fellows": (
        table("", L40S, "FP8 Tensor Core ; 733 I 1,466*", notes="*With sparsity"), "L40S",
        {"tf32_dense_tflops": (183, False, 1), FP8: (733, False, 1)}, [],
    ),
    "a rate without a unit where they differ": (
        table("", L40S, "FP4 Tensor Core PFLOPS ; 3 I 6*", "FP8 Tensor Core ; 733 I 1,466*", notes="*With sparsity"), "L40S",
        {"tf32_dense_tflops": (183, False, 1), FP4: (3000, False, 1)}, [],
    ),
    "a footnote that speaks of both": (
        table("", "BFLOAT16 Tensor Core ; 242 teraFLOPS*",
              notes="* Shown with sparsity. Specifications are one-half lower without sparsity."),
        "NVIDIA L4", {BF16: (242, True, 1)}, [],
    ),
    "vector, matrix and sparse rates; a power with its peak": (
        pairs(*MI300X), "MI300X",
        {FP16: (1300, False, 1), BF16: (1300, False, 1), FP32: (163.4, False, 1), FP64: (81.7, False, 1),
         GB: (192, False, 1), W: (750, False, 1)}, [],
    ),
    "dense before sparse by a footnote": (
        table(" ; X", "FP4 Tensor Core<sup>1</sup> ; 72 PFLOPS | 144 PFLOPS", notes="1. Specification in Dense | Sparse."), "",
        {("X", FP4): (72_000, False, 1)}, [],
    ),
    "a footnote that sets nothing apart": (
        table(" ; X", "FP4 Tensor Core<sup>1</sup> ; 72 PFLOPS | 144 PFLOPS", notes="1. Preliminary specifications."), "",
        {}, ["several figures"],
    ),
    "a range of powers": (table("", "TDP ; 300W to 350W"), "X", {W: (350, False, 1)}, []),
    "a sparse rate alone": (pairs("Peak bfloat16 with Structured Sparsity ; 2.61 PFLOPs"), "X", {BF16: (2610, True, 1)}, []),
    "of vector and matrix the matrix rate": (
        pairs("Peak Half Precision Matrix (FP16) Performance ; 1.15 PFLOPs",
              "Peak Half Precision Matrix (FP16) Performance with Structured Sparsity ; 2.3 PFLOPs",
              "Peak Half Precision (FP16) Performance ; 72 TFLOPs",
              "Peak Single Precision Matrix (FP32) Performance ; 72 TFLOPs",
              "Peak Single Precision (FP32) Performance ; 71 TFLOPs"),
        "MI350P", {FP16: (1150, False, 1), FP32: (71, False, 1)}, [],
    ),
    "a rate of training, not of inference": (
        table("", "NVFP4 Inference ; 50 PFLOPS", "NVFP4 Training ; 35 PFLOPS"), "Rubin GPU", {FP4: (35_000, False, 1)}, [],
    ),
    "several figures that nothing sets apart": (
        table("", "GPU Memory ; 96GB HBM3 | 144GB HBM3e", "TDP ; 900W (Air) / 1200W (Liquid)"), "GH200", {}, ["96GB", "1200W"],
    ),
    "two numbers for one attribute": (
        table("", "Memory bandwidth ; Up to 512GB/s", "Memory bandwidth ; Up to 9.8TB/s", "FP64 ; 34 TFLOPS"),
        "GH200", {FP64: (34, False, 1)}, ["512GB/s", "9.8TB/s"],
    ),
    "a figure that no accelerator has": (table("", "FP4 Tensor Core ; 1,440 PFLOPS", "TDP ; —"), "X", {}, ["1,440"]),
    "no product": (table("", "TDP ; 700 W"), "", {}, ["names no product"]),
    "a table per GPU is not divided": (
        table(" ; GB200 NVL72 (per GPU) ; GH200 NVL2", "FP64 ; 40 TFLOPS ; 68 TFLOPS"), "",
        {("GB200 NVL72 (per GPU)", FP64): (40, False, 1), ("GH200 NVL2", FP64): (68, False, 2)}, [],
    ),
    "a cell across all products": (
        table(" ; A100 PCIe ; A100 SXM", "FP64 ; 9.7 TFLOPS", "GPU Memory Bandwidth ; 1,935 GB/s ; 2,039 GB/s").replace(
            "<td>9.7", '<td colspan="2">9.7'
        ), "",
        {("A100 PCIe", FP64): (9.7, False, 1), ("A100 SXM", FP64): (9.7, False, 1),
         ("A100 PCIe", GB_S): (1935, False, 1), ("A100 SXM", GB_S): (2039, False, 1)}, [],
    ),
    "other cells than products": (
        table(" ; A1 ; A2", "FP64 ; 1 TFLOPS ; 2 TFLOPS", "FP32 ; 3 TFLOPS"), "",
        {("A1", FP64): (1, False, 1), ("A2", FP64): (2, False, 1)}, ["1 cells under 2 products"],
    ),
    "older cards": (
        table("", "Single-Precision ; 8.1 TFLOPS", "Mixed-Precision (FP16/FP32) ; 65 TFLOPS",
              "GPU Memory ; 16 GB GDDR6<br>300 GB/sec", "Power ; 70 watts"),
        "NVIDIA T4",
        {FP32: (8.1, False, 1), FP16: (65, False, 1), GB: (16, False, 1), GB_S: (300, False, 1), W: (70, False, 1)}, [],
    ),
    "two variants of a card": (
        table("", "Memory HBM2 ; 32/16 GB HBM2<br>900 GB/s"), "NVIDIA V100", {GB_S: (900, False, 1)}, ["32/16 GB"],
    ),
    "power of a system": (
        table(" ; DGX B200", "GPU ; 8x NVIDIA Blackwell GPUs", "Power Consumption ; ~14.3kW max",
              "System Memory ; 2TB, configurable to 4TB", "GPU Memory ; 1,440GB total, 64TB/s HBM3e bandwidth"),
        "", {("DGX B200", GB): (1440, False, 8), ("DGX B200", GB_S): (64_000, False, 8)}, [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_a_table_says(case):
    html, product, expected, rejects = CASES[case]
    parsed = read(html, product, is_pairs=html.startswith("<dl"), link=True)
    assert values(parsed) == {
        key if isinstance(key, tuple) else (product, key): value for key, value in expected.items()
    }
    assert len(parsed.rejects) == len(rejects)
    assert all(words in str(reject) for words, reject in zip(rejects, parsed.rejects, strict=True))


def test_a_board_of_eight_is_counted_and_a_figure_per_gpu_is_not():
    found = {
        (r.product_published, r.attribute, r.per_count): (r.value, r.is_sparse)
        for r in read(BOARD, link=True).rows
    }
    assert found["HGX B300", FP4, 8] == (108_000, False)  # not 144 halved: 13,500 each
    assert found["HGX B200", BF16, 8] == (36_000, True)
    assert found["HGX B200", FP64, 8] == (296, False)
    assert found["HGX B200", GB, 8] == (1400, False)
    assert found["HGX B200", LINK, 1] == (1800, False)
    assert found["HGX B200", LINK, 8] == (14_400, False)


def test_racks_and_superchips_are_counted_by_their_configuration():
    parsed = read(SUPERCHIPS, link=True)
    each = {(r.product_published, r.attribute): r.value / r.per_count for r in parsed.rows}
    assert {(r.per, r.per_count) for r in parsed.rows} == {("rack", 72), ("superchip", 2)}
    for product in ("GB200 NVL72", "GB200 Grace Blackwell Superchip"):
        assert each[product, BF16] == 5000  # with sparsity, per GPU: 2,500 dense
        assert each[product, GB] == pytest.approx(186, rel=0.002)
        assert each[product, GB_S] == 8000
        assert each[product, LINK] == pytest.approx(1800, rel=0.005)
    assert parsed.left_out == {OF_MORE: 2, NOT_COMPARED: 4}  # power with the CPUs; CPU memory and counts


@pytest.mark.parametrize(
    "note",
    [
        "1. All Tensor Core specifications are with sparsity unless otherwise noted.",
        "All other Tensor Core specs are sparse; dense is one-half of the sparse value.",
    ],
)
def test_a_footnote_for_all_tensor_rows_needs_no_mark_on_them(note):
    html = table(
        " ; GB300 NVL72",
        "FP4 Tensor Core ; 1,440 PFLOPS | 1,080 PFLOPS<sup>2</sup>",
        "FP16/BF16 Tensor Core ; 360 PFLOPS",
        "FP32 ; 6 PFLOPS",
        "FP64 / FP64 Tensor Core ; 100 TFLOPS",
        notes=f"{note}\n2. Without sparsity.",
    )
    assert {a: v for (_, a), v in values(read(html)).items()} == {
        FP4: (1_080_000, False, 72),
        BF16: (360_000, True, 72),
        FP16: (360_000, True, 72),
        FP32: (6000, False, 72),
        FP64: (100, False, 72),  # no sparsity in FP64
    }


def test_directions_of_a_link():
    html = table(
        "",
        "Bidirectional inter-chip interconnect (ICI) bandwidth (per chip) ; 400 GBps",
        "Interchip Interconnect BW ; 1,600 Gbps",
    )
    rows = read(html, "TPU v5e", link=False).rows
    assert [(r.value, r.is_bidirectional) for r in rows] == [(400, True), (200, False)]


def test_a_figure_says_where_it_stands_and_of_what_it_is():
    two = read(
        table(" ; A1 ; trn2.48xlarge", "# of Trainium2 chips ; 1 ; 16", "FP64 ; 1 TFLOPS ; 32 TFLOPS")
    ).rows
    assert [(r.record, r.per) for r in two] == [
        ("table 1 row 2, A1", "chip"), ("table 1 row 2, trn2.48xlarge", "instance"),
    ]  # fmt: skip
    (one,) = read(table("", "TDP ; 70 W"), "g6.xlarge").rows
    assert (one.record, one.per) == ("table 1 row 1", "chip")


def test_what_is_left_out_says_why():
    rates = ("NVFP4 Inference ; 50 PFLOPS", "NVFP4 Training ; 35 PFLOPS", "TDP ; —")
    matrix = (
        "Peak bfloat16 Matrix ; 1.3 PFLOPs",
        "Peak bfloat16 Vector ; 0.2 PFLOPs",
        "Peak bfloat16 ; 1.2 PFLOPs",
    )
    for html, expected in (
        (pairs("GPU Memory ; 300 W"), {NOT_COMPARED: 1}),
        (pairs(*MI300X), {NOT_COMPARED: 4, BESIDE_DENSE: 1}),
        (pairs(*matrix), {NOT_COMPARED: 1, BESIDE_MATRIX: 1}),
        (pairs(*rates), {BESIDE_TRAINING: 1, NO_FIGURE: 1}),
    ):
        assert read(html, "X", is_pairs=True).left_out == expected


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
