"""What a million output tokens cost, on which accelerator, where, on a day: measured throughput and prices in force."""

from __future__ import annotations

import math
from datetime import date
from typing import Any

from accelmart.asked import check_region, pricing_model_named, region_note, seller_named
from accelmart.errors import QuestionError
from accelmart.published import Database, Reader, Table, reading
from accelmart.words import did_you_mean, plain, unknown

# Formulas and choice of prices are a macro of the published file (dbt_project/macros): nothing is computed here.
_RANKED = """
from cost_per_mtok(
    $benchmark_id, $scenario,
    pricing := $pricing, provider := $provider, region := $region, release := $release, day := $day,
    max_j_per_token := $max_j_per_token
)
"""

_BY_CARBON = """
from carbon_per_mtok(
    $benchmark_id, $scenario,
    max_extra_cost_pct := $extra, pricing := $pricing, provider := $provider, region := $region, release := $release,
    as_of := $day
)
"""

# Of each accelerator the result that stands for it; those with a price level first, cheapest first. Beside it what the
# sellers of both ask for it and for the first one, as a ratio of the costs of a token, for the newest prices only.
_HEADLINES = """
with headlines as (
    from cost_headline(as_of := $day, release := $release) as h
    where h.benchmark_id = $benchmark_id and h.scenario = $scenario
        and h.pricing_model = coalesce($pricing, 'on_demand') and h.is_best_of_accelerator
),

first as (
    from headlines order by usd_per_output_mtok_at_level, usd_per_output_mtok_median, accelerator_id limit 1
)

select
    h.*,
    s.ratio_median * f.output_tokens_per_s_per_accelerator / h.output_tokens_per_s_per_accelerator as same_seller_ratio,
    s.n_sellers as n_same_sellers
from headlines as h
cross join first as f
left join mart_same_seller_ratio as s
    on $day is null and h.accelerator_id = s.accelerator_id and f.accelerator_id = s.other_accelerator_id
    and h.pricing_model = s.pricing_model
order by h.apart_reason is not null, h.usd_per_output_mtok_at_level, h.usd_per_output_mtok_median, h.accelerator_id
"""


# What an option names, and the column of an offer that it narrows.
_OPTIONS = {
    "provider": "provider",
    "pricing": "pricing_model",
    "region": "coalesce(region, country)",
    "release": "release",
}
_WITHOUT_OPTION = """
select {column} as value, count(*) as n
{ranked}
where {column} is not null
group by all
order by n desc, value
"""


def rank(
    model: str,
    scenario: str = "Server",
    *,
    pricing: str | None = "on_demand",
    provider: str | None = None,
    region: str | None = None,
    release: str | None = None,
    max_j_per_token: float | None = None,
    as_of: date | None = None,
    database: Database = None,
) -> Table:
    """Return the cheapest offer of each seller and pricing model for each accelerator with a result, cheapest first.

    Args:
        model: MLCommons' benchmark key, such as ``llama3.1-405b``; case, hyphens and dots do not matter.
        scenario: Offline, Server or Interactive.
        pricing: a pricing model; ``all`` or None is every one.
        provider: a seller's key or common name, such as ``aws`` or ``amazon``; None is all.
        region: a region's name (``%`` is a wildcard), a country code, or a group: ``EU``, ``Europe``, ``Asia``;
            None is all. Offers without a region are in none: `region_sentence` counts their sellers.
        release: an MLPerf round, such as ``v6.0``; None is any: the best available result stands for the accelerator.
        max_j_per_token: most joules per output token with the default PUE: measured where there are some, else
            modelled (``energy_basis``). Offers above it are not ranked.
        as_of: prices as they held on that day; None is the day of the newest price.
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.

    Returns:
        One row per offer: ``usd_per_output_mtok`` (US dollars per million output tokens at full use),
        ``usd_per_accelerator_hour``, the submission and the offer used, and ``size_note`` where the price is of fewer
        accelerators than were measured. Offers that cannot be ranked, and those of accelerators without an available
        result (preview, research), come last, with ``rank_reason``.

    Raises:
        QuestionError: there is no such benchmark with results in tokens, seller, pricing model, region or round, no
            offer matches all of them, or max_j_per_token is not positive; the message says what there is.
        NotPublishedError: there is no warehouse file.
    """
    if max_j_per_token is not None and not 0 < max_j_per_token < math.inf:
        raise QuestionError(f"max_j_per_token is {max_j_per_token:g}: it must be above 0")
    with reading(database) as reader:
        values = _benchmark(reader, model, scenario)
        options = _checked(reader, pricing=pricing, provider=provider, region=region, release=release)
        values["max_j_per_token"] = max_j_per_token
        offers = reader.table(_RANKED, {**values, **options, "day": as_of})
        if not offers.rows:
            raise QuestionError(_why_empty(reader, values, options, as_of))
        return offers


def rank_by_carbon(
    model: str,
    scenario: str = "Server",
    *,
    max_extra_cost_pct: float = 10.0,
    pricing: str | None = "on_demand",
    provider: str | None = None,
    region: str | None = None,
    release: str | None = None,
    as_of: date | None = None,
    database: Database = None,
) -> Table:
    """Return the offers that cost little more than the cheapest, by the carbon of their electricity, lowest first.

    Args:
        model: MLCommons' benchmark key, such as ``llama3.1-405b``.
        scenario: Offline, Server or Interactive.
        max_extra_cost_pct: how many per cent an offer may cost above the cheapest one of a known grid.
        pricing: a pricing model; ``all`` or None is every one.
        provider: a seller's key or common name; None is all.
        region: a region's name (``%`` is a wildcard), a country code or a group such as ``EU``; None is all.
        release: an MLPerf round; None is any: the best available result stands for the accelerator.
        as_of: prices as they held on that day; None is the day of the newest price.
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.

    Returns:
        One row per accelerator, seller, pricing model and region, of its cheapest offer: ``carbon_rank``,
        ``kg_co2e_per_output_mtok`` with ``_low`` and ``_high`` (kg CO2e per million output tokens),
        ``usd_per_output_mtok``, ``extra_cost_pct``, and the grid (``grid_level``, ``grid_year``). What cannot be ranked
        comes last, with ``carbon_rank_reason``: an offer without a region has no figure for carbon.

    Raises:
        QuestionError: as for `rank`, or max_extra_cost_pct is negative.
        NotPublishedError: there is no warehouse file.
    """
    if not math.isfinite(max_extra_cost_pct) or max_extra_cost_pct < 0:
        raise QuestionError(f"--max-extra-cost is {max_extra_cost_pct:g}: it must be 0 or more (per cent)")
    with reading(database) as reader:
        values = _benchmark(reader, model, scenario)
        options = _checked(reader, pricing=pricing, provider=provider, region=region, release=release)
        offers = reader.table(_BY_CARBON, {**values, **options, "day": as_of, "extra": max_extra_cost_pct})
        if not offers.rows:
            raise QuestionError(_why_empty(reader, values, options, as_of))
        return offers


def region_sentence(
    model: str,
    region: str | None,
    *,
    pricing: str | None = "on_demand",
    as_of: date | None = None,
    database: Database = None,
) -> str | None:
    """Return a sentence that counts the sellers who state no region, whom an answer for a region leaves out.

    Args:
        model: MLCommons' benchmark key: only sellers of accelerators with a result of it are counted.
        region: as in `rank`; None gives None.
        pricing: a pricing model; ``all`` or None is every one.
        as_of: prices as they held on that day; None is the day of the newest price.
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.

    Raises:
        QuestionError: there is no such benchmark or pricing model.
        NotPublishedError: there is no warehouse file.
    """
    with reading(database) as reader:
        benchmark_id = _benchmark(reader, model, None)["benchmark_id"]
        return region_note(reader, region, benchmark_id, pricing_model_named(reader, pricing), as_of)


def headlines(
    model: str,
    scenario: str = "Server",
    *,
    pricing: str | None = None,
    release: str | None = None,
    as_of: date | None = None,
    database: Database = None,
) -> Table:
    """Return US dollars per million output tokens of each accelerator at its price level, cheapest first.

    Args:
        model: MLCommons' benchmark key.
        scenario: Offline, Server or Interactive.
        pricing: a pricing model; None is on_demand.
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
        values = _benchmark(reader, model, scenario)
        pricing = pricing_model_named(reader, pricing)
        return reader.table(_HEADLINES, {**values, "pricing": pricing, "release": release, "day": as_of})


def price_current_days(database: Database = None) -> int:
    """Return the days after which a price is no longer current."""
    with reading(database) as reader:
        return int(reader.one("select price_current_days() as days")["days"])


def _benchmark(reader: Reader, model: str, scenario: str | None) -> dict[str, Any]:
    """Return the keys of a benchmark and scenario as people type them; an error lists the known ones."""
    known = reader.rows("select distinct benchmark_id, scenario from mart_token_throughput order by all")
    models = {plain(str(r["benchmark_id"])): str(r["benchmark_id"]) for r in known}
    scenarios = {str(r["scenario"]).lower(): str(r["scenario"]) for r in known}
    wanted = (scenario or "server").lower()
    if plain(model) not in models or wanted not in scenarios:
        hint = (
            did_you_mean(wanted, scenarios.values())
            if plain(model) in models
            else did_you_mean(model, models.values())
        )
        raise QuestionError(
            f"there are no token results for {model} {scenario or ''}.{hint} "
            f"Models: {', '.join(sorted(models.values()))}; scenarios: {', '.join(sorted(scenarios.values()))}"
        )
    return {"benchmark_id": models[plain(model)], "scenario": scenarios[wanted]}


def _checked(
    reader: Reader, *, pricing: str | None, provider: str | None, region: str | None, release: str | None
) -> dict[str, str | None]:
    """Return the options as keys of the warehouse; an unknown one is an error that lists what there is."""
    check_region(reader, region)
    if release is not None:
        known = reader.words("select distinct release from mart_token_throughput order by all")
        if release not in known:
            raise QuestionError(unknown("round", release, known))
    return {
        "pricing": pricing_model_named(reader, pricing),
        "provider": seller_named(reader, provider),
        "region": region,
        "release": release,
    }


def _why_empty(
    reader: Reader, values: dict[str, Any], options: dict[str, str | None], as_of: date | None
) -> str:
    """Return why no offer is left: what each option alone takes away, and which other values it may have."""
    given = {name: word for name, word in options.items() if word is not None}
    asked = " ".join(f"--{name} {word}" for name, word in given.items())
    day = as_of or reader.one("select newest_price_day() as day")["day"]
    lines = [f"no offer on {day} matches {values['benchmark_id']} {values['scenario']} {asked}".rstrip()]
    for name in given:
        others = reader.words(
            _WITHOUT_OPTION.format(column=_OPTIONS[name], ranked=_RANKED),
            {"max_j_per_token": None, **values, **options, name: None, "day": as_of},
        )
        if others:
            lines.append(f"with another --{name} ({', '.join(others)}) there are offers")
    first = reader.one(
        "select min(cast(valid_from as date)) as day from fct_price_interval where is_comparable"
    )
    if first["day"] is not None and day < first["day"]:
        lines.append(f"prices begin on {first['day']}")
    return "; ".join(lines)
