"""What a million output tokens cost, on which accelerator, where, on a day: measured throughput and current prices."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import date

from accelmart.calibration import level_errors
from accelmart.errors import QuestionError
from accelmart.names import ON_DEMAND, Names, check_region, read_day, region_note
from accelmart.published import Database, Reader, Row, Table, reading

# Of each accelerator the result that stands for it; those with a price level first, cheapest first. Beside it what the
# sellers of both ask for it and for the first one, as a ratio of the costs of a token, for the newest prices only.
_HEADLINES = """
with headlines as (
    from cost_headline(as_of := $as_of, release := $release) as h
    where h.benchmark_id = $model and h.scenario = $scenario
        and h.pricing_model = $pricing and h.is_best_of_accelerator
),

first as (
    from headlines order by usd_per_output_mtok_at_level, usd_per_output_mtok_median, accelerator_id limit 1
)

select
    h.*,
    s.ratio_median * f.output_tokens_per_s_per_accelerator / h.output_tokens_per_s_per_accelerator as same_seller_ratio,
    s.n_sellers as n_same_sellers,
    case when h.accelerator_id <> f.accelerator_id then intermediate.verdict_on_cost(
        h.usd_per_output_mtok_at_level, h.usd_per_output_mtok_at_level_low, h.usd_per_output_mtok_at_level_high,
        f.usd_per_output_mtok_at_level, f.usd_per_output_mtok_at_level_low, f.usd_per_output_mtok_at_level_high
    ) end as standing
from headlines as h
cross join first as f
left join mart_same_seller_ratio as s
    on $as_of is null and h.accelerator_id = s.accelerator_id and f.accelerator_id = s.other_accelerator_id
    and h.pricing_model = s.pricing_model
order by h.apart_reason is not null, h.usd_per_output_mtok_at_level, h.usd_per_output_mtok_median, h.accelerator_id
"""


# Options that narrow the offers, and the column of an offer that each is about; without the first, the second.
_OPTIONS = {
    "provider": ("provider",),
    "pricing": ("pricing_model",),
    "region": ("region", "country"),
    "release": ("release",),
}


def rank(
    model: str,
    scenario: str = "Server",
    *,
    pricing: str | None = ON_DEMAND,
    provider: str | None = None,
    region: str | None = None,
    release: str | None = None,
    max_j_per_token: float | None = None,
    carbon: bool = False,
    max_extra_cost_pct: float | None = None,
    as_of: date | str | None = None,
    database: Database = None,
) -> Table:
    """Rank offers by what a million output tokens cost: of each accelerator the cheapest of each seller.

    Each accelerator has sellers of its own, so that these offers compare sellers: to compare accelerators use `compare`
    or `headlines`, which are at price levels (what an average neocloud would ask).

    Args:
        model: MLCommons' benchmark, such as ``llama3.1-405b``; case, hyphens and dots do not matter.
        scenario: Offline, Server or Interactive.
        pricing: on_demand, spot, reserved_1y, reserved_3y, capacity_block, marketplace; or ``all``.
        provider: a seller's key or common name, such as ``aws`` or ``amazon``; None is all.
        region: a region's name (``%`` is a wildcard), a country code, or a group: ``EU``, ``Europe``, ``Asia``;
            None is all. Offers without a region are in none: a note counts their sellers.
        release: an MLPerf round, such as ``v6.0``; None is any: the best available result stands for the accelerator.
        max_j_per_token: most joules per output token with the default PUE: measured where there are some, else
            modelled (``energy_basis``). Offers above it are not ranked.
        carbon: rank the offers that cost little more than the cheapest by kg CO2e of their electricity, lowest first.
        max_extra_cost_pct: with carbon: per cent that an offer may cost above the cheapest of a known grid; default 10.
        as_of: prices as they held on that day, YYYY-MM-DD; default: the day of the newest price.
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.

    Returns:
        One row per offer: ``usd_per_output_mtok`` (US dollars per million output tokens at full use),
        ``usd_per_accelerator_hour``, the submission and the offer used, and ``size_note`` where the price is of fewer
        accelerators than were measured. Offers that cannot be ranked, and those of accelerators without an available
        result (preview, research), come last, with ``rank_reason``; before them those of which the price is no longer
        current (``price_standing``), cheapest first as the others. With carbon one row per accelerator, seller, pricing
        model and region: ``carbon_rank``, ``kg_co2e_per_output_mtok`` with low and high, ``extra_cost_pct``, the grid,
        and ``carbon_rank_reason`` where it has no rank. ``notes``: what names were taken for, sellers without a region.

    Raises:
        QuestionError: there is no such benchmark with results in tokens, seller, pricing model, region or round, no
            offer matches all of them, or max_j_per_token is not positive; the message says what there is.
        NotPublishedError: there is no warehouse file.
    """
    if max_extra_cost_pct is not None and not carbon:
        raise QuestionError("max_extra_cost_pct narrows an order by carbon: add carbon")
    if max_j_per_token is not None and carbon:
        raise QuestionError("max_j_per_token and carbon cannot be combined: leave one of them out")
    with reading(database) as reader:
        names = Names(reader)
        keys = _keys(names, model, scenario, pricing, release, as_of)
        keys |= {"provider": names.optional("seller", provider), "region": region}
        check_region(reader, region)
        limits = {"max_j_per_token": max_j_per_token, "max_extra_cost_pct": max_extra_cost_pct}
        given = {name: float(limit) for name, limit in limits.items() if limit is not None}
        offers = reader.ask("carbon_per_mtok" if carbon else "cost_per_mtok", **keys, **given)
        if not offers.rows:
            raise QuestionError(_why_empty(reader, keys))
        excluded = region_note(reader, region, keys["model"], keys["pricing"], keys["as_of"])
        return replace(offers, notes=(*names.notes, *excluded))


def is_narrowed(asked: Row) -> bool:
    """Return whether a question to `rank` is about some offers, which price levels do not answer."""
    return bool(asked.get("carbon")) or any(
        asked.get(name) is not None for name in ("provider", "region", "max_j_per_token")
    )


def headlines(
    model: str,
    scenario: str = "Server",
    *,
    pricing: str = ON_DEMAND,
    release: str | None = None,
    as_of: date | str | None = None,
    database: Database = None,
) -> Table:
    """Return US dollars per million output tokens of each accelerator at its price level, cheapest first.

    Args:
        model: MLCommons' benchmark key.
        scenario: Offline, Server or Interactive.
        pricing: a pricing model; of ``all``, on_demand.
        release: an MLPerf round; None is any: the best available result stands for the accelerator.
        as_of: prices and rounds as they were on that day; None is the day of the newest price.
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.

    Returns:
        The columns of mart_cost_headline and ``same_seller_ratio``: cost of a token against the first accelerator at
        the sellers of both (median; ``n_same_sellers``), for the newest prices. Accelerators without a level come last,
        with ``level_reason``, and without a median with ``reason``; those without an available result (preview,
        research) last of all, with ``apart_reason`` and no cost.

    Raises:
        QuestionError: there is no such benchmark with results in tokens.
        NotPublishedError: there is no warehouse file.
    """
    with reading(database) as reader:
        names = Names(reader)
        headlined = reader.table(_HEADLINES, _keys(names, model, scenario, pricing, release, as_of))
        return replace(headlined, notes=(*names.notes, *level_errors(reader)))


def _keys(
    names: Names,
    model: str,
    scenario: str,
    pricing: str | None,
    release: str | None,
    as_of: date | str | None,
) -> Row:
    """Return options as keys of the warehouse; the model is checked first."""
    return {
        "model": names.key("model", model),
        "scenario": names.key("MLPerf scenario", scenario),
        "pricing": names.pricing_model(pricing),
        "release": names.optional("round", release),
        "as_of": read_day(as_of),
    }


def _why_empty(reader: Reader, keys: Row) -> str:
    """Return why no offer is left: what each option alone takes away, and which other values it may have."""
    given = {name: keys[name] for name in _OPTIONS if keys[name] is not None}
    asked = ", ".join(f"{name} {word}" for name, word in given.items())
    day = keys["as_of"] or reader.one("select newest_price_day() as day")["day"]
    lines = [f"no offer on {day} matches {keys['model']} {keys['scenario']}{', ' + asked if asked else ''}"]
    for name in given:
        offers = reader.ask("cost_per_mtok", **keys | {name: None}).records()
        values = Counter(next(filter(None, map(row.get, _OPTIONS[name])), None) for row in offers)
        if others := sorted(filter(None, values), key=lambda value: (-values[value], value)):
            lines.append(f"with another {name} ({', '.join(others)}) there are offers")
    first = reader.one(
        "select min(cast(valid_from as date)) as day from fct_price_interval where is_comparable"
    )
    if first["day"] is not None and day < first["day"]:
        lines.append(f"prices begin on {first['day']}")
    return "; ".join(lines)
