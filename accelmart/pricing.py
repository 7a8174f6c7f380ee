"""What an accelerator-hour is sold for now, and whether a quote is a low, a usual or a high price."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from accelmart.errors import QuestionError
from accelmart.names import ON_DEMAND, Names, check_region, read_day
from accelmart.published import Database, Table, reading


def prices(
    accelerator: str,
    *,
    quoted: float | None = None,
    pricing: str | None = ON_DEMAND,
    region: str | None = None,
    provider: str | None = None,
    as_of: date | str | None = None,
    database: Database = None,
) -> Table:
    """Return the cheapest current offer of each seller; of a quote, where it lies among them.

    Args:
        accelerator: key of dim_accelerator or a usual name, such as ``H100``.
        quoted: US dollars per accelerator-hour that a seller charges you; without it, offers are listed.
        pricing: on_demand, spot, reserved_1y, reserved_3y, capacity_block, marketplace; or, without a quote, ``all``.
        region: a region's name (``%`` is a wildcard), a country code, or a group: ``EU``, ``Europe``, ``Asia``;
            None is all.
        provider: a seller's key or common name, without a quote; None is all.
        as_of: prices of that day, YYYY-MM-DD; default: the day of the newest price.
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.

    Returns:
        Offers: one row per pricing model and seller, the rows of the function ``seller_offers``. In a region first
        sellers with all their sites inside, then those with some, then hyperscalers, each cheapest first; ``reason``
        says why an offer does not count. A quote: the row of the function ``price_quote``, with ``percentile`` (of
        the sellers, those that charge less), ``standing``, the next offers, the range that another neocloud would
        charge, and ``sentence``.

    Raises:
        QuestionError: a name stands for nothing or several, no offer matches, or the quote cannot be compared.
        NotPublishedError: there is no warehouse file.
    """
    with reading(database) as reader:
        names = Names(reader)
        check_region(reader, region)
        asked = {
            "accelerator": names.key("accelerator", accelerator),
            "pricing": names.pricing_model(pricing),
            "region": region,
            "as_of": read_day(as_of),
        }
        if quoted is None:
            answer = reader.ask("seller_offers", **asked, provider=names.optional("seller", provider))
        elif provider is not None or asked["pricing"] is None:
            raise QuestionError(
                "quoted is compared with all sellers under one pricing model: omit provider, and name pricing"
            )
        else:
            answer = reader.ask("price_quote", quoted=float(quoted), **asked)
        if not answer.rows:
            raise QuestionError(
                f"no seller has a comparable price of {asked['accelerator']} for these choices; try pricing all, "
                "another region, or any provider"
            )
        return replace(answer, notes=tuple(names.notes))
