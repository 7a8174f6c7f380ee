"""Which compared attributes the words of a specification's row are about."""

from __future__ import annotations

import re

from ingest.core.figures import without_marks
from ingest.core.spec_value import UNITS

FORMATS = {
    **dict.fromkeys(("bf16", "bfloat16"), "bf16_dense_tflops"),
    **dict.fromkeys(("fp16", "half precision"), "fp16_dense_tflops"),
    **dict.fromkeys(
        ("fp8", "mxfp8", "cfp8", "eight-bit precision", "8-bit precision", "e5m2", "e4m3"), "fp8_dense_tflops"
    ),
    **dict.fromkeys(("fp4", "mxfp4", "nvfp4"), "fp4_dense_tflops"),
    "tf32": "tf32_dense_tflops",
    **dict.fromkeys(("fp32", "single precision"), "fp32_tflops"),
    **dict.fromkeys(("fp64", "double precision"), "fp64_tflops"),
    "int8": "int8_dense_tops",
}
_FORMAT = re.compile(r"(?<![a-z0-9])(" + "|".join(sorted(FORMATS, key=len, reverse=True)) + r")(?![a-z0-9])")
_NOT_OURS = re.compile(
    r"cache|sram|sbuf|system memory|\blds\b|register|clock|\bcpu\b|\bgrace\b|lpddr|\bhost\b|\bdram\b|\bdma\b"
    r"|network|data.?center|\bnic\b|efa\b|pci|c2c|interface|memory type|memory pool|improvement|price|cost"
    r"|decoder|encoder|bisection|all.?reduce|\bslice\b|sparsecore|\bint4\b|\bint16\b|fast memory|fabric\W* link"
)
LINK = re.compile(r"nvlink|neuronlink|\bici\b|inter-?chip|infinity fabric|interconnect|scale-?up|gpu-to-gpu")


def attributes_of(words: str) -> dict[str, tuple[str, ...]]:
    """Return the attributes that a row's words name: what is measured → attributes. Empty: none that is compared.

    FP64 and FP32 of tensor or matrix units are other figures than the plain (vector) ones we compare.
    """
    low = without_marks(words).lower()
    if re.search(
        r"\btdp\b|\btbp\b|\btgp\b|thermal design|board power|max(?:imum)?\.? (?:power|consumption)"
        r"|^power consumption|^power$",
        low,
    ):
        return {"watts": ("tdp_w",)}
    named = [FORMATS[f] for f in _FORMAT.findall(low.replace("-precision", " precision"))]
    if "mixed" in low:  # "Mixed-Precision (FP16/FP32)": FP16 is multiplied, FP32 adds up
        named = [a for a in named if a != "fp32_tflops"]
    if named and not _NOT_OURS.search(low.replace("tensor cores", "tensor").replace("tensor core", "tensor")):
        is_matrix = bool(re.search(r"tensor|matrix", low))
        names_both = bool(re.search(r"fp(64|32)\s*/\s*fp\1\s*tensor", low))
        plain = ("fp64_tflops", "fp32_tflops")
        kept = [a for a in named if not (a in plain and is_matrix and not names_both)]
        if "vector" in low:
            kept = [a for a in kept if a in plain]
        rates = tuple(dict.fromkeys(a for a in kept if UNITS[a] == "TFLOP/s"))
        integer = tuple(dict.fromkeys(a for a in kept if UNITS[a] == "TOP/s"))
        return {k: v for k, v in (("flops", rates), ("ops", integer)) if v}
    if re.search(r"memory|hbm|vram", low) and not _NOT_OURS.search(low):
        return {"bytes": ("memory_gb",), "bytes/s": ("memory_bandwidth_gb_s",)}
    if LINK.search(low) and not _NOT_OURS.search(low):
        return {"bytes/s": ("scale_up_bandwidth_gb_s",)}
    return {}
