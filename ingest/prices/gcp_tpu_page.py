"""Google Cloud's page of TPU prices: the list price of each TPU version by region, landed from a file."""

from __future__ import annotations

import json
import re
from typing import Any

from ingest.core.errors import PayloadRejected
from ingest.core.fetch_plan import Members, nothing_to_fetch
from ingest.core.records import Parsed
from ingest.core.source import Source
from ingest.prices.dated import is_dated
from ingest.prices.gcp_offers import TPU_PRICES_URL, plausible_offers
from ingest.prices.gcp_skus import OLD_TPU_TYPES, UnusableSku
from ingest.prices.offers import PriceOffer, settled

NAME_TPU = "gcp-tpu-price-page"

_PAGE_TPU = re.compile(r"TPU v(\w+?)(?: (pod|device))?")
_PAGE_TYPES = {"5e": "ct5lp-hightpu-1t", "5p": "ct5p-hightpu-1t", "6e": "ct6e-standard-1t"}
_PAGE_PRICES = {"On Demand (USD)": "on_demand", "Spot (USD)": "spot"}


def parse_tpu_page(members: Members, *, key: str) -> Parsed[PriceOffer]:
    """Offers of the TPU price page as curated in gpuhunt's ``tpu_pricing.json``: US$ per chip-hour.

    A record is one price, of a TPU in a region. A spot price above the one on demand is rejected.

    Args:
        members: one JSON object: TPU -> region -> prices.
        key: must say when the page was read (``tpu@2024-12-23``): the file does not.

    Raises:
        PayloadRejected: it is no such object, or the key has no date.
    """
    parsed: Parsed[PriceOffer] = Parsed(
        payload=NAME_TPU,
        remedy="look at the record; if it is right, teach ingest/prices/gcp_tpu_page.py to read it",
    )
    offers: list[PriceOffer] = []
    if not is_dated(key):
        raise PayloadRejected(
            payload=NAME_TPU,
            problem=f"the key {key!r} does not say when these prices were read, and the file does not either",
            remedy="land it under a key with a date, such as tpu@2024-12-23",
        )
    for member, file in members:
        for name, regions in _object(file.read(), member).items():
            if not isinstance(regions, dict):
                parsed.read()
                parsed.reject(name, f"regions of {name!r} are {regions!r}", payload=member)
                continue
            for region, prices in regions.items():
                for words, model in _PAGE_PRICES.items():
                    parsed.read()
                    record = f"{name}.{region}.{words}"
                    price = prices.get(words) if isinstance(prices, dict) else prices
                    if price is None:
                        parsed.out_of_scope("no price given")
                        continue
                    try:
                        offers.append(_page_offer(name, region, model, price, member, record))
                    except ValueError as e:
                        parsed.reject(record, str(e), payload=member)
    parsed.rows = plausible_offers(offers, parsed)
    return settled(parsed, NAME_TPU)


def _object(body: bytes, member: str) -> dict[str, Any]:
    try:
        table = json.loads(body)
    except ValueError as e:
        table = e
    if isinstance(table, dict) and any(str(name).startswith("TPU ") for name in table):
        return table
    raise PayloadRejected(
        payload=member or NAME_TPU,
        problem=f"an object of TPUs was expected, this is {str(table)[:100]!r}",
        remedy="look at the file; it should be gpuhunt's tpu_pricing.json",
    )


def _page_offer(name: str, region: str, model: str, price: object, member: str, record: str) -> PriceOffer:
    said = _PAGE_TPU.fullmatch(name)
    version, variant = (said[1], said[2]) if said else ("", None)
    instance_type = OLD_TPU_TYPES.get((version, variant)) if variant else _PAGE_TYPES.get(version)
    if instance_type is None:
        raise UnusableSku(f"{name!r} is no TPU known here")
    if isinstance(price, bool) or not isinstance(price, int | float) or not 0 < price < 1e7:
        raise UnusableSku(f"the {model} price of {name} in {region} is {price!r}")
    return PriceOffer(
        source=NAME_TPU,
        provider_published="gcp",
        instance_type=instance_type,
        region=region,
        pricing_model=model,
        price=float(price),
        price_published=str(price),
        price_unit="accelerator_hour",
        currency="USD",
        source_url=TPU_PRICES_URL,
        member=member,
        record=record,
        variant=variant,
        accelerator_published=name,
    )


SOURCE_TPU = Source(
    name=NAME_TPU,
    title="Google Cloud TPU price page, as curated in gpuhunt",
    home_url=TPU_PRICES_URL,
    licence="MPL-2.0 (gpuhunt's tpu_pricing.json); prices: Google's published price page",
    plan=nothing_to_fetch,
    parse=parse_tpu_page,
    rank=3,
    polls_to_close=0,
)
