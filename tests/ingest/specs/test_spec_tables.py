"""The reader of any spec table: units, footnotes of sparsity, counts in heads, directions of links."""

import pytest
from bs4 import BeautifulSoup

from ingest.core.figures import unit_in
from ingest.core.spec_value import SpecAccount
from ingest.specs.attributes import attributes_of
from ingest.specs.footnotes import keep_marks
from ingest.specs.reading import (
    BESIDE_MATRIX,
    BESIDE_TRAINING,
    NO_FIGURE,
    NOT_COMPARED,
    Reading,
    read_specs,
)
from ingest.specs.rst_tables import read_rst
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
        ("FLOP/s", "flops", 989.4e12, 989.4),
        ("POPs", "ops", 2.6, 2600),
        ("GiB", "bytes", 192, 206.158430208),  # 192 × 2³⁰ / 10⁹
        ("MiB", "bytes", 81_559, 85.520809984),  # 81559 × 2²⁰ / 10⁹
        ("TB/s", "bytes/s", 3.35, 3350),
        ("GiBps", "bytes/s", 800, 858.9934592),
        ("Gbps", "bytes/s", 1600, 200),  # bits: 1600 / 8
        ("byte/s", "bytes/s", 3.35e12, 3350),
        ("kW", "watts", 1.2, 1200),
    ],
)
def test_a_unit_is_what_its_letters_say(text, dimension, figure, converted):
    unit = unit_in(text)
    assert (unit.dimension, unit.words) == (dimension, text)
    assert unit.convert(figure) == pytest.approx(converted, rel=1e-9)


@pytest.mark.parametrize("words", ["BW", "GPUs", "BF16", "Options", "8 Blackwell"])
def test_letters_of_a_word_are_no_unit(words):
    assert unit_in(words) is None


@pytest.mark.parametrize(
    ("words", "attributes"),
    [
        ("BFLOAT16 Tensor Core*", {"flops": ("bf16_dense_tflops",)}),
        ("MXFP8/MXFP4 TFLOPS", {"flops": ("fp8_dense_tflops", "fp4_dense_tflops")}),
        ("FP64 Tensor Core", {}),
        ("FP64/FP64 Tensor Core", {"flops": ("fp64_tflops",)}),
        ("Peak Single Precision Matrix (FP32) Performance", {}),
        ("Peak Single Precision (FP32) Performance", {"flops": ("fp32_tflops",)}),
        ("BF16 Vector TFLOPs", {}),
        ("GPU Memory Bandwidth", {"bytes": ("memory_gb",), "bytes/s": ("memory_bandwidth_gb_s",)}),
        ("Host Memory (GiB)", {}),
        ("CPU Memory | Bandwidth", {}),
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


L40S = "TF32 Tensor Core TFLOPS ; 183 I 366*"
BF16, FP4, FP8, FP16 = (f"{name}_dense_tflops" for name in ("bf16", "fp4", "fp8", "fp16"))
FP32, FP64, W = "fp32_tflops", "fp64_tflops", "tdp_w"
# html, product of the page, {attribute or (product, attribute): (value, is sparse, accelerators)}, words of rejects
CASES = {
    "a mark without footnote": (table(" ; H100 SXM ; H100 NVL", "FP16 Tensor Core* ; 1,979 TFLOPS ; 1,671 TFLOPS"), "", {}, ["footnote"] * 2),
    "a rate without a unit has that of its fellows": (
        table("", L40S, "FP8 Tensor Core ; 733 I 1,466*", notes="*With sparsity"), "L40S",
        {"tf32_dense_tflops": (183, False, 1), FP8: (733, False, 1)}, [],
    ),
    "a rate without a unit where they differ": (
        table("", L40S, "FP4 Tensor Core PFLOPS ; 3 I 6*", "FP8 Tensor Core ; 733 I 1,466*", notes="*With sparsity"), "L40S",
        {"tf32_dense_tflops": (183, False, 1), FP4: (3000, False, 1)}, [],
    ),
    "dense before sparse by a footnote": (
        table(" ; X", "FP4 Tensor Core<sup>1</sup> ; 72 PFLOPS | 144 PFLOPS", notes="1. Specification in Dense | Sparse."), "",
        {("X", FP4): (72_000, False, 1)}, [],
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
    "other cells than products": (
        table(" ; A1 ; A2", "FP64 ; 1 TFLOPS ; 2 TFLOPS", "FP32 ; 3 TFLOPS"), "",
        {("A1", FP64): (1, False, 1), ("A2", FP64): (2, False, 1)}, ["1 cells under 2 products"],
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


def test_a_footnote_for_all_tensor_rows_needs_no_mark_on_them():
    html = table(
        " ; GB300 NVL72",
        "FP4 Tensor Core ; 1,440 PFLOPS | 1,080 PFLOPS<sup>2</sup>",
        "FP16/BF16 Tensor Core ; 360 PFLOPS",
        "FP64 / FP64 Tensor Core ; 100 TFLOPS",
        notes="All other Tensor Core specs are sparse; dense is one-half of the sparse value.\n2. Without sparsity.",
    )
    assert {a: v for (_, a), v in values(read(html)).items()} == {
        FP4: (1_080_000, False, 72),
        BF16: (360_000, True, 72),
        FP16: (360_000, True, 72),
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
    (one_way,) = read(table("", "NVLink bandwidth per direction ; 450 GB/s"), "X", link=True).rows
    assert one_way.is_bidirectional is False


def test_a_figure_says_where_it_stands_and_of_what_it_is():
    two = read(
        table(" ; A1 ; trn2.48xlarge", "# of Trainium2 chips ; 1 ; 16", "FP64 ; 1 TFLOPS ; 32 TFLOPS")
    ).rows
    assert [(r.record, r.per) for r in two] == [
        ("table 1 row 2, A1", "chip"),
        ("table 1 row 2, trn2.48xlarge", "instance"),
    ]
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
        (pairs(*matrix), {NOT_COMPARED: 1, BESIDE_MATRIX: 1}),
        (pairs(*rates), {BESIDE_TRAINING: 1, NO_FIGURE: 1}),
        (
            table(" ; A1 ; A2", "L3 Cache ; 8 MB ; 9 MB", "Decoders ; 7", "CPU cores ; 1 ; 2"),
            {NOT_COMPARED: 5},
        ),
    ):
        assert read(html, "X", is_pairs=html.startswith("<dl")).exclusions == expected


def test_nothing_of_the_machine_is_included():
    text = ".. include:: /etc/passwd\n\n.. raw:: html\n   :file: /etc/passwd\n\nX\n=\n"
    assert "root:" not in str(read_rst(text))
