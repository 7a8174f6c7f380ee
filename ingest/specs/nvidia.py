"""NVIDIA product pages: one spec table a product family, a SKU a column.

Shape as seen 2024 to 2026: rows such as ``BFLOAT16 Tensor Core``, a footnote mark on the row or on the figure for "with
sparsity" (Hopper, Ada), ``dense | sparse*`` in one cell (Ampere, Ada), ``sparse | dense`` under a footnote
(Blackwell Ultra, whose sparse FP4 is *not* twice the dense), and on the GB300 page one footnote at the head that all
Tensor Core rates are with sparsity "unless otherwise noted". HGX tables give boards of eight, NVL72 tables racks and
superchips: the count is in the head or in a row. NVLink figures are both directions together.
"""

from __future__ import annotations

from ingest.specs.vendor_pages import vendor_source

HOME = "https://www.nvidia.com/en-us/data-center/"
PAGES = {
    "h100": (f"{HOME}h100/", "NVIDIA H100 SXM"),
    "h200": (f"{HOME}h200/", "NVIDIA H200 SXM"),
    "hgx": (f"{HOME}hgx/", ""),
    "dgx-b200": (f"{HOME}dgx-b200/", "NVIDIA DGX B200"),
    "gb200-nvl72": (f"{HOME}gb200-nvl72/", "GB200 NVL72"),
    "gb300-nvl72": (f"{HOME}gb300-nvl72/", "GB300 NVL72"),
    "vera-rubin-nvl72": (f"{HOME}vera-rubin-nvl72/", "Vera Rubin NVL72"),
    "grace-hopper": (f"{HOME}grace-hopper-superchip/", "GH200"),
    "a100": (f"{HOME}a100/", ""),
    "a30": (f"{HOME}products/a30-gpu/", "NVIDIA A30"),
    "a10": (f"{HOME}products/a10-gpu/", "NVIDIA A10"),
    "a2": (f"{HOME}products/a2/", "NVIDIA A2"),
    "a40": (f"{HOME}a40/", "NVIDIA A40"),
    "l4": (f"{HOME}l4/", "NVIDIA L4"),
    "l40": (f"{HOME}l40/", "NVIDIA L40"),
    "l40s": (f"{HOME}l40s/", "NVIDIA L40S"),
    "t4": (f"{HOME}tesla-t4/", "NVIDIA T4"),
    "v100": (f"{HOME}v100/", ""),
    "rtx-pro-6000-server": (
        f"{HOME}rtx-pro-6000-blackwell-server-edition/",
        "NVIDIA RTX PRO 6000 Blackwell Server Edition",
    ),
}

SOURCE = vendor_source(
    name="nvidia",
    title="NVIDIA product pages",
    home_url=HOME,
    pages=PAGES,
    link_is_bidirectional=True,
)
