"""Google Cloud prices of accelerator machine types and TPUs, put together from the SKUs of the billing catalogue.

The catalogue has no price of a machine: it lists GPUs, cores, RAM and local SSD by region, and descriptions are the
only join to machine families (descriptions seen between June and October 2026). What a machine type is made of
is in `ingest.prices.gcp_machines`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from accelmart.urls import public_url
from ingest.core.errors import PayloadRejected
from ingest.core.fetch_plan import Fetch, Members, Request
from ingest.core.json_document import read_json
from ingest.core.records import Parsed
from ingest.core.source import Source
from ingest.prices.gcp_offers import machine_and_tpu_offers, plausible_offers
from ingest.prices.gcp_skus import NAME, HourlyRates, sku_part, sku_rate, sku_regions
from ingest.prices.offers import PriceOffer, settled

KEY_VARIABLE = "GCP_API_KEY"
API_URL = "https://cloudbilling.googleapis.com/v1/services"
SERVICES = {"compute-engine": "6F81-5844-456A", "cloud-tpu": "E000-3F24-B8AA"}
PAGE_SIZE, MAX_PAGES = 5_000, 60


def plan(environment: Mapping[str, str]) -> Sequence[Fetch]:
    """Compute Engine and Cloud TPU, each a chain of pages; nothing without the key in `KEY_VARIABLE`."""
    api_key = environment.get(KEY_VARIABLE, "").strip()
    if not api_key:
        return []
    query = urlencode({"currencyCode": "USD", "pageSize": PAGE_SIZE})
    headers = {"X-Goog-Api-Key": api_key}
    return [
        Fetch(
            key=key,
            first=Request(url=f"{API_URL}/{service}/skus?{query}", headers=headers, member=_member(1)),
            follow=follow,
            max_requests=MAX_PAGES,
        )
        for key, service in SERVICES.items()
    ]


def _member(page: int) -> str:
    return f"page-{page:04}.json"


def follow(request: Request, answer: bytes) -> Request | None:
    """The request for the next page, None after the last one.

    Raises:
        PayloadRejected: the answer is no page of SKUs, or leads back to the page just asked.
    """
    token = _page(answer, public_url(request.url)).get("nextPageToken")
    if not token:
        return None
    parts = urlsplit(request.url)
    query = dict(parse_qsl(parts.query))
    if token == query.get("pageToken"):
        raise PayloadRejected(
            payload=public_url(request.url),
            problem="nextPageToken is the token of the page just asked: endless paging",
            remedy="look at the answer; if the paging of the API has changed, change ingest/prices/gcp.py",
        )
    number = int(re.sub(r"\D", "", request.member))
    url = urlunsplit(parts._replace(query=urlencode(query | {"pageToken": str(token)})))
    return Request(url=url, headers=request.headers, member=_member(number + 1))


def _page(body: bytes, where: str) -> dict[str, Any]:
    page = read_json(body, where)
    # an empty list is left out of Google's JSON: a last page may hold its (empty) token alone
    if (
        isinstance(page, dict)
        and isinstance(page.get("skus", []), list)
        and {"skus", "nextPageToken"} & set(page)
    ):
        return page
    raise PayloadRejected(
        payload=where,
        problem=f"an object with a list of skus was expected, this is {str(page)[:100]!r}",
        remedy="look at the answer: an error (is the key allowed to use the Cloud Billing API?) or a changed API",
    )


def parse(members: Members, *, key: str) -> Parsed[PriceOffer]:
    """Machine types and TPUs by region: on demand, spot, and commitments of one and three years.

    Records are the SKUs and, besides, every offer attempted: a machine type (or TPU) in each region and pricing model
    in which its accelerator has a price. So ``records_in`` is SKUs + attempts: a SKU that took part in an attempt is
    `merged`; an attempt becomes a row, or a reject that names the part without a price.

    A commitment is billed hourly, without upfront. The list has prices, not availability: where Google does not
    start a type on demand, its list price is marked so and is not available. A row names its SKUs in `record`;
    `member` is the page of the accelerator's. TPUs are priced per chip, v2 to v4 apart as device and as pod.

    Args:
        members: the pages.
        key: service; not needed to read them.

    Raises:
        PayloadRejected: a page is no answer of the API.
    """
    parsed: Parsed[PriceOffer] = Parsed(
        payload=NAME,
        remedy="look at the record; if it is right, teach ingest/prices/gcp_skus.py to read it",
    )
    rates = HourlyRates()
    new_names: dict[str, tuple[str, str, str]] = {}
    read: set[int] = set()
    page: dict[str, Any] = {}
    member = ""
    for member, file in members:
        page = _page(file.read(), member or NAME)
        for i, sku in enumerate(page.get("skus", [])):
            parsed.read()
            is_sku = isinstance(sku, dict) and sku.get("skuId")
            with parsed.catch(f"sku {sku['skuId']}" if is_sku else f"skus[{i}]", payload=member):
                if not is_sku:
                    raise ValueError(f"a SKU was expected, this is {str(sku)[:60]!r}")
                part, model = sku_part(sku, member, new_names)
                rate = sku_rate(sku, part, member, parsed.records_in)
                for region in sku_regions(sku):
                    rates.by_part[part, model, region].append(rate)
                read.add(rate.index)
    for of_member, record, problem in new_names.values():
        parsed.warn(record, problem, payload=of_member)
    if page.get("nextPageToken"):
        problem = "the last page links to more pages, which this payload lacks"
        parsed.warn("nextPageToken", problem, payload=member)

    offers = machine_and_tpu_offers(rates, parsed)
    parsed.rows = plausible_offers(offers, parsed)
    parsed.merged = len(rates.used)
    if idle := len(read - rates.used):
        parsed.out_of_scope("part of machines whose GPU has no price there", idle)
    return settled(parsed, NAME)


SOURCE = Source(
    name=NAME,
    title="Google Cloud billing catalogue: accelerator machine types and TPUs",
    home_url="https://cloud.google.com/skus",
    licence="Google's published price list (Google Cloud terms)",
    limit_bytes=256 << 20,  # Compute Engine has tens of thousands of SKUs of some 2 kB
    plan=plan,
    parse=parse,
    parser_version=2,
    needs=(KEY_VARIABLE,),
)
