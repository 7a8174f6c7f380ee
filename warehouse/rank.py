"""What a million tokens cost, on which accelerator, where, on a day: measured throughput times prices in force."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from ingest.errors import AccelmartError
from ingest.words import did_you_mean, plain
from warehouse.query import query

# Formulas and choice of prices are a macro of the published file (dbt_project/macros): nothing is computed here.
_RANKED = """
from cost_per_mtok(
    $benchmark_id, $scenario,
    pricing := $pricing, provider := $provider, region := $region, release := $release, day := $day
)
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
    day: date,
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
        day: prices as they held on that day.

    Returns:
        (columns, rows): dollars per million output tokens at full use, with the submission and the offer used.

    Raises:
        AccelmartError: there is no such benchmark with results in tokens, provider, pricing model or round; the
            message says what there is.
        NoWarehouseError: nothing is published.
    """
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
    for option, word, statement in (
        ("--provider", provider, "select provider from dim_provider"),
        ("--pricing", pricing, "select distinct pricing_model from fct_price_interval"),
        ("--release", release, "select distinct release from mart_token_throughput"),
    ):
        _known(database, option, word, statement)
    values = {
        "benchmark_id": models[plain(model)],
        "scenario": scenarios[scenario.lower()],
        "pricing": pricing,
        "provider": provider,
        "region": region,
        "release": release,
        "day": day,
    }
    return query(database, _RANKED, values)


def _known(database: Path, option: str, word: str | None, statement: str) -> None:
    """Refuse a word that nothing in the warehouse bears: an empty answer would look like "nobody sells it"."""
    if word is None:
        return
    words = [str(w) for (w,) in query(database, statement)[1]]
    if word not in words:
        hint = did_you_mean(word, words) or f" Known: {', '.join(sorted(words))}"
        raise AccelmartError(f"{option} is {word}: there is none of that name.{hint}")
