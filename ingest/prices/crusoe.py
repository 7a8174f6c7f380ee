"""Crusoe Cloud: its price page. Its API lists types without prices and wants signed requests.

Shape as seen 2026-07 to 2026-10 (Webflow, in the server's HTML): a ``.pricing-gap`` per product, with
``.pricing-heading`` column heads and a ``.pricing_gpu-item`` per line. The GPU table is the one headed ``GPU model |
On-demand | Current spot``; a line is ``<h4>NVIDIA A100</h4>``, two ``.pricing-tag`` (memory, form factor, the second
may be empty) and a ``.pricing-rich`` cell per price column. The two A100 lines differ by their tags only.
Prices read ``$3.90/GPU-hr``. GB200, B200 and MI355X say "Contact sales": estimates of others are no observations.
Lines of other products look the same: CPU (``/vCPU-hr``), tokens, and "Self-Serve Deployments" of the same chips.
"""

from __future__ import annotations

from ingest.core.html import clean, text_of
from ingest.core.html_page import Page
from ingest.prices.money import money
from ingest.prices.pages import PageAccount, gigabytes, page_source

URL = "https://www.crusoe.ai/cloud/pricing"

_MODELS = {"on-demand": "on_demand", "current spot": "spot", "spot": "spot"}
# heading and tags of a line: the gpu_type of Crusoe's API ("HGX" is a board of SXM modules)
_GPU_TYPES = {
    ("NVIDIA GB200", "186GB", "NVL72"): "GB200-NVL-186GB",
    ("NVIDIA B200", "180GB", "HGX"): "B200-SXM-180GB",
    ("NVIDIA H200", "141GB", "HGX"): "H200-SXM-141GB",
    ("NVIDIA H100", "80GB", "HGX"): "H100-SXM-80GB",
    ("NVIDIA A100", "80GB", "SXM"): "A100-SXM-80GB",
    ("NVIDIA A100", "80GB", "PCIe"): "A100-PCIe-80GB",
    ("NVIDIA A100", "40GB", "PCIe"): "A100-PCIe-40GB",
    ("NVIDIA L40S", "48GB", ""): "L40S-48GB",
    ("NVIDIA A40", "48GB", ""): "A40-PCIe-48GB",
    ("AMD MI300X", "192GB", ""): "MI300X-192GB",
    ("AMD MI355X", "288GB", ""): "MI355X_288GB",
}


def _read(page: Page, account: PageAccount) -> None:
    """On-demand and spot offers, US$ per GPU-hour; `instance_type` is the API's gpu_type, else the page's words."""
    for group in page.soup.select(".pricing-gap"):
        heads = [text_of(h) for h in group.select(".pricing-table-heading .pricing-heading")]
        if not heads or heads[0].lower() != "gpu model":
            continue
        for i, item in enumerate(group.select(".pricing_gpu-item"), 1):
            words = text_of(item.find("h4"))
            memory, form, *more = [*(text_of(tag) for tag in item.select(".pricing-tag")), "", ""]
            name = clean(f"{words} {memory} {form} {' '.join(more)}")
            record = f"GPU model line {i} ({name})"
            cells = item.select(".pricing-rich")
            if len(cells) != len(heads) - 1:
                account.reject(record, f"has {len(cells)} price cells under {heads[1:]}")
                continue
            for head, cell in zip(heads[1:], cells, strict=True):
                where = f"{record}, {head}"
                model = _MODELS.get(head.lower())
                price = money(text_of(cell))
                if model is None:
                    account.out_of_scope("a price column of other terms")
                elif price.amount is not None and price.per != "gpu-hour":
                    account.reject(where, f"{price.words!r} does not say /GPU-hr")
                else:
                    account.price(
                        where,
                        price,
                        price_unit="accelerator_hour",
                        instance_type=_GPU_TYPES.get((words, memory, form), name),
                        pricing_model=model,
                        accelerator_published=name,
                        accelerator_memory_gb=gigabytes(memory),
                    )


SOURCE = page_source(
    "crusoe",
    "Crusoe Cloud: price page",
    URL,
    _read,
    n_prices=(3, 60),
    anchors=("GPU model", "On-demand"),
)
