"""A million tokens: what they cost to produce against what they are sold for; their electricity and carbon by place."""

from __future__ import annotations

from dataclasses import replace

from accelmart.errors import QuestionError
from accelmart.names import ON_DEMAND, Names
from accelmart.published import Database, Row, Table, reading


def tokens(model: str, scenario: str = "Server", *, database: Database = None) -> Table:
    """Return what a million tokens of a model cost to produce, and what providers charge for them.

    Both are of input and output tokens together, in the proportion of the benchmark. A price covers more than
    accelerators, so the two are compared and never subtracted.

    Args:
        model: MLCommons' benchmark, such as ``llama3.1-405b``; case, hyphens and dots do not matter.
        scenario: Offline, Server or Interactive.
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.

    Returns:
        ``row_kind`` cost: an accelerator rented on demand at its price level, at full use and at ``low_use_pct`` per
        cent use, with low and high, and the median price charged next to it. ``price``: the list price of a provider,
        its day, and for how many days it is unchanged. ``price apart``: discounts, prices of some hours, related
        models; ``apart_reason``. Without published lengths there is no figure, and a ``reason``.

    Raises:
        QuestionError: there is no such benchmark with results in tokens, or nothing is known of its tokens.
        NotPublishedError: there is no warehouse file.
    """
    with reading(database) as reader:
        names = Names(reader)
        keys = {
            "model": names.key("model", model),
            "scenario": names.key("MLPerf scenario", scenario),
        }
        answer = reader.ask("token_cost_and_price", **keys)
        if not answer.rows:
            raise QuestionError(f"there is neither a cost nor a price of tokens of {keys['model']}")
        return replace(answer, notes=tuple(names.notes))


def electricity(
    model: str, places: str, scenario: str = "Server", *, pricing: str = ON_DEMAND, database: Database = None
) -> Table:
    """Return electricity, carbon and rent of a million output tokens in some places.

    Args:
        model: MLCommons' benchmark, such as ``llama3.1-405b``; case, hyphens and dots do not matter.
        places: separated by commas: countries (Germany or DE), groups (EU, Europe, Asia), US states (US-TX), regions of
            clouds.
        scenario: Offline, Server or Interactive.
        pricing: pricing model of the rent.
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.

    Returns:
        One row per accelerator and place, least electricity first: kWh (modelled, with PUE), kg CO2e and US dollars of
        it, each with low and high, and the cheapest recent rent of a seller with a site there. The electricity is in
        the rent already. ``carbon_to_lowest_place``: carbon against the place with the least, at equal energy.
        ``reason`` says what is missing.

    Raises:
        QuestionError: there is no such benchmark with results in tokens, pricing model or place.
        NotPublishedError: there is no warehouse file.
    """
    with reading(database) as reader:
        names = Names(reader)
        answer = reader.ask(
            "electricity_per_mtok",
            model=names.key("model", model),
            places=places,
            scenario=names.key("MLPerf scenario", scenario),
            pricing=names.key("pricing model", pricing),
        )
        if not answer.rows:
            raise QuestionError(f"places is {places!r}: name at least one, such as DE, SE")
        return replace(answer, notes=tuple(names.notes))


def charged_words(row: Row) -> str:
    """Return what providers charge, from a row of the cost of tokens: median, range, day and providers."""
    if row["usd_per_total_mtok_charged"] is None:
        return "no price to compare with"
    low, high = row["usd_per_total_mtok_charged_low"], row["usd_per_total_mtok_charged_high"]
    return (
        f"{row['usd_per_total_mtok_charged']:.4g} charged: median of {row['n_providers']} providers, {low:.4g} to "
        f"{high:.4g}, listed on {row['charged_as_of']}, {row['n_providers_unchanged_for_a_year']} unchanged for a year "
        f"({row['providers']})"
    )
