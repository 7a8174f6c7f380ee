"""The specification pages of the vendors as functions: only tables, lists and footnotes of the real pages.

Rows, footnotes and figures are those the pages showed between 2024 and September 2026 (NVIDIA, AMD, Google), the
table of Intel's talk at Hot Chips 2024, and the prose of the Gaudi documentation. A data sheet replaces a page that was
not accessible. `PAGES` maps URL to body for a replay server.
"""

from html import escape

from ingest.specs import amd, gaudi, google_tpu, neuron, nvidia


def document(body, title=""):
    return f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head><body>{body}</body></html>'


def table(head, *rows, head_tag="th"):
    """Return a table with one column per product; cells are HTML: ``<br>`` between lines, ``<sup>`` for marks."""
    line = "".join(f"<{head_tag}>{cell}</{head_tag}>" for cell in head)
    width = len(head)
    body = "".join(
        "<tr><td>"
        + row[0]
        + "</td>"
        # one figure for all products is one wide cell, as on the A100 page
        + (
            f'<td colspan="{width - 1}">{row[1]}</td>'
            if len(row) == 2 and width > 2
            else "".join(f"<td>{cell}</td>" for cell in row[1:])
        )
        + "</tr>"
        for row in rows
    )
    return f'<div class="specs"><table><thead><tr>{line}</tr></thead><tbody>{body}</tbody></table></div>'


def notes(*lines):
    return "".join(f"<p><small>{line}</small></p>" for line in lines)


# ---------------------------------------------------------------- NVIDIA

WITH_SPARSITY = "* With sparsity"


def hopper():
    return table(
        ("", "H100 SXM", "H100 NVL"),
        ("FP64", "34 teraFLOPS", "30 teraFLOPS"),
        ("FP64 Tensor Core", "67 teraFLOPS", "60 teraFLOPS"),
        ("FP32", "67 teraFLOPS", "60 teraFLOPS"),
        ("TF32 Tensor Core*", "989 teraFLOPS", "835 teraFLOPS"),
        ("BFLOAT16 Tensor Core*", "1,979 teraFLOPS", "1,671 teraFLOPS"),
        ("FP16 Tensor Core*", "1,979 teraFLOPS", "1,671 teraFLOPS"),
        ("FP8 Tensor Core*", "3,958 teraFLOPS", "3,341 teraFLOPS"),
        ("INT8 Tensor Core*", "3,958 TOPS", "3,341 TOPS"),
        ("GPU Memory", "80GB", "94GB"),
        ("GPU Memory Bandwidth", "3.35TB/s", "3.9TB/s"),
        ("Decoders", "7 NVDEC<br>7 JPEG", "7 NVDEC<br>7 JPEG"),
        (
            "Max Thermal Design Power (TDP)",
            "Up to 700W (configurable)",
            "350-400W (configurable)",
        ),
        ("Multi-Instance GPUs", "Up to 7 MIGS @ 10GB each", "Up to 7 MIGS @ 12GB each"),
        ("Form Factor", "SXM", "PCIe<br>dual-slot air-cooled"),
        (
            "Interconnect",
            "NVIDIA NVLink™: 900GB/s<br>PCIe Gen5: 128GB/s",
            "NVIDIA NVLink: 600GB/s<br>PCIe Gen5: 128GB/s",
        ),
        (
            "Server Options",
            "NVIDIA HGX H100 Partner and NVIDIA-Certified Systems with 4 or 8 GPUs",
            "1–8 GPUs",
        ),
    ) + notes(WITH_SPARSITY)


def h200():
    return table(
        ("", "H200 SXM<sup>1</sup>", "H200 NVL<sup>1</sup>"),
        ("FP64", "34 TFLOPS", "30 TFLOPS"),
        ("FP64 Tensor Core", "67 TFLOPS", "60 TFLOPS"),
        ("FP32", "67 TFLOPS", "60 TFLOPS"),
        ("TF32 Tensor Core<sup>2</sup>", "989 TFLOPS", "835 TFLOPS"),
        ("BFLOAT16 Tensor Core<sup>2</sup>", "1,979 TFLOPS", "1,671 TFLOPS"),
        ("FP16 Tensor Core<sup>2</sup>", "1,979 TFLOPS", "1,671 TFLOPS"),
        ("FP8 Tensor Core<sup>2</sup>", "3,958 TFLOPS", "3,341 TFLOPS"),
        ("INT8 Tensor Core<sup>2</sup>", "3,958 TFLOPS", "3,341 TFLOPS"),
        ("GPU Memory", "141GB", "141GB"),
        ("GPU Memory Bandwidth", "4.8TB/s", "4.8TB/s"),
        ("Max Thermal Design Power (TDP)", "Up to 700W (configurable)", "Up to 600W (configurable)"),
        (
            "Interconnect",
            "NVIDIA NVLink™: 900GB/s<br>PCIe Gen5: 128GB/s",
            "2- or 4-way NVIDIA NVLink bridge: 900GB/s per GPU<br>PCIe Gen5: 128GB/s",
        ),
    ) + notes("1. Preliminary specifications. May be subject to change.", "2. With sparsity.")


def hgx():
    return table(
        ("", "HGX B300", "HGX B200"),
        ("Form Factor", "8x NVIDIA Blackwell Ultra SXM", "8x NVIDIA Blackwell SXM"),
        ("FP4 Tensor Core<sup>1</sup>", "144 PFLOPS | 108 PFLOPS", "144 PFLOPS | 72 PFLOPS"),
        ("FP8/FP6 Tensor Core<sup>2</sup>", "72 PFLOPS", "72 PFLOPS"),
        ("INT8 Tensor Core<sup>2</sup>", "3 POPS", "72 POPS"),
        ("FP16/BF16 Tensor Core<sup>2</sup>", "36 PFLOPS", "36 PFLOPS"),
        ("TF32 Tensor Core<sup>2</sup>", "18 PFLOPS", "18 PFLOPS"),
        ("FP32", "600 TFLOPS", "600 TFLOPS"),
        ("FP64/FP64 Tensor Core", "10 TFLOPS", "296 TFLOPS"),
        ("Total Memory", "2.1 TB", "1.4 TB"),
        ("NVIDIA NVLink", "Fifth generation", "Fifth generation"),
        ("NVLink GPU-to-GPU Bandwidth", "1.8 TB/s", "1.8 TB/s"),
        ("Total NVLink Bandwidth", "14.4 TB/s", "14.4 TB/s"),
        ("Networking Bandwidth", "1.6 TB/s", "0.8 TB/s"),
        ("Attention Performance", "2x", "1x"),
    ) + notes(
        "1. Specification in Sparse | Dense", "2. Specification in Sparse. Dense is ½ sparse spec shown."
    )


def dgx_b200():
    return table(
        ("", "NVIDIA DGX B200"),
        ("GPU", "8x NVIDIA Blackwell GPUs"),
        ("GPU Memory", "1,440GB total, 64TB/s HBM3e bandwidth"),
        ("Performance", "FP4 Tensor Core: 144 PFLOPS | 72 PFLOPS<br>FP8 Tensor Core: 72 PFLOPS"),
        ("NVIDIA NVLink Bandwidth", "14.4 TB/s aggregate bandwidth"),
        ("Power Consumption", "~14.3kW max"),
        ("CPU", "2 Intel® Xeon® Platinum 8570 Processors"),
        ("System Memory", "2TB, configurable to 4TB"),
        ("Rack Units (RU)", "10 RU"),
    )


def gb200():
    return table(
        ("", "GB200 NVL72", "GB200 Grace Blackwell Superchip"),
        ("Configuration", "36 Grace CPU | 72 Blackwell GPUs", "1 Grace CPU | 2 Blackwell GPUs"),
        ("NVFP4 Tensor Core<sup>1</sup>", "1,440 | 720 PFLOPS", "40 | 20 PFLOPS"),
        ("FP8/FP6 Tensor Core<sup>2</sup>", "720 PFLOPS", "20 PFLOPS"),
        ("INT8 Tensor Core<sup>2</sup>", "720 POPS", "20 POPS"),
        ("FP16/BF16 Tensor Core<sup>2</sup>", "360 PFLOPS", "10 PFLOPS"),
        ("TF32 Tensor Core<sup>2</sup>", "180 PFLOPS", "5 PFLOPS"),
        ("FP32", "5,760 TFLOPS", "160 TFLOPS"),
        ("FP64 / FP64 Tensor Core", "2,880 TFLOPS", "80 TFLOPS"),
        ("GPU Memory | Bandwidth", "13.4 TB HBM3E | 576 TB/s", "372 GB HBM3E | 16 TB/s"),
        ("NVLink Bandwidth", "130 TB/s", "3.6 TB/s"),
        ("CPU Core Count", "2,592 Arm® Neoverse V2 cores", "72 Arm Neoverse V2 cores"),
        ("CPU Memory | Bandwidth", "17 TB LPDDR5X | 14 TB/s", "Up to 480 GB LPDDR5X | Up to 512 GB/s"),
    ) + notes(
        "1. Specification in sparse | dense.",
        "2. Specification in sparse. Dense is one-half sparse spec shown.",
    )


def gb300():
    """The rows have no mark: footnote 1 of the table header applies to all of them."""
    return (
        "<h2>NVIDIA GB300 NVL72<sup>1</sup></h2>"
        + table(
            ("Specifications", "GB300 NVL72"),
            ("Configuration", "72 NVIDIA Blackwell Ultra GPUs, 36 NVIDIA Grace CPUs"),
            ("NVLink Bandwidth", "130 TB/s"),
            ("Fast Memory", "37 TB"),
            ("GPU Memory | Bandwidth", "20 TB | Up to 576 TB/s"),
            ("CPU Memory | Bandwidth", "17 TB LPDDR5X | 14 TB/s"),
            ("CPU Core Count", "2,592 Arm Neoverse V2 cores"),
            ("FP4 Tensor Core", "1,440 PFLOPS | 1,080 PFLOPS<sup>2</sup>"),
            ("FP8/FP6 Tensor Core", "720 PFLOPS"),
            ("INT8 Tensor Core", "24 POPS"),
            ("FP16/BF16 Tensor Core", "360 PFLOPS"),
            ("TF32 Tensor Core", "180 PFLOPS"),
            ("FP32", "6 PFLOPS"),
            ("FP64 / FP64 Tensor Core", "100 TFLOPS"),
        )
        + notes(
            "1. All Tensor Core specifications are with sparsity unless otherwise noted.",
            "2. Without sparsity.",
        )
    )


def vera_rubin():
    return table(
        ("", "Vera Rubin NVL72", "Vera Rubin Superchip", "Rubin GPU"),
        ("Configuration", "72 Rubin GPUs | 36 Vera CPUs", "2 Rubin GPUs | 1 Vera CPU", "1 Rubin GPU"),
        ("NVFP4 Inference", "3,600 PFLOPS", "100 PFLOPS", "50 PFLOPS"),
        ("NVFP4 Training<sup>2</sup>", "2,520 PFLOPS", "70 PFLOPS", "35 PFLOPS"),
        ("FP8/FP6 Training<sup>2</sup>", "1,260 PFLOPS", "35 PFLOPS", "17.5 PFLOPS"),
        ("INT8<sup>2</sup>", "18 POPS", "0.5 POPS", "0.25 POPS"),
        ("FP16/BF16<sup>2</sup>", "288 PFLOPS", "8 PFLOPS", "4 PFLOPS"),
        (
            "GPU Memory | Bandwidth",
            "20.7 TB HBM4 | 1,580 TB/s",
            "576 GB HBM4 | 44 TB/s",
            "288 GB HBM4 | 22 TB/s",
        ),
        ("NVLink Bandwidth", "260 TB/s", "7.2 TB/s", "3.6 TB/s"),
        ("NVLink-C2C Bandwidth", "65 TB/s", "1.8 TB/s", "-"),
        ("System Memory", "54 TB LPDDR5X", "1.5 TB LPDDR5X", "-"),
    ) + notes(
        "1. Preliminary information. All values are up to and subject to change.", "2. Dense specification."
    )


def grace_hopper():
    return table(
        ("Feature", "GH200", "GH200 NVL2"),
        ("CPU core count", "72 Arm Neoverse V2 cores", "144 Arm Neoverse V2 cores"),
        ("L3 cache", "114MB", "228MB"),
        ("LPDDR5X size", "480GB (120GB, 240GB)", "960GB (240GB, 480GB)"),
        ("Memory bandwidth", "Up to 384GB/s<br>Up to 512GB/s", "Up to 768GB/s<br>Up to 1024GB/s"),
        ("PCIe links", "Up to 4x PCIe x16 (Gen5)", "Up to 8x PCIe x16 (Gen5)"),
        ("FP64", "34 teraFLOPS", "68 teraFLOPS"),
        ("FP64 Tensor Core", "67 teraFLOPS", "134 teraFLOPS"),
        ("FP32", "67 teraFLOPS", "134 teraFLOPS"),
        ("TF32 Tensor Core", "989 teraFLOPS* | 494 teraFLOPS", "1,979 teraFLOPS* | 990 teraFLOPS"),
        ("BFLOAT16 Tensor Core", "1,979 teraFLOPS* | 990 teraFLOPS", "3,958 teraFLOPS* | 1,979 teraFLOPS"),
        ("FP16 Tensor Core", "1,979 teraFLOPS* | 990 teraFLOPS", "3,958 teraFLOPS* | 1,979 teraFLOPS"),
        ("FP8 Tensor Core", "3,958 teraFLOPS* | 1,979 teraFLOPS", "7,916 teraFLOPS* | 3,958 teraFLOPS"),
        ("INT8 Tensor Core", "3,958 TOPS* | 1,979 TOPS", "7,916 TOPS* | 3,958 TOPS"),
        ("High-bandwidth memory (HBM) size", "96GB HBM3 | 144GB HBM3e", "Up to 288GB HBM3e"),
        ("Memory bandwidth", "Up to 4TB/s | Up to 4.9TB/s", "Up to 9.8TB/s"),
        ("NVIDIA NVLink-C2C CPU-to-GPU bandwidth", "900GB/s", "1800GB/s"),
        ("Power (Memory + CPU + GPU)", "Configurable 450 to 1000W", "Configurable 900W to 2000W"),
    ) + notes(WITH_SPARSITY)


def ampere():
    return table(
        ("", "A100 80GB PCIe", "A100 80GB SXM"),
        ("FP64", "9.7 TFLOPS"),
        ("FP64 Tensor Core", "19.5 TFLOPS"),
        ("FP32", "19.5 TFLOPS"),
        ("Tensor Float 32 (TF32)", "156 TFLOPS | 312 TFLOPS*"),
        ("BFLOAT16 Tensor Core", "312 TFLOPS | 624 TFLOPS*"),
        ("FP16 Tensor Core", "312 TFLOPS | 624 TFLOPS*"),
        ("INT8 Tensor Core", "624 TOPS | 1248 TOPS*"),
        ("GPU Memory", "80GB HBM2e", "80GB HBM2e"),
        ("GPU Memory Bandwidth", "1,935 GB/s", "2,039 GB/s"),
        ("Max Thermal Design Power (TDP)", "300W", "400W ***"),
        ("Multi-Instance GPU", "Up to 7 MIGs @ 10GB"),
        ("Form Factor", "PCIe<br>Dual-slot air-cooled or single-slot liquid-cooled", "SXM"),
        (
            "Interconnect",
            "NVIDIA® NVLink® Bridge<br>for 2 GPUs: 600 GB/s **<br>PCIe Gen4: 64 GB/s",
            "NVLink: 600 GB/s<br>PCIe Gen4: 64 GB/s",
        ),
    ) + notes(
        WITH_SPARSITY,
        "** SXM4 GPUs via HGX A100 server boards; PCIe GPUs via NVLink Bridge for up to two GPUs",
        "*** 400W TDP for standard configuration. HGX A100-80GB custom thermal solution (CTS) SKU up to 500W",
    )


def card(memory, bandwidth, power, fp32, *rates, note="*With sparsity"):
    """Return a page of one card with specifications and values; rates are ``(text, cell)``."""
    return table(
        ("Specifications", ""),
        ("FP32", fp32),
        *rates,
        ("GPU Memory", memory),
        ("GPU Memory Bandwidth", bandwidth),
        ("Interconnect", "PCIe Gen4: 64GB/s"),
        ("Max Thermal Design Power (TDP)", power),
        ("Form factor", "1-slot, FHFL"),
        head_tag="td",
    ) + notes(note)


def ada(memory, bandwidth, power, fp32, rates, int8):
    """L40, L40S: the row has the unit; dense and sparse are separated by a capital I."""
    tf32, half, fp8 = rates
    return table(
        ("GPU Architecture", "NVIDIA Ada Lovelace architecture"),
        ("GPU Memory", memory),
        ("Memory Bandwidth", bandwidth),
        ("Interconnect Interface", "PCIe Gen4 x16: 64GB/s bidirectional"),
        ("RT Core Performance TFLOPS", "209"),
        ("FP32 TFLOPS", fp32),
        ("TF32 Tensor Core TFLOPS", tf32),
        ("BFLOAT16 Tensor Core TFLOPS", half),
        ("FP16 Tensor Core", half),
        ("FP8 Tensor Core", fp8),
        ("Peak INT8 Tensor TOPS", int8),
        ("Peak INT4 Tensor TOPS", "733 I 1,466*"),
        ("Max Power Consumption", power),
        ("Form Factor", '4.4" (H) x 10.5" (L), dual slot'),
        head_tag="td",
    ) + notes("*With Sparsity")


def turing():
    return table(
        ("Specification", "Values"),
        ("GPU Architecture", "NVIDIA Turing"),
        ("NVIDIA Turing Tensor Cores", "320"),
        ("Single-Precision", "8.1 TFLOPS"),
        ("Mixed-Precision (FP16/FP32)", "65 TFLOPS"),
        ("INT8", "130 TOPS"),
        ("INT4", "260 TOPS"),
        ("GPU Memory", "16 GB GDDR6<br>300 GB/sec"),
        ("ECC", "Yes"),
        ("Interconnect Bandwidth", "32 GB/sec"),
        ("System Interface", "x16 PCIe Gen3"),
        ("Power", "70 watts"),
    )


def volta():
    return table(
        ("", "V100 for NVLink", "V100 for PCIe", "V100S for PCIe"),
        ("Double-Precision", "7.8 teraFLOPS", "7 teraFLOPS", "8.2 teraFLOPS"),
        ("Single-Precision", "15.7 teraFLOPS", "14 teraFLOPS", "16.4 teraFLOPS"),
        ("Deep Learning", "125 teraFLOPS", "112 teraFLOPS", "130 teraFLOPS"),
        ("Interconnect Bandwidth (bi-directional)", "NVLink 300 GB/s", "PCIe 32 GB/s", "PCIe 32 GB/s"),
        (
            "Memory CoWoS Stacked HBM2",
            "32/16 GB HBM2<br>900 GB/s",
            "32/16 GB HBM2<br>900 GB/s",
            "32 GB HBM2<br>1134 GB/s",
        ),
        ("Max Consumption", "300 watts", "250 watts", "250 watts"),
    )


def rtx_pro():
    return table(
        ("GPU Architecture", "NVIDIA Blackwell architecture"),
        ("GPU Memory", "96 GB GDDR7 with ECC"),
        ("Memory Bandwidth", "1,597 GB/s"),
        ("Peak FP4 AI PFLOPS", "4 PFLOPS<sup>1</sup>"),
        ("Peak FP32 TFLOPS", "120"),
        ("Max Power Consumption", "600W (configurable)"),
        head_tag="td",
    ) + notes("1. Effective FP4 TOPS with sparsity.")


NVIDIA = {
    "h100": hopper(),
    "h200": h200(),
    "hgx": hgx(),
    "dgx-b200": dgx_b200(),
    "gb200-nvl72": gb200(),
    "gb300-nvl72": gb300(),
    "vera-rubin-nvl72": vera_rubin(),
    "grace-hopper": grace_hopper(),
    "a100": ampere(),
    "a30": card(
        "24GB HBM2", "933GB/s", "165W", "10.3 teraFLOPS",
        ("BFLOAT16 Tensor Core", "165 teraFLOPS | 330 teraFLOPS*"), ("FP16 Tensor Core", "165 teraFLOPS | 330 teraFLOPS*"),
        ("INT8 Tensor Core", "330 TOPS | 661 TOPS*"),
    ),
    "a10": card(
        "24GB GDDR6", "600GB/s", "150W", "31.2 teraFLOPS",
        ("BFLOAT16 Tensor Core", "125 teraFLOPS | 250 teraFLOPS*"), ("INT8 Tensor Core", "250 TOPS | 500 TOPS*"),
    ),
    "a2": card(
        "16GB GDDR6", "200GB/s", "40-60W (Configurable)", "4.5 TFLOPS",
        ("BFLOAT16 Tensor Core", "18 TFLOPS | 36 TFLOPS*"), ("Peak INT8", "36 TOPS | 72 TOPS*"),
    ),
    "a40": card(
        "48 GB GDDR6 with error-correcting code (ECC)", "696 GB/s", "300 W", "37.4 TFLOPS",
        ("BFLOAT16 Tensor Core", "149.7 TFLOPS | 299.4 TFLOPS*"), ("INT8 Tensor Core", "299.3 TOPS | 598.6 TOPS*"),
    ),
    "l4": card(
        "24GB", "300GB/s", "72W", "30.3 teraFLOPS",
        ("TF32 Tensor Core", "120 teraFLOPS*"), ("FP16 Tensor Core", "242 teraFLOPS*"), ("BFLOAT16 Tensor Core", "242 teraFLOPS*"),
        ("FP8 Tensor Core", "485 teraFLOPs*"), ("INT8 Tensor Core", "485 TOPs*"),
        note="* Shown with sparsity. Specifications are one-half lower without sparsity.",
    ),
    "l40": ada("48GB GDDR6 with ECC", "864GB/s", "300W", "90.5", ("90.5 I 181*", "181.05 I 362.1*", "362 I 724*"), "362 I 724*"),
    "l40s": ada("48GB GDDR6 with ECC", "864GB/s", "350W", "91.6", ("183 I 366*", "362.05 I 733*", "733 I 1,466*"), "733 I 1,466*"),
    "t4": turing(),
    "v100": volta(),
    "rtx-pro-6000-server": rtx_pro(),
}  # fmt: skip

# ---------------------------------------------------------------- AMD


def pairs(*rows):
    return (
        "<dl>" + "".join(f"<dt>{escape(term)}</dt><dd>{escape(value)}</dd>" for term, value in rows) + "</dl>"
    )


def instinct(memory, bandwidth, power, half, eight, fp32, fp64, *, link="128 GB/s", four=None):
    """Return a product page of Instinct: rates with and without sparsity, matrix and vector separately."""
    rows = [("Product Family", "Instinct"), ("GPU Architecture", "CDNA"), ("Compute Units", "304")]
    if four:
        rows += [
            ("Peak Microscaling Four-bit Precision Matrix (MXFP4) Performance", four),
            ("Peak Microscaling Six-bit Precision Matrix (MXFP6) Performance", four),
        ]
    matrix = " Matrix" if four else ""  # pages of 2025 and later name the units of every format
    if eight:
        rows += [
            (f"Peak Eight-bit Precision{matrix} (FP8) Performance (E5M2, E4M3)", eight[0]),
            (
                f"Peak Eight-bit Precision{matrix} (FP8) Performance with Structured Sparsity (E5M2, E4M3)",
                eight[1],
            ),
        ]
    rows += [(f"Peak Half Precision{matrix} (FP16) Performance", half[0])]
    if eight:
        rows += [(f"Peak Half Precision{matrix} (FP16) Performance with Structured Sparsity", half[1])]
    if four:
        rows += [("Peak Half Precision (FP16) Performance", fp32)]
    return pairs(
        *rows,
        ("Peak Single Precision Matrix (FP32) Performance", fp32),
        ("Peak Double Precision Matrix (FP64) Performance", fp64),
        ("Peak Single Precision (FP32) Performance", fp32),
        ("Peak Double Precision (FP64) Performance", fp64),
        (f"Peak bfloat16{matrix}", half[0]),
        *([(f"Peak bfloat16{matrix} with Structured Sparsity", half[1])] if eight else []),
        ("Dedicated Memory Size", memory),
        ("Dedicated Memory Type", "HBM3"),
        ("Memory Interface", "8192-bit"),
        ("Memory Clock", "5.2 GHz"),
        ("Peak Memory Bandwidth", bandwidth),
        ("Memory ECC Support", "Yes (Full-Chip)"),
        ("GPU Form Factor", "OAM Module"),
        ("Peak Infinity Fabric™ Link Bandwidth", link),
        ("Typical Board Power (TBP)", power),
    )


AMD = {
    "mi210": instinct("64 GB", "1.6 TB/s", "300W", ("181 TFLOPs", ""), (), "22.6 TFLOPs", "22.6 TFLOPs", link="100 GB/s"),
    "mi250": instinct("128 GB", "3.2 TB/s", "500W | 560W Peak", ("362.1 TFLOPs", ""), (), "45.3 TFLOPs", "45.3 TFLOPs", link="100 GB/s"),
    "mi250x": instinct("128 GB", "3.2 TB/s", "500W | 560W Peak", ("383 TFLOPs", ""), (), "47.9 TFLOPs", "47.9 TFLOPs", link="100 GB/s"),
    "mi300a": instinct("128 GB", "5.3 TB/s", "550W | 760W (Peak)", ("980.6 TFLOPs", "1.96 PFLOPs"), ("1.96 PFLOPs", "3.92 PFLOPs"), "122.6 TFLOPs", "61.3 TFLOPs"),
    "mi300x": instinct("192 GB", "5.3 TB/s", "750W Peak", ("1.3 PFLOPs", "2.61 PFLOPs"), ("2.61 PFLOPs", "5.22 PFLOPs"), "163.4 TFLOPs", "81.7 TFLOPs"),
    "mi325x": instinct("256 GB", "6 TB/s", "1000W Peak", ("1.3 PFLOPs", "2.61 PFLOPs"), ("2.61 PFLOPs", "5.22 PFLOPs"), "163.4 TFLOPs", "81.7 TFLOPs"),
    "mi350x": instinct("288 GB", "8 TB/s", "1000W Peak", ("2.3 PFLOPs", "4.61 PFLOPs"), ("4.61 PFLOPs", "9.22 PFLOPs"), "144.2 TFLOPs", "72.1 TFLOPs", link="153.6 GB/s", four="9.2 PFLOPs"),
    "mi355x": instinct("288 GB", "8 TB/s", "1400W Peak", ("2.5 PFLOPs", "5.03 PFLOPs"), ("5.03 PFLOPs", "10.06 PFLOPs"), "157.3 TFLOPs", "78.6 TFLOPs", link="153.6 GB/s", four="10.1 PFLOPs"),
}  # fmt: skip

# ---------------------------------------------------------------- Google


def tpu(name, *rows, head=("Specification", "Values")):
    return f"<h1>{name}</h1>" + table(head, *rows)


def tpu_of_2024(bf16, int8, memory, bandwidth, link, dram, pod, *pod_rows):
    """v5e and v6e: one row per value, including those of host and pod."""
    return (
        ("Performance/total cost of ownership (TCO) (expected)", "0.65x"),
        ("Peak compute per chip (bf16)", bf16),
        ("Peak compute per chip (Int8)", int8),
        ("HBM capacity per chip", memory),
        ("HBM bandwidth per chip", bandwidth),
        ("Bidirectional inter-chip interconnect (ICI) bandwidth (per chip)", link),
        ("ICI ports per chip", "4"),
        ("DRAM per host", dram),
        ("Chips per host", "8"),
        ("TPU Pod size", pod),
        ("Interconnect topology", "2D torus"),
        *pod_rows,
        ("Per-host NIC configuration", "2 x 100 Gbps NIC"),
        ("Data center network bandwidth per Pod", "6.4 Tbps"),
    )


GOOGLE = {
    "v3": tpu(
        "TPU v3",
        ("Peak compute per chip", "123 teraflops (bf16)"),
        ("HBM2 capacity and bandwidth", "32 GiB, 900 GBps"),
        ("Measured min/mean/max power", "123/220/262 W"),
        ("TPU Pod size", "1024 chips"),
        ("Interconnect topology", "2D torus"),
        ("Peak compute per Pod", "126 petaflops (bf16)"),
        ("All-reduce bandwidth per Pod", "340 TB/s"),
        ("Bisection bandwidth per Pod", "6.4 TB/s"),
        head=("Key specifications", "v3 Pod values"),
    ),
    "v4": tpu(
        "TPU v4",
        ("Peak compute per chip", "275 teraflops (bf16 or int8)"),
        ("HBM2 capacity and bandwidth", "32 GiB, 1200 GBps"),
        ("Measured min/mean/max power", "90/170/192 W"),
        ("TPU Pod size", "4096 chips"),
        ("Interconnect topology", "3D mesh"),
        ("Peak compute per Pod", "1.1 exaflops (bf16 or int8)"),
        ("All-reduce bandwidth per Pod", "1.1 PB/s"),
        ("Bisection bandwidth per Pod", "24 TB/s"),
        head=("Key specifications", "v4 Pod values"),
    ),
    "v5e": tpu(
        "TPU v5e",
        *tpu_of_2024(
            *("197 TFLOPs", "393 TOPs", "16 GB", "800 GiBps", "400 GBps", "512 GiB", "256 chips"),
            ("BF16 peak compute per Pod", "50.63 PFLOPs"),
            ("All-reduce bandwidth per Pod", "51.2 TB/s"),
            ("Bisection bandwidth per Pod", "1.6 TB/s"),
            ("Peak compute per Pod", "100 PetaOps (Int8)"),
        ),
    ),
    "v5p": tpu(
        "TPU v5p",
        ("Peak compute per chip (bf16)", "459 TFLOPs"),
        ("HBM2e capacity and bandwidth", "95 GB, 2765 GBps"),
        ("TPU Pod size", "8960 chips"),
        ("Interconnect topology", "3D Torus *"),
        ("Inter-chip Interconnect BW", "4800 Gbps"),
        head=("Key specifications", "v5p values"),
    ),
    "v6e": tpu(
        "TPU v6e",
        *tpu_of_2024(
            *("918 TFLOPs", "1836 TOPs", "32 GB", "1638 GBps", "800 GBps", "1536 GiB", "256 chips"),
            ("BF16 peak compute per Pod", "234.9 PFLOPs"),
            ("All-reduce bandwidth per Pod", "102.4 TB/s"),
            ("Bisection bandwidth per Pod", "3.2 TB/s"),
        ),
    ),
    "tpu7x": tpu(
        "TPU7x (Ironwood)",
        ("Number of chips per pod", "8960", "256", "9216"),
        ("Peak compute per chip (BF16) (TFLOPs)", "459", "918", "2307"),
        ("Peak compute per chip (FP8) (TFLOPs)", "459", "918", "4614"),
        ("HBM capacity per chip (GiB)", "95", "32", "192"),
        ("HBM bandwidth per chip (GBps)", "2765", "1638", "7380"),
        ("Number of vCPUs (4-chip VM)", "208", "180", "224"),
        ("RAM (GB) (4-chip VM)", "448", "720", "960"),
        ("Number of TensorCores per chip", "2", "1", "2"),
        ("Number of SparseCores per chip", "4", "2", "4"),
        ("Bidirectional inter-chip interconnect (ICI) bandwidth per chip (GBps)", "1200", "800", "1200"),
        ("Data center network (DCN) bandwidth per chip (Gbps)", "50", "100", "100"),
        head=("Specification", "v5p", "v6e (Trillium)", "TPU7x (Ironwood)"),
    ),
}

# ---------------------------------------------------------------- Intel

GAUDI = {
    "gaudi3": table(
        ("Product Parameter", "Intel Gaudi", "Intel Gaudi 2", "Intel Gaudi 3"),
        ("TDP (OAM)", "400 W", "600W", "900W (Air)/1200W (Liquid)"),
        ("Peak Compute (BF16)", "60 TFLOPs", "432 TFLOPs", "1835 TFLOPs"),
        ("HBM Capacity", "32 GB", "96 GB", "128 GB"),
        ("Peak HBM BW", "900 GB/s", "2.46 TB/s", "3.67 TB/s"),
        ("Peak PCIe BW (bi-directional)", "64 GB/s", "64 GB/s", "128 GB/s"),
        ("Embedded NIC BW (bi-directional)", "2 Tb/s", "4.8 Tb/s", "9.6 Tb/s"),
        ("On-die SRAM Capacity", "24 MB", "48 MB", "96 MB"),
        ("On-die SRAM Bandwidth (L2 Cache)", "-", "6.4 TB/s", "12.8 TB/s"),
    ),
    "architecture": """<h1>Gaudi Architecture</h1>
<p>The Intel® Gaudi® AI accelerator architecture includes three main subsystems - compute, memory, and networking.</p>
<p>Intel® Gaudi® 2 offers 2.4 Terabits of networking bandwidth with the native integration on-chip of 24 x 100 Gbps RoCE
V2 RDMA NICs.</p>
<p>The Gaudi memory architecture includes on-die SRAM and local memories in each TPC.</p>
<p>The Gaudi 2 memory subsystem includes 96 GB of HBM2E memories delivering 2.45 TB/sec bandwidth, in addition to a 48 MB of
local SRAM with sufficient bandwidth to allow MME, TPC, DMAs and RDMA NICs to operate in parallel.</p>
<p>The Gaudi 3 memory subsystem includes 128 GB of HBM2E memories delivering 3.7 TB/sec bandwidth, in addition to a 96 MB of
local SRAM.</p>""",
}

INFERENTIA = """
.. _inferentia-arch:

Inferentia Architecture
=======================

At the heart of each Inf1 instance are sixteen Inferentia chips, each with four NeuronCores.

+----------------------------------+----------------------------------+
| Compute                          | Four :ref:`NeuronCore-v1         |
|                                  | <neuroncores-v1-arch>`           |
|                                  | cores, delivering 128 INT8 TOPS  |
|                                  | and 64 FP16/BF16 TFLOPS.         |
+----------------------------------+----------------------------------+
| Device Memory                    | 8GiB of device DRAM memory (for  |
|                                  | storing parameters and           |
|                                  | intermediate state), with 50     |
|                                  | GiB/sec of bandwidth.            |
+----------------------------------+----------------------------------+
"""

PAGES = {
    module.PAGES[key][0]: document(body, key)
    for module, bodies in ((nvidia, NVIDIA), (amd, AMD), (google_tpu, GOOGLE), (gaudi, GAUDI))
    for key, body in bodies.items()
}
MADE_RST = {f"{neuron.RAW}inferentia.rst": INFERENTIA}
