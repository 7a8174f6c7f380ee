"""Azure retail prices: virtual machine sizes with GPUs, from the public Retail Prices API (checked 2026-09-16).

`retailPrice` is per VM-hour for Consumption meters and for the whole term for Reservation meters, although
`unitOfMeasure` says "1 Hour" for both. No meter says how many GPUs its size holds: that is for the seeds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from ingest.core.errors import PayloadRejected
from ingest.core.fetch_plan import Fetch, Members, Request
from ingest.core.json_document import member_of, read_json
from ingest.core.records import OutOfScope, Parsed
from ingest.core.source import Source
from ingest.prices.offers import (
    HOURS_1Y,
    HOURS_3Y,
    PriceOffer,
    TimedOffer,
    currency_of,
    read_moment,
    settled,
)

NAME = "azure-retail-prices"
API_HOST = "prices.azure.com"
API_URL = f"https://{API_HOST}/api/retail/prices"
# The preview is the version whose filter values are case-sensitive; its answers are a superset of the stable ones.
API_VERSION = "2023-01-01-preview"

# Microsoft's families of sizes with GPUs: NC compute, ND training, NV and NG visualisation. Other N-series hold
# no GPU (NP: FPGA, NM: media accelerators).
FAMILIES = ("NC", "ND", "NV", "NG")
MAX_PAGES = 200  # of up to 1,000 meters; the largest family has some 20

_GPU_SIZE = re.compile(r"Standard_N[CDGV][A-Z]*\d\w*", re.IGNORECASE)
# Words of a meter's names beside those of its size; "expired" (a promotion that ended) and "free" are not sold. The
# 33,803 meters of five regions had no other words in August 2026.
_METER_WORD = re.compile(r"(?<![a-z\d])[a-z]{3,}(?![a-z\d])")
_METER_TERMS = {"": None, "spot": "spot", "low priority": "low_priority", "reserved": "reserved"}
# Last word of a product's name, in full or abbreviated ("NCCadsv5 Srs Win"); none is Linux too
_SYSTEMS = {"windows": re.compile("(?i)(?=..)wi?n?d?o?w?s?"), "linux": re.compile("(?i)(?=..)li?n?u?x?")}
_TERMS = {"1 Year": ("reserved_1y", HOURS_1Y), "3 Years": ("reserved_3y", HOURS_3Y)}
# No GPU size costs less per hour in any currency: a reservation below it is an hourly price taken for a whole term.
_LEAST_HOURLY = 0.01
_MOST = 1e9  # of any currency, for three years


def _filter_url(odata_filter: str) -> str:
    return f"{API_URL}?api-version={API_VERSION}&meterRegion='primary'&$filter={quote(odata_filter, safe='')}"


def plan(environment: Mapping[str, str]) -> Sequence[Fetch]:
    """One chain of pages per family of GPU sizes: four fetches of a few thousand meters each, no key needed.

    A sweep of all VM meters is some 150 pages, and region by region it is 60 requests or more; the families need
    about 30. Their pages are few, so that ``$skip`` has little time to shift (a meter met twice is a duplicate).
    """
    fetches = []
    for family in FAMILIES:
        wanted = (
            f"serviceName eq 'Virtual Machines' and contains(armSkuName, 'Standard_{family}') "
            "and (priceType eq 'Consumption' or priceType eq 'Reservation')"
        )
        first = Request(url=_filter_url(wanted), member=_member(1))
        fetches.append(Fetch(key=family.lower(), first=first, follow=follow, max_requests=MAX_PAGES))
    return fetches


def _member(page: int) -> str:
    return f"page-{page:04}.json"


def follow(request: Request, answer: bytes) -> Request | None:
    """The request for the next page, None after the last one.

    Raises:
        PayloadRejected: the answer is no page of prices, its link leads to another host, or the links do not
            lead on (`$skip` must grow: so a chain of pages can never come round).
    """
    link = _page(answer, request.url).get("NextPageLink")
    if not link:
        return None
    problem = None
    try:
        parts = urlsplit(str(link))
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme != "https" or parts.hostname != API_HOST or port not in (None, 443):
        problem = f"NextPageLink leads to {str(link)[:100]!r}, which is not https://{API_HOST}"
    elif _skip(str(link)) <= _skip(request.url):
        problem = f"NextPageLink leads to a page already asked ({str(link)[-60:]!r}): endless paging"
    if problem:
        raise PayloadRejected(
            payload=request.url,
            problem=problem,
            remedy="look at the answer; if the paging of the API has changed, change ingest/prices/azure.py",
        )
    return Request(url=str(link), member=_member(int(re.sub(r"\D", "", request.member)) + 1))


def _skip(url: str) -> int:
    value = dict(parse_qsl(urlsplit(url).query)).get("$skip", "0")
    return int(value) if value.isdecimal() else 0


def _page(body: bytes, where: str) -> dict[str, Any]:
    page = read_json(body, where)
    member_of(page, "Items", list, where=where, remedy="look at the answer: an error page or a changed API")
    return dict(page)


def parse(members: Members, *, key: str) -> Parsed[PriceOffer]:
    """Offers of GPU sizes: on demand, spot and reservations, Linux and Windows.

    Low Priority (the price of Batch before spot) is spot with the variant ``low_priority``. A reservation has
    price 0 and its whole price upfront. A change of price stands beside the present price beforehand: a row states
    when it starts and ends (`TimedOffer`).

    Args:
        members: the pages.
        key: family swept; not needed to read them.

    Raises:
        PayloadRejected: a page is no answer of the API.
    """
    parsed: Parsed[PriceOffer] = Parsed(
        payload=NAME, remedy="look at the meter; if it is right, teach ingest/prices/azure.py to read it"
    )
    pages = [(member, _page(file.read(), member or NAME)) for member, file in members]
    items = [item for _, page in pages for item in page["Items"] if isinstance(item, dict)]
    products = {_text(item, "productName") for item in items}
    for member, page in pages:
        parsed.read(len(page["Items"]))
        for i, item in enumerate(page["Items"]):
            record = f"Items[{i}]"
            with parsed.catch(record, payload=member):
                parsed.add(_offer(item, page, products, member, record))
    if pages and page.get("NextPageLink"):
        parsed.warn(
            "NextPageLink",
            "the last page links to more pages, which this payload lacks",
            payload=member,
            remedy="refresh the source; offers of the missing pages are not seen in this payload",
        )
    return settled(parsed, NAME)


def _text(item: dict[str, Any], name: str) -> str:
    return str(item.get(name) or "").strip()


def _require_scope(item: dict[str, Any]) -> None:
    """Raise `OutOfScope` for a meter of something else. A key that a collector removed excludes nothing."""
    product = _text(item, "productName")
    if _text(item, "serviceName") not in ("", "Virtual Machines") or "Cloud Services" in product:
        raise OutOfScope("not a virtual machine")
    if "Dedicated Host" in product:
        raise OutOfScope("dedicated host")
    if not _GPU_SIZE.fullmatch(_text(item, "armSkuName")):
        raise OutOfScope("no GPU size")
    if item.get("type") == "DevTestConsumption":
        raise OutOfScope("price for test subscriptions")
    if item.get("isPrimaryMeterRegion") is False:
        raise OutOfScope("not the primary meter")  # repeats the price of the one that is
    if item.get("type") == "Reservation" and item.get("reservationTerm") == "5 Years":
        raise OutOfScope("five-year reservation")


def _offer(item: Any, page: dict[str, Any], products: Set[str], member: str, record: str) -> PriceOffer:
    """Return the offer of a meter; raise `OutOfScope` or, for a meter that cannot be trusted, `ValueError`."""
    if not isinstance(item, dict):
        raise ValueError(f"a meter was expected, this is {str(item)[:60]!r}")
    _require_scope(item)
    size, region = _text(item, "armSkuName"), _text(item, "armRegionName")
    if not region:
        raise ValueError(f"{size} has no armRegionName")
    if item.get("unitOfMeasure") != "1 Hour":
        raise ValueError(f"unitOfMeasure of {size} is {item.get('unitOfMeasure')!r}, not '1 Hour'")
    if item.get("tierMinimumUnits"):
        raise ValueError(f"{size} has a volume tier (tierMinimumUnits {item['tierMinimumUnits']!r})")
    amount = item.get("retailPrice")
    if isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 < amount < _MOST:
        raise ValueError(f"retailPrice of {size} is {amount!r}")
    currency = currency_of("", item, page)
    if not currency:
        raise ValueError(f"currencyCode of {size} is missing")

    price, upfront, term_hours, variant = float(amount), 0.0, None, None
    kind = item.get("type")
    term_of_meter = _meter_term(item)
    if kind == "Reservation":
        term = _text(item, "reservationTerm")
        if term not in _TERMS:
            raise ValueError(f"reservationTerm of {size} is {item.get('reservationTerm')!r}")
        model, term_hours = _TERMS[term]
        if term_of_meter in ("spot", "low_priority") or amount / term_hours < _LEAST_HOURLY:
            raise ValueError(
                f"reservation of {size} ({_text(item, 'meterName')}) for {term} at {amount!r} "
                "is no price of the whole term"
            )
        price, upfront = 0.0, float(amount)
    elif kind == "Consumption" and term_of_meter != "reserved":
        model = "spot" if term_of_meter else "on_demand"
        variant = "low_priority" if term_of_meter == "low_priority" else None
    else:
        raise ValueError(f"type of {size} ({_text(item, 'meterName')}) is {kind!r}")

    seen_at = f"serviceName eq 'Virtual Machines' and armSkuName eq '{size}' and armRegionName eq '{region}'"
    return TimedOffer(
        source=NAME,
        provider_published="azure",
        instance_type=size,
        region=region,
        pricing_model=model,
        price=price,
        price_published=str(amount),
        price_unit="instance_hour",
        currency=currency,
        source_url=_filter_url(seen_at),
        member=member,
        record=record,
        operating_system=_operating_system(_text(item, "productName"), products),
        variant=variant,
        upfront=upfront,
        term_hours=term_hours,
        starts_at=read_moment(item.get("effectiveStartDate"), "effectiveStartDate"),
        ends_at=read_moment(item.get("effectiveEndDate"), "effectiveEndDate", is_end=True),
    )


def _meter_term(item: dict[str, Any]) -> str | None:
    """Return the term in the meter's names beside the size: ``spot``, ``low_priority``, ``reserved`` or nothing.

    Raises:
        OutOfScope: the meter is not sold.
        ValueError: the words contradict each other, or may change what the price is for.
    """
    meter, size = _text(item, "meterName"), _text(item, "armSkuName").lower()
    named = set(_METER_WORD.findall(f"{meter} {_text(item, 'skuName')}".lower()))
    words = " ".join(sorted(word for word in named if word not in size))
    if not_sold := named & {"expired", "free"}:
        raise OutOfScope(f"{min(not_sold)} meter")
    if not meter or words not in _METER_TERMS:
        raise ValueError(
            f"the words {words!r} of meterName {meter!r} and skuName contradict or are not known"
        )
    return _METER_TERMS[words]


def _operating_system(product: str, products: Set[str]) -> str:
    """Return the system that a product's name ends in: Linux and Windows share meterName and skuName.

    Raises:
        ValueError: it does not say; the name of another of the products and a word more is not Linux by default.
    """
    base, _, last = product.rpartition(" ")
    for system, words in _SYSTEMS.items():
        if words.fullmatch(last):
            return system
    if not product or base in products or re.search(r"(?i)\bwin", product):
        raise ValueError(f"productName {product!r} does not say which operating system the price holds for")
    return "linux"


SOURCE = Source(
    name=NAME,
    title="Azure retail prices of virtual machine sizes with GPUs",
    home_url="https://azure.microsoft.com/en-us/pricing/calculator/",
    licence="Microsoft's published price list (Azure terms)",
    plan=plan,
    parse=parse,
    parser_version=3,
)
