"""Verda (DataCrunch until 2025): its price page. The API wants OAuth.

Shape as seen 2026-08 (https://verda.com/pricing, where datacrunch.io redirects to): schema.org data in ``<script
type="application/ld+json">``, one ``Offer`` a price: ``name`` "1x H100 SXM5 80GB on-demand", ``description`` "Hourly
on-demand instance price", ``price`` and ``priceCurrency``, both again in ``priceSpecification`` with ``unitText``. The
table people see rounds (1.718 is shown as $1.72), so the data is read, in the currency it names.

Read are GPU instances: on demand (fixed price), dynamic and spot, per instance-hour. Serverless containers, instant
clusters, CPU instances (their model is blank: " on-demand") and storage are other products. H100 stands there twice,
for 30 and for 32 vCPUs, under one name: a repeat while the prices agree, rejected when they do not. Names do not hold
the vCPUs that the API's types (1H100.80S.30V) are named for, so the page's words stay.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ingest.core.html_page import Page
from ingest.core.records import OutOfScope
from ingest.prices.money import stated
from ingest.prices.offers import read_moment
from ingest.prices.pages import PageAccount, page_source

URL = "https://verda.com/pricing"

_NAME = re.compile(r"(?P<type>(?P<count>\d+)x (?P<gpu>.+)) (?P<how>on-demand|fixed|dynamic|spot)")
_MODELS: dict[str, tuple[str, str | None]] = {
    "on-demand": ("on_demand", None),
    "fixed": ("on_demand", None),
    "dynamic": ("on_demand", "dynamic"),
    "spot": ("spot", None),
}
# a word of the name or of the description: why it is no GPU instance
_OTHER_PRODUCTS = {
    "serverless": "serverless container, another product",
    "cluster": "instant cluster, another product",
    "storage": "storage",
    "container registry": "storage",
}


def _offers(page: Page) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema.org Offer of the page, with where it stands."""

    for script in page.soup.find_all("script", type="application/ld+json"):
        try:
            document = json.loads(script.get_text())
        except (ValueError, RecursionError):
            continue  # another block may hold the offers; without any the page is refused
        waiting, number = [document], 0
        while waiting:
            node = waiting.pop()
            if isinstance(node, dict) and node.get("@type") == "Offer":
                number += 1
                yield str(node.get("@id") or f"offer {number}"), node
            children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
            waiting += reversed(list(children))  # in the order of the document


def _read_offer(account: PageAccount, record: str, offer: dict[str, Any]) -> None:
    name, description = str(offer.get("name", "")), str(offer.get("description", ""))
    for word, reason in _OTHER_PRODUCTS.items():
        if word in name.lower() or word in description.lower():
            raise OutOfScope(reason)
    if name.startswith((" ", "CPU")):
        raise OutOfScope("CPU instance")
    match = _NAME.fullmatch(name)
    if match is None:
        raise ValueError(f"the name {name!r} says no count, GPU and terms")
    how, count = match["how"], float(match["count"])
    if how not in description.lower() or "hourly" not in description.lower():
        raise ValueError(f"the description {description!r} does not say hourly and {how}")
    raw = offer.get("priceSpecification")
    detail: dict[str, Any] = offer | (raw if isinstance(raw, dict) else {})
    price = stated(offer.get("price"), offer.get("priceCurrency"))
    again = stated(detail.get("price"), detail.get("priceCurrency"))
    if price.problem is None and (price.amount, price.currency) != (again.amount, again.currency):
        raise ValueError(
            f"says {price.words} {price.currency} and, in priceSpecification, {again.words} {again.currency}"
        )
    if detail.get("unitText", "hour") != "hour":
        raise ValueError(f"is per {detail['unitText']!r}, not per hour")
    model, option = _MODELS[how]
    memory = re.search(r"(\d+)GB$", match["gpu"])
    account.price(
        record,
        price,
        price_unit="instance_hour",
        instance_type=match["type"],
        pricing_model=model,
        purchase_option=option,
        accelerator_published=match["gpu"],
        accelerator_memory_gb=float(memory[1]) if memory else None,
        accelerator_count=count,
        **_period(detail),
    )


def _period(said: dict[str, Any]) -> dict[str, Any]:
    """Return when the price starts and ends, by schema.org's names, as far as it is stated."""
    starts_at = read_moment(said.get("validFrom"), "validFrom")
    end = "validThrough" if said.get("validThrough") else "priceValidUntil"
    ends_at = read_moment(said.get(end), end, is_end=True)
    return {"starts_at": starts_at, "ends_at": ends_at} if starts_at or ends_at else {}


def _read(page: Page, account: PageAccount) -> None:
    """On-demand, dynamic and spot offers of GPU instances, per instance-hour, in the currency stated."""
    for where, offer in _offers(page):
        record = f"{where} ({str(offer.get('name', '')).strip()})"
        with account.catch(record):
            _read_offer(account, record, offer)


SOURCE = page_source(
    "verda",
    "Verda (formerly DataCrunch): price page",
    URL,
    _read,
    n_prices=(6, 200),
    parser_version=2,
)
