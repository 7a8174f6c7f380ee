"""What an accelerator-hour is sold for now, how that moved, and whether a quote is a low, a usual or a high price."""

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
    machine_size: int | None = None,
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
        machine_size: least accelerators of a machine, without a quote; None is all.
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
            answer = reader.ask(
                "seller_offers",
                **asked,
                provider=names.optional("seller", provider),
                machine_size=machine_size,
            )
        elif provider is not None or machine_size is not None or asked["pricing"] is None:
            raise QuestionError(
                "quoted is compared with all sellers under one pricing model: omit provider and machine_size, and name "
                "pricing"
            )
        else:
            answer = reader.ask("price_quote", quoted=float(quoted), **asked)
        if not answer.rows:
            raise QuestionError(
                f"no seller has a comparable price of {asked['accelerator']} for these choices; try pricing all, "
                "another region, or any provider"
            )
        return replace(answer, notes=tuple(names.notes))


def history(accelerator: str, *, pricing: str = ON_DEMAND, database: Database = None) -> Table:
    """Return how the price of an hour moved: price level, index, changes over 1, 3 and 12 months.

    Args:
        accelerator: key of dim_accelerator or a usual name; several are separated by commas.
        pricing: on_demand, spot, reserved_1y, reserved_3y, capacity_block or marketplace.
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.

    Returns:
        One row an accelerator, the row of the function ``price_history``: the price level with low and high,
        ``index`` (100 in ``base_month``), ``change_1m_pct``, ``change_3m_pct`` and ``change_12m_pct`` with low and
        high, and ``months`` with their ``indices``, null in a month without an index.

    Raises:
        QuestionError: a name stands for nothing or several, or no price was observed.
        NotPublishedError: there is no warehouse file.
    """
    with reading(database) as reader:
        names = Names(reader)
        keys = [names.key("accelerator", word.strip()) for word in accelerator.split(",")]
        model = names.key("pricing model", pricing)
        answers = [reader.ask("price_history", accelerator=key, pricing=model) for key in keys]
        rows = [row for answer in answers for row in answer.rows]
        if not rows:
            raise QuestionError(f"no price of {', '.join(keys)} was observed in two months: {model}")
        return Table(answers[0].columns, rows, tuple(names.notes))
