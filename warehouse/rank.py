"""What a million tokens cost, on which accelerator, where, on a day: measured throughput times prices in force."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from ingest.core.errors import AccelmartError
from ingest.core.words import did_you_mean, plain
from warehouse.query import query

# Formulas and choice of prices are a macro of the published file (dbt_project/macros): nothing is computed here.
_RANKED = """
from cost_per_mtok(
    $benchmark_id, $scenario,
    pricing := $pricing, provider := $provider, region := $region, release := $release, day := $day
)
"""

# Of each accelerator its latest round; the ranked ones first.
_HEADLINES = """
select h.*, t.output_tokens_per_s_per_accelerator
from cost_headline(as_of := $day) as h
inner join mart_token_throughput as t using (benchmark_id, scenario, release, accelerator_id)
left join dim_release as r on r.suite_kind = 'inference' and h.release = r.release
where h.benchmark_id = $benchmark_id and h.scenario = $scenario and h.pricing_model = coalesce($pricing, 'on_demand')
    and ($release is null or h.release = $release)
qualify row_number() over (partition by h.accelerator_id order by r.release_number desc) = 1
order by h.usd_per_output_mtok_median, h.accelerator_id
"""


def rank(
    database: Path,
    *,
    model: str,
    scenario: str,
    pricing: str | None = None,
    provider: str | None = None,
    region: str | None = None,
    release: str | None = None,
    day: date | None = None,
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The cheapest offer of each seller and pricing model for each accelerator with a result, cheapest first.

    Args:
        database: the published file.
        model: MLCommons' benchmark key, such as ``llama3.1-405b`` (hyphens, dots and underscores do not matter).
        scenario: Offline, Server or Interactive.
        pricing: a pricing model; None is all.
        provider: a provider's slug; None is all.
        region: a region's name (``%`` is a wildcard) or a country code; None is all.
        release: an MLPerf round; None is the latest that has the accelerator.
        day: prices as they held on that day; None is the day of the newest price.

    Returns:
        (columns, rows): dollars per million output tokens at full use, with the submission and the offer used.

    Raises:
        AccelmartError: there is no such benchmark with results in tokens, provider, pricing model or round; the
            message says what there is.
        NoWarehouseError: nothing is published.
    """
    values = _benchmark(database, model, scenario)
    for option, word, statement in (
        ("--provider", provider, "select provider from dim_provider"),
        ("--pricing", pricing, "select distinct pricing_model from fct_price_interval"),
        ("--release", release, "select distinct release from mart_token_throughput"),
    ):
        _known(database, option, word, statement)
    values |= {
        "pricing": pricing,
        "provider": provider,
        "region": region,
        "release": release,
        "day": day,
    }
    return query(database, _RANKED, values)


def headlines(
    database: Path,
    *,
    model: str,
    scenario: str,
    pricing: str | None = None,
    release: str | None = None,
    day: date | None = None,
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Dollars per million output tokens of each accelerator as the median over its sellers, cheapest first.

    Args:
        database: the published file.
        model: MLCommons' benchmark key.
        scenario: Offline, Server or Interactive.
        pricing: a pricing model; None is on_demand.
        release: an MLPerf round; None is the latest that has the accelerator.
        day: prices and rounds as they were on that day; None is the day of the newest price.

    Returns:
        (columns, rows): the columns of mart_cost_headline and output_tokens_per_s_per_accelerator. Accelerators without
        a figure stand last, with `reason`.

    Raises:
        AccelmartError: there is no such benchmark with results in tokens.
        NoWarehouseError: nothing is published.
    """
    values = {
        **_benchmark(database, model, scenario),
        "pricing": pricing,
        "release": release,
        "day": day,
    }
    return query(database, _HEADLINES, values)


def price_current_days(database: Path) -> int:
    """Days after which a price is no longer current."""
    return int(query(database, "select price_current_days()")[1][0][0])


def _benchmark(database: Path, model: str, scenario: str) -> dict[str, Any]:
    """The keys of a benchmark and scenario as people type them; an error lists those that are there."""
    _, known = query(
        database, "select distinct benchmark_id, scenario from mart_token_throughput order by all"
    )
    models = {plain(str(b)): str(b) for b, _ in known}
    scenarios = {str(s).lower(): str(s) for _, s in known}
    if plain(model) not in models or scenario.lower() not in scenarios:
        hint = (
            did_you_mean(scenario, scenarios.values())
            if plain(model) in models
            else did_you_mean(model, models.values())
        )
        raise AccelmartError(
            f"there are no token results for {model} {scenario}.{hint} "
            f"Models: {', '.join(sorted(models.values()))}; scenarios: {', '.join(sorted(scenarios.values()))}"
        )
    return {"benchmark_id": models[plain(model)], "scenario": scenarios[scenario.lower()]}


def _known(database: Path, option: str, word: str | None, statement: str) -> None:
    """Refuse a word that nothing in the warehouse bears: an empty answer would look like "nobody sells it"."""
    if word is None:
        return
    words = [str(w) for (w,) in query(database, statement)[1]]
    if word not in words:
        hint = did_you_mean(word, words) or f" Known: {', '.join(sorted(words))}"
        raise AccelmartError(f"{option} is {word}: there is none of that name.{hint}")
