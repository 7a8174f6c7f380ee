"""Lambda: its price page, and its API, which needs a key.

Page (https://lambda.ai/pricing, shape as seen 2026-08): HubSpot islands. Under "Instances pricing" four tabs
``8x 4x 2x 1x`` (``<button role="tab" aria-controls=…>``), each a panel with a table of ``<tr data-plan="NVIDIA H100
SXM">`` and ``<td data-label="VRAM/GPU">``, ``vCPUs``, ``RAM``, ``STORAGE``, ``PRICE/GPU/HR*``. Prices are US$ per
GPU-hour without tax. Only the tab says how many GPUs an instance has, and the small ones cost more (H100 SXM 3.99,
4.09, 4.19, 4.29): sizes are different instance types here. Every table occurs again JSON-escaped in a script, which
an HTML parser does not see. "1-Click Clusters" above are contracts of two weeks to a year: another product.

API (https://cloud.lambda.ai/api/v1/instance-types, bearer key; documented at docs.lambda.ai): ``data{name:
{instance_type{description, price_cents_per_hour (per instance), specs{vcpus, memory_gib, gpus}},
regions_with_capacity_available[]}}``. One price for all regions; an offer can be had when any region has capacity.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from bs4 import Tag

from ingest.core import values
from ingest.core.fetch_plan import Fetch, Members, Request, bearer
from ingest.core.html import attribute, clean, text_of
from ingest.core.html_page import Page
from ingest.core.html_tables import read_table
from ingest.core.json_document import member_of, read_json
from ingest.core.records import OutOfScope, Parsed
from ingest.core.source import Source
from ingest.prices.money import money
from ingest.prices.offers import PriceOffer, currency_of, settled
from ingest.prices.pages import PAGE_LIMIT_BYTES, PageAccount, gigabytes, number, page_source

URL = "https://lambda.ai/pricing"
API_URL = "https://cloud.lambda.ai/api/v1/instance-types"
KEY_VARIABLE = "LAMBDA_API_KEY"

# (plan, VRAM/GPU) of the page: the API's name, where there is only one it can be
_API_NAMES = {
    ("NVIDIA B200 SXM6", 180): "gpu_{}x_b200_sxm6",
    ("NVIDIA H100 SXM", 80): "gpu_{}x_h100_sxm5",
    ("NVIDIA H100 PCIe", 80): "gpu_{}x_h100_pcie",
    ("NVIDIA GH200", 96): "gpu_{}x_gh200",
    ("NVIDIA A100 SXM", 80): "gpu_{}x_a100_80gb_sxm4",
    ("NVIDIA A10", 24): "gpu_{}x_a10",
    ("NVIDIA A6000", 48): "gpu_{}x_a6000",
    ("NVIDIA Quadro RTX 6000", 24): "gpu_{}x_rtx6000",
}
# the API says a100 for two boards: SXM4 where there are eight, PCIe where there are fewer
_API_NAMES_BY_COUNT = {
    ("NVIDIA A100 SXM", 40, 8): "gpu_8x_a100",
    ("NVIDIA A100 SXM", 40, 1): "gpu_1x_a100_sxm4",
    ("NVIDIA A100 PCIe", 40, 1): "gpu_1x_a100",
    ("NVIDIA A100 PCIe", 40, 2): "gpu_2x_a100",
    ("NVIDIA A100 PCIe", 40, 4): "gpu_4x_a100",
}
_V100_BY_VCPUS = {88: "gpu_8x_v100_n", 92: "gpu_8x_v100"}


def _instance_type(plan: str, memory: float | None, count: int, vcpus: float | None, vram: str) -> str:
    """The API's name where it is certain, else the page's words with the size before them."""
    gb = int(memory) if memory else 0
    if name := _API_NAMES.get((plan, gb)):
        return name.format(count)
    if name := _API_NAMES_BY_COUNT.get((plan, gb, count)):
        return name
    if (plan, gb, count) == ("NVIDIA Tesla V100", 16, 8) and (name := _V100_BY_VCPUS.get(int(vcpus or 0))):
        return name
    return clean(f"{count}x {plan} {vram}")


def _tab_of(table: Tag) -> str:
    """Return the label of the tab whose panel the table stands in; "" if that cannot be found.

    An id is unique in an island of the page, not on the page: only the tabs in the innermost element around the panel
    that has any are looked at, and of several with one id the last one before the panel.
    """
    panel = _panel_of(table)
    if panel is None:
        return ""
    for around in panel.parents:
        if tabs := [tab for tab in around.find_all(role="tab") if _panel_of(tab) is _panel_of(panel)]:
            opening = [tab for tab in tabs if _opens(tab, panel)]
            before = [tab for tab in panel.find_all_previous(role="tab") if any(tab is t for t in opening)]
            return text_of(next(iter(before or opening), None))
    return ""


def _panel_of(tag: Tag) -> Tag | None:
    return tag.find_parent(attrs={"role": "tabpanel"})


def _opens(tab: Tag, panel: Tag) -> bool:
    own, labelled_by = attribute(panel, "id"), attribute(panel, "aria-labelledby")
    by_panel = bool(own) and attribute(tab, "aria-controls") == own
    return by_panel or (bool(labelled_by) and attribute(tab, "id") == labelled_by)


def _read(page: Page, account: PageAccount) -> None:
    """On-demand offers of the page's instance tables, one row per plan and size, US$ per GPU-hour."""
    for t, table in enumerate(page.soup.find_all("table"), 1):
        rows = read_table(table)
        labels = {cell.header.upper() for row in rows for cell in row.cells}
        if not any(label.startswith("PRICE/GPU/HR") for label in labels):
            continue
        if "VRAM/GPU" not in labels:
            account.out_of_scope("cluster under contract, another product", len(rows))
            continue
        size = re.fullmatch(r"(\d+)x", _tab_of(table))
        for row in rows:
            plan, vram = row.get("Plan"), row.get("VRAM/GPU")
            record = f"table {t} row {row.number} ({plan})"
            price = next((c.text for c in row.cells if c.header.upper().startswith("PRICE/GPU/HR")), None)
            if row.problem or price is None or not plan:
                account.reject(record, row.problem or "has no plan or no price cell")
                continue
            if size is None:
                account.reject(record, "the tab that says how many GPUs this is per instance is not found")
                continue
            count, vcpus = int(size[1]), number(row.get("vCPUs"))
            memory = gigabytes(vram)
            account.price(
                record,
                money(price),
                price_unit="accelerator_hour",
                instance_type=_instance_type(plan, memory, count, vcpus, vram),
                pricing_model="on_demand",
                accelerator_published=plan,
                accelerator_memory_gb=memory,
                accelerator_count=float(count),
                vcpus=vcpus,
                memory_gb=gigabytes(row.get("RAM")),
            )


def plan_api(environment: Mapping[str, str]) -> Sequence[Fetch]:
    """One request with the bearer key of the environment; none without a key."""
    headers = bearer(environment, KEY_VARIABLE)
    return [Fetch(key="instance-types", first=Request(url=API_URL, headers=headers))] if headers else []


def parse_api(members: Members, *, key: str) -> Parsed[PriceOffer]:
    """On-demand offers of the API, US$ per instance-hour, the same in every region.

    Raises:
        PayloadRejected: not the documented envelope (an error message, for one).
    """
    parsed: Parsed[PriceOffer] = Parsed(
        payload=API_URL,
        remedy="look at the record; if the API has changed, mend ingest/prices/lambda_cloud.py",
    )
    for member, file in members:
        where = member or API_URL
        remedy = f"check {KEY_VARIABLE}, then the API's documentation"
        data = member_of(read_json(file.read(), where), "data", dict, where=where, remedy=remedy)
        parsed.read(len(data))
        for name, entry in data.items():
            with parsed.catch(f"data.{name}", payload=member):
                parsed.add(_api_offer(name, entry, member))
    return settled(parsed, API_URL)


def _api_offer(name: str, entry: Any, member: str) -> PriceOffer:
    """Return one instance type as an offer.

    Raises:
        OutOfScope: it has no accelerator.
        ValueError: price or count cannot be trusted; the message is the problem.
    """
    kind = entry.get("instance_type") if isinstance(entry, dict) else None
    if not isinstance(kind, dict):
        raise ValueError("has no instance_type")
    raw_specs, regions = kind.get("specs"), entry.get("regions_with_capacity_available")
    specs: dict[str, Any] = raw_specs if isinstance(raw_specs, dict) else {}
    cents, count = kind.get("price_cents_per_hour"), specs.get("gpus")
    description = str(kind.get("description"))
    in_name = re.match(r"gpu_(\d+)x_", name)
    if (count == 0 and in_name is None) or (count is None and name.startswith("cpu_")):
        raise OutOfScope("no accelerator")
    if not isinstance(cents, int) or not values.integer(cents):
        raise ValueError(f"price_cents_per_hour is {cents!r}")
    stated = in_name[1] if in_name else (re.match(r"(\d+)x ", description) or [None, None])[1]
    if not isinstance(count, int) or not values.integer(count) or str(count) != stated:
        raise ValueError(f"specs.gpus is {count!r}, the name states {stated!r}")
    words = kind.get("gpu_description")
    gpu = words if isinstance(words, str) and words else re.sub(r"^\d+x ", "", description)
    memory = re.search(r"\((\d+) GB\b", gpu)
    return PriceOffer(
        source="lambda-api",
        provider_published="lambda",
        instance_type=name,
        region=None,
        pricing_model="on_demand",
        price=cents / 100,
        price_published=str(cents),
        price_unit="instance_hour",
        currency=currency_of("USD", kind, entry),
        source_url=URL,
        member=member,
        record=f"data.{name}",
        accelerator_published=gpu,
        accelerator_memory_gb=values.number(memory[1]) if memory else None,
        accelerator_count=float(count),
        vcpus=values.number(specs.get("vcpus")),
        memory_gb=values.number(specs.get("memory_gib")),
        is_available=bool(regions) if isinstance(regions, list) else None,
    )


SOURCE = page_source(
    "lambda",
    "Lambda: price page",
    URL,
    _read,
    n_prices=(6, 120),
    anchors=("Instances pricing", "PRICE/GPU/HR"),
    parser_version=2,
)

SOURCE_API = Source(
    name="lambda-api",
    title="Lambda: instance types of its API",
    home_url="https://docs.lambda.ai/public-cloud/cloud-api/",
    licence="terms of the Lambda API; prices are facts",
    limit_bytes=PAGE_LIMIT_BYTES,
    plan=plan_api,
    parse=parse_api,
    needs=(KEY_VARIABLE,),
)
