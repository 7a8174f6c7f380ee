"""Read the JSON form of an AWS price list, as a stream."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

import ijson  # type: ignore[import-untyped]

from ingest.core.errors import PayloadRejected
from ingest.prices.aws_offers import (
    FETCH_AGAIN,
    HEAD_BYTES,
    LOOK_UPSTREAM,
    NO_PRICE,
    AwsAccount,
    ListedProduct,
    ListedRate,
    require_ec2,
    without_accelerator,
)

# JSON says productFamily beside the attributes; names are compared in lower case, they are spelled unevenly.
_ATTRIBUTES = (
    *("instancetype", "instancefamily", "gpu", "gpumemory", "locationtype", "regioncode"),
    *("tenancy", "capacitystatus", "preinstalledsw", "operatingsystem", "licensemodel", "operation"),
    *("marketoption", "vcpu", "memory"),
)  # fmt: skip


def _words(value: Any) -> str:
    return "" if value is None else str(value).strip()


def _require_ec2_json(head: bytes, where: str, version: str) -> None:
    """Raise `PayloadRejected` unless ``offerCode`` and ``version``, before the products, are those of the list."""
    metadata: dict[str, str] = {}
    try:
        for prefix, event, value in ijson.parse(io.BytesIO(head)):
            if prefix in ("products", "terms"):
                break
            if event == "string":
                metadata[prefix] = value
    except ijson.JSONError:
        pass  # cut where the head ends, or damaged: what is missing is missed below
    require_ec2(metadata.get("offerCode"), metadata.get("version"), where, version)


def _json_items(file: BinaryIO, where: str, prefixes: Sequence[str]) -> Iterator[tuple[str, str, Any]]:
    """(prefix, key, value) of the members of the objects at `prefixes`, in the order they come; streamed."""
    items: dict[str, Any] = {prefix: ijson.sendable_list() for prefix in prefixes}
    readers = [ijson.kvitems_coro(items[prefix], prefix) for prefix in prefixes]
    try:
        while block := file.read(HEAD_BYTES):
            for reader in readers:
                reader.send(block)
            for prefix in prefixes:
                for key, value in items[prefix]:
                    yield prefix, key, value
                del items[prefix][:]
        for reader in readers:
            reader.close()
    except ijson.JSONError as e:
        is_cut = "EOF" in str(e)  # yajl calls every error incomplete
        raise PayloadRejected(
            payload=where,
            problem=f"its JSON {'is cut off' if is_cut else 'cannot be read'} ({_first_line(e)})",
            remedy=FETCH_AGAIN,
        ) from e


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _json_product(value: Any) -> ListedProduct | str | None:
    """A product with accelerators, why it is left out, or None if it cannot be read."""
    if not isinstance(value, dict) or not isinstance(attributes := value.get("attributes"), dict):
        return None
    by_name = {str(name).lower(): text for name, text in attributes.items()}
    product = ListedProduct(
        _words(value.get("productFamily")), *(_words(by_name.get(name)) for name in _ATTRIBUTES)
    )
    return (
        without_accelerator(product.family, product.instance_type, product.instance_family, product.gpu)
        or product
    )


def _json_rates(term_type: str, sku: str, terms: Any) -> Iterator[ListedRate | str]:
    """The rates of one SKU, or where one should be and is not."""
    if not isinstance(terms, dict):
        yield f"terms.{term_type}.{sku}"
        return
    for name, term in terms.items():
        dimensions = term.get("priceDimensions") if isinstance(term, dict) else None
        if not isinstance(dimensions, dict) or not isinstance(term.get("termAttributes", {}), dict):
            yield f"terms.{term_type}.{name}"
            continue
        options = term.get("termAttributes", {})
        for code, rate in dimensions.items():
            prices = rate.get("pricePerUnit") if isinstance(rate, dict) else None
            if not isinstance(prices, dict) or not prices:
                yield f"rate code {code}"
                continue
            currency = "USD" if "USD" in prices else next(iter(prices))
            yield ListedRate(
                sku=sku,
                term=_words(term.get("offerTermCode")) or str(name).rpartition(".")[2],
                code=_words(rate.get("rateCode")) or str(code),
                term_type=term_type,
                unit=_words(rate.get("unit")),
                price=_words(prices[currency]),
                currency=str(currency),
                begin=_words(rate.get("beginRange")),
                end=_words(rate.get("endRange")),
                lease=_words(options.get("LeaseContractLength")),
                option=_words(options.get("PurchaseOption")),
                offering_class=_words(options.get("OfferingClass")),
                starts=_words(term.get("effectiveDate")),
            )


def read_json(file: io.BufferedReader, account: AwsAccount, version: str) -> None:
    """Put the price dimensions of a JSON list into the account.

    Args:
        file: at the start of the list.
        account: of the payload.
        version: 14 digits that the list must state; "" for any.

    Raises:
        PayloadRejected: not an EC2 price list, not of the wanted version, damaged or cut off.
    """
    where = account.payload
    _require_ec2_json(file.peek(HEAD_BYTES), where, version)
    products: dict[str, ListedProduct | str | None] = {}
    priced: set[str] = set()
    # ijson works in blocks, so products and terms that end and begin in one block come in this order
    for prefix, sku, value in _json_items(file, where, ("products", "terms.OnDemand", "terms.Reserved")):
        if prefix == "products":
            products[sku] = _json_product(value)
            continue
        if not products:
            problem = "its terms stand before its products"
            raise PayloadRejected(payload=where, problem=problem, remedy=LOOK_UPSTREAM)
        priced.add(sku)
        product = products.get(sku)
        for rate in _json_rates(prefix.removeprefix("terms."), sku, value):
            account.read()
            record = rate if isinstance(rate, str) else rate.record
            if isinstance(product, str):
                account.out_of_scope(product)
            elif product is None:
                problem = "unreadable" if sku in products else "absent"
                account.reject(record, f"the product of SKU {sku} is {problem}")
            elif isinstance(rate, str):
                account.reject(record, f"{product.instance_type}: no price can be read here")
            else:
                account.add_rate(product, rate)
    if not products:
        raise PayloadRejected(payload=where, problem="it has no products", remedy=LOOK_UPSTREAM)
    unpriced = len(products.keys() - priced)
    account.read(unpriced)
    account.out_of_scope(NO_PRICE, unpriced)
