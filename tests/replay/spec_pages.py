"""The specification pages of the vendors as functions: only tables, lists and footnotes of the real pages.

Rows, footnotes and figures are those the pages showed between 2024 and September 2026 (NVIDIA, AMD, Google), the
table of Intel's talk at Hot Chips 2024, and the prose of the Gaudi documentation. A data sheet replaces a page that was
not accessible. `PAGES` maps URL to body for a replay server.
"""

from html import escape

from ingest.specs import amd, gaudi, google_tpu, neuron, nvidia


def document(body):
    return f'<!doctype html><html lang="en"><head><meta charset="utf-8"></head><body>{body}</body></html>'


def table(head, *rows, head_tag="th"):
    """Return a table with one column per product; cells are HTML: ``<br>`` between lines, ``<sup>`` for marks."""
    line = "".join(f"<{head_tag}>{cell}</{head_tag}>" for cell in head)
    body = ""
    for name, *cells in rows:
        # one figure for all products is one wide cell, as on the A100 page
        span = f' colspan="{len(head) - 1}"' if len(cells) == 1 and len(head) > 2 else ""
        body += f"<tr><td>{name}</td>" + "".join(f"<td{span}>{cell}</td>" for cell in cells) + "</tr>"
    return f"<table><thead><tr>{line}</tr></thead><tbody>{body}</tbody></table>"


def notes(*lines):
    return "".join(f"<p><small>{line}</small></p>" for line in lines)


WITH_SPARSITY = "* With sparsity"


def hopper():
    return table(
        ("", "H100 SXM", "H100 NVL"),
        ("FP64", "34 teraFLOPS", "30 teraFLOPS"),
        ("FP64 Tensor Core", "67 teraFLOPS", "60 teraFLOPS"),
        ("FP32", "67 teraFLOPS", "60 teraFLOPS"),
        ("BFLOAT16 Tensor Core*", "1,979 teraFLOPS", "1,671 teraFLOPS"),
        ("FP8 Tensor Core*", "3,958 teraFLOPS", "3,341 teraFLOPS"),
        ("INT8 Tensor Core*", "3,958 TOPS", "3,341 TOPS"),
        ("GPU Memory", "80GB", "94GB"),
        ("GPU Memory Bandwidth", "3.35TB/s", "3.9TB/s"),
        ("Max Thermal Design Power (TDP)", "Up to 700W (configurable)", "350-400W (configurable)"),
        (
            "Interconnect",
            "NVIDIA NVLink™: 900GB/s<br>PCIe Gen5: 128GB/s",
            "NVIDIA NVLink: 600GB/s<br>PCIe Gen5: 128GB/s",
        ),
    ) + notes(WITH_SPARSITY)


def h200():
    return table(
        ("", "H200 SXM<sup>1</sup>", "H200 NVL<sup>1</sup>"),
        ("FP64", "34 TFLOPS", "30 TFLOPS"),
        ("BFLOAT16 Tensor Core<sup>2</sup>", "1,979 TFLOPS", "1,671 TFLOPS"),
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
        ("FP64/FP64 Tensor Core", "10 TFLOPS", "296 TFLOPS"),
        ("Total Memory", "2.1 TB", "1.4 TB"),
        ("NVLink GPU-to-GPU Bandwidth", "1.8 TB/s", "1.8 TB/s"),
        ("Total NVLink Bandwidth", "14.4 TB/s", "14.4 TB/s"),
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
        ("System Memory", "2TB, configurable to 4TB"),
    )


def gb200():
    return table(
        ("", "GB200 NVL72", "GB200 Grace Blackwell Superchip"),
        ("Configuration", "36 Grace CPU | 72 Blackwell GPUs", "1 Grace CPU | 2 Blackwell GPUs"),
        ("NVFP4 Tensor Core<sup>1</sup>", "1,440 | 720 PFLOPS", "40 | 20 PFLOPS"),
        ("FP8/FP6 Tensor Core<sup>2</sup>", "720 PFLOPS", "20 PFLOPS"),
        ("INT8 Tensor Core<sup>2</sup>", "720 POPS", "20 POPS"),
        ("FP16/BF16 Tensor Core<sup>2</sup>", "360 PFLOPS", "10 PFLOPS"),
        ("FP64 / FP64 Tensor Core", "2,880 TFLOPS", "80 TFLOPS"),
        ("GPU Memory | Bandwidth", "13.4 TB HBM3E | 576 TB/s", "372 GB HBM3E | 16 TB/s"),
        ("NVLink Bandwidth", "130 TB/s", "3.6 TB/s"),
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
            ("FP4 Tensor Core", "1,440 PFLOPS | 1,080 PFLOPS<sup>2</sup>"),
            ("FP8/FP6 Tensor Core", "720 PFLOPS"),
            ("INT8 Tensor Core", "24 POPS"),
            ("FP16/BF16 Tensor Core", "360 PFLOPS"),
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
        ("", "Vera Rubin NVL72", "Rubin GPU"),
        ("Configuration", "72 Rubin GPUs | 36 Vera CPUs", "1 Rubin GPU"),
        ("NVFP4 Inference", "3,600 PFLOPS", "50 PFLOPS"),
        ("NVFP4 Training<sup>2</sup>", "2,520 PFLOPS", "35 PFLOPS"),
        ("FP8/FP6 Training<sup>2</sup>", "1,260 PFLOPS", "17.5 PFLOPS"),
        ("INT8<sup>2</sup>", "18 POPS", "0.25 POPS"),
        ("FP16/BF16<sup>2</sup>", "288 PFLOPS", "4 PFLOPS"),
        ("GPU Memory | Bandwidth", "20.7 TB HBM4 | 1,580 TB/s", "288 GB HBM4 | 22 TB/s"),
        ("NVLink Bandwidth", "260 TB/s", "3.6 TB/s"),
    ) + notes(
        "1. Preliminary information. All values are up to and subject to change.", "2. Dense specification."
    )


def grace_hopper():
    return table(
        ("Feature", "GH200", "GH200 NVL2"),
        ("LPDDR5X size", "480GB (120GB, 240GB)", "960GB (240GB, 480GB)"),
        ("Memory bandwidth", "Up to 384GB/s<br>Up to 512GB/s", "Up to 768GB/s<br>Up to 1024GB/s"),
        ("FP64", "34 teraFLOPS", "68 teraFLOPS"),
        ("FP32", "67 teraFLOPS", "134 teraFLOPS"),
        ("BFLOAT16 Tensor Core", "1,979 teraFLOPS* | 990 teraFLOPS", "3,958 teraFLOPS* | 1,979 teraFLOPS"),
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
        ("FP32", "19.5 TFLOPS"),
        ("Tensor Float 32 (TF32)", "156 TFLOPS | 312 TFLOPS*"),
        ("BFLOAT16 Tensor Core", "312 TFLOPS | 624 TFLOPS*"),
        ("INT8 Tensor Core", "624 TOPS | 1248 TOPS*"),
        ("GPU Memory", "80GB HBM2e", "80GB HBM2e"),
        ("GPU Memory Bandwidth", "1,935 GB/s", "2,039 GB/s"),
        ("Max Thermal Design Power (TDP)", "300W", "400W ***"),
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
        ("FP32 TFLOPS", fp32),
        ("TF32 Tensor Core TFLOPS", tf32),
        ("BFLOAT16 Tensor Core TFLOPS", half),
        ("FP16 Tensor Core", half),
        ("FP8 Tensor Core", fp8),
        ("Peak INT8 Tensor TOPS", int8),
        ("Max Power Consumption", power),
        head_tag="td",
    ) + notes("*With Sparsity")


def turing():
    return table(
        ("Specification", "Values"),
        ("Single-Precision", "8.1 TFLOPS"),
        ("Mixed-Precision (FP16/FP32)", "65 TFLOPS"),
        ("INT8", "130 TOPS"),
        ("GPU Memory", "16 GB GDDR6<br>300 GB/sec"),
        ("Interconnect Bandwidth", "32 GB/sec"),
        ("System Interface", "x16 PCIe Gen3"),
        ("Power", "70 watts"),
    )


def volta():
    return table(
        ("", "V100 for NVLink", "V100 for PCIe"),
        ("Double-Precision", "7.8 teraFLOPS", "7 teraFLOPS"),
        ("Single-Precision", "15.7 teraFLOPS", "14 teraFLOPS"),
        ("Deep Learning", "125 teraFLOPS", "112 teraFLOPS"),
        ("Interconnect Bandwidth (bi-directional)", "NVLink 300 GB/s", "PCIe 32 GB/s"),
        ("Memory CoWoS Stacked HBM2", "32/16 GB HBM2<br>900 GB/s", "32/16 GB HBM2<br>900 GB/s"),
        ("Max Consumption", "300 watts", "250 watts"),
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


def pairs(*rows):
    return f"<dl>{''.join(f'<dt>{escape(term)}</dt><dd>{escape(value)}</dd>' for term, value in rows)}</dl>"


def instinct(memory, bandwidth, power, half, eight, fp32, fp64, *, link="128 GB/s", four=None):
    """Return a product page of Instinct; `half` and `eight` are rates without and, if any, with sparsity."""
    matrix = " Matrix" if four else ""  # pages of 2025 and later name the units of every format
    rates = (
        (f"Peak Eight-bit Precision{matrix} (FP8) Performance{{}} (E5M2, E4M3)", eight),
        (f"Peak Half Precision{matrix} (FP16) Performance{{}}", half),
        (f"Peak bfloat16{matrix}{{}}", half),
    )
    new = (
        ("Peak Microscaling Four-bit Precision Matrix (MXFP4) Performance", four),
        ("Peak Microscaling Six-bit Precision Matrix (MXFP6) Performance", four),
        ("Peak Half Precision (FP16) Performance", fp32),
    )
    return pairs(
        *(new if four else ()),
        *(
            (name.format(words), figure)
            for name, figures in rates
            for words, figure in zip(("", " with Structured Sparsity"), figures, strict=False)
        ),
        ("Peak Single Precision Matrix (FP32) Performance", fp32),
        ("Peak Double Precision Matrix (FP64) Performance", fp64),
        ("Peak Single Precision (FP32) Performance", fp32),
        ("Peak Double Precision (FP64) Performance", fp64),
        ("Dedicated Memory Size", memory),
        ("Dedicated Memory Type", "HBM3"),
        ("Peak Memory Bandwidth", bandwidth),
        ("Peak Infinity Fabric™ Link Bandwidth", link),
        ("Typical Board Power (TBP)", power),
    )


AMD = {
    "mi210": instinct("64 GB", "1.6 TB/s", "300W", ("181 TFLOPs",), (), "22.6 TFLOPs", "22.6 TFLOPs", link="100 GB/s"),
    "mi250": instinct("128 GB", "3.2 TB/s", "500W | 560W Peak", ("362.1 TFLOPs",), (), "45.3 TFLOPs", "45.3 TFLOPs", link="100 GB/s"),
    "mi250x": instinct("128 GB", "3.2 TB/s", "500W | 560W Peak", ("383 TFLOPs",), (), "47.9 TFLOPs", "47.9 TFLOPs", link="100 GB/s"),
    "mi300a": instinct("128 GB", "5.3 TB/s", "550W | 760W (Peak)", ("980.6 TFLOPs", "1.96 PFLOPs"), ("1.96 PFLOPs", "3.92 PFLOPs"), "122.6 TFLOPs", "61.3 TFLOPs"),
    "mi300x": instinct("192 GB", "5.3 TB/s", "750W Peak", ("1.3 PFLOPs", "2.61 PFLOPs"), ("2.61 PFLOPs", "5.22 PFLOPs"), "163.4 TFLOPs", "81.7 TFLOPs"),
    "mi325x": instinct("256 GB", "6 TB/s", "1000W Peak", ("1.3 PFLOPs", "2.61 PFLOPs"), ("2.61 PFLOPs", "5.22 PFLOPs"), "163.4 TFLOPs", "81.7 TFLOPs"),
    "mi350x": instinct("288 GB", "8 TB/s", "1000W Peak", ("2.3 PFLOPs", "4.61 PFLOPs"), ("4.61 PFLOPs", "9.22 PFLOPs"), "144.2 TFLOPs", "72.1 TFLOPs", link="153.6 GB/s", four="9.2 PFLOPs"),
    "mi355x": instinct("288 GB", "8 TB/s", "1400W Peak", ("2.5 PFLOPs", "5.03 PFLOPs"), ("5.03 PFLOPs", "10.06 PFLOPs"), "157.3 TFLOPs", "78.6 TFLOPs", link="153.6 GB/s", four="10.1 PFLOPs"),
}  # fmt: skip


def tpu(name, *rows, head=("Specification", "Values")):
    return f"<h1>{name}</h1>" + table(head, *rows)


def tpu_of_2024(bf16, int8, memory, bandwidth, link, dram, of_pod):
    """v5e and v6e: one row per value, including those of host and pod."""
    return (
        ("Peak compute per chip (bf16)", bf16),
        ("Peak compute per chip (Int8)", int8),
        ("HBM capacity per chip", memory),
        ("HBM bandwidth per chip", bandwidth),
        ("Bidirectional inter-chip interconnect (ICI) bandwidth (per chip)", link),
        ("DRAM per host", dram),
        ("TPU Pod size", "256 chips"),
        ("BF16 peak compute per Pod", of_pod),
        ("Bisection bandwidth per Pod", "1.6 TB/s"),
    )


GOOGLE = {
    "v3": tpu(
        "TPU v3",
        ("Peak compute per chip", "123 teraflops (bf16)"),
        ("HBM2 capacity and bandwidth", "32 GiB, 900 GBps"),
        ("Measured min/mean/max power", "123/220/262 W"),
        ("TPU Pod size", "1024 chips"),
        ("Peak compute per Pod", "126 petaflops (bf16)"),
        ("Bisection bandwidth per Pod", "6.4 TB/s"),
        head=("Key specifications", "v3 Pod values"),
    ),
    "v4": tpu(
        "TPU v4",
        ("Peak compute per chip", "275 teraflops (bf16 or int8)"),
        ("HBM2 capacity and bandwidth", "32 GiB, 1200 GBps"),
        ("Measured min/mean/max power", "90/170/192 W"),
        ("TPU Pod size", "4096 chips"),
        ("Peak compute per Pod", "1.1 exaflops (bf16 or int8)"),
        ("All-reduce bandwidth per Pod", "1.1 PB/s"),
        head=("Key specifications", "v4 Pod values"),
    ),
    "v5e": tpu(
        "TPU v5e",
        *tpu_of_2024("197 TFLOPs", "393 TOPs", "16 GB", "800 GiBps", "400 GBps", "512 GiB", "50.63 PFLOPs"),
    ),
    "v5p": tpu(
        "TPU v5p",
        ("Peak compute per chip (bf16)", "459 TFLOPs"),
        ("HBM2e capacity and bandwidth", "95 GB, 2765 GBps"),
        ("TPU Pod size", "8960 chips"),
        ("Inter-chip Interconnect BW", "4800 Gbps"),
        head=("Key specifications", "v5p values"),
    ),
    "v6e": tpu(
        "TPU v6e",
        *tpu_of_2024("918 TFLOPs", "1836 TOPs", "32 GB", "1638 GBps", "800 GBps", "1536 GiB", "234.9 PFLOPs"),
    ),
    "tpu7x": tpu(
        "TPU7x (Ironwood)",
        ("Number of chips per pod", "8960", "256", "9216"),
        ("Peak compute per chip (BF16) (TFLOPs)", "459", "918", "2307"),
        ("Peak compute per chip (FP8) (TFLOPs)", "459", "918", "4614"),
        ("HBM capacity per chip (GiB)", "95", "32", "192"),
        ("HBM bandwidth per chip (GBps)", "2765", "1638", "7380"),
        ("RAM (GB) (4-chip VM)", "448", "720", "960"),
        ("Bidirectional inter-chip interconnect (ICI) bandwidth per chip (GBps)", "1200", "800", "1200"),
        ("Data center network (DCN) bandwidth per chip (Gbps)", "50", "100", "100"),
        head=("Specification", "v5p", "v6e (Trillium)", "TPU7x (Ironwood)"),
    ),
}

GAUDI = {
    "gaudi3": table(
        ("Product Parameter", "Intel Gaudi", "Intel Gaudi 2", "Intel Gaudi 3"),
        ("TDP (OAM)", "400 W", "600W", "900W (Air)/1200W (Liquid)"),
        ("Peak Compute (BF16)", "60 TFLOPs", "432 TFLOPs", "1835 TFLOPs"),
        ("HBM Capacity", "32 GB", "96 GB", "128 GB"),
        ("Peak HBM BW", "900 GB/s", "2.46 TB/s", "3.67 TB/s"),
        ("Peak PCIe BW (bi-directional)", "64 GB/s", "64 GB/s", "128 GB/s"),
        ("Embedded NIC BW (bi-directional)", "2 Tb/s", "4.8 Tb/s", "9.6 Tb/s"),
        ("On-die SRAM Bandwidth (L2 Cache)", "-", "6.4 TB/s", "12.8 TB/s"),
    ),
    "architecture": """<h1>Gaudi Architecture</h1>
<p>The Intel® Gaudi® AI accelerator architecture includes three main subsystems - compute, memory, and networking.</p>
<p>Intel® Gaudi® 2 offers 2.4 Terabits of networking bandwidth with the native integration on-chip of 24 x 100 Gbps RoCE
V2 RDMA NICs.</p>
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
    module.PAGES[key][0]: document(body).encode()
    for module, bodies in ((nvidia, NVIDIA), (amd, AMD), (google_tpu, GOOGLE), (gaudi, GAUDI))
    for key, body in bodies.items()
}
MADE_RST = {f"{neuron.RAW}inferentia.rst": INFERENTIA}
