"""Words a shell completes: names of sources, and keys of the published warehouse. A completion never fails."""

from __future__ import annotations

from collections.abc import Callable

from ingest.core.errors import AccelmartError


def _published(statement: str) -> Callable[[str], list[str]]:
    def words(incomplete: str) -> list[str]:
        from orchestration import settings
        from warehouse.query import query

        try:
            _, rows = query(settings.home().published, statement)
        except AccelmartError:
            return []  # no warehouse yet, or one of another version
        return [str(word) for (word,) in rows if str(word).startswith(incomplete)]

    return words


accelerators = _published("select accelerator_id from dim_accelerator order by all")
benchmarks = _published("select distinct benchmark_id from mart_token_throughput order by all")
mlperf_scenarios = _published("select distinct scenario from mart_token_throughput order by all")
ownership_scenarios = _published("select distinct scenario_id from mart_tco order by all")
pricing_models = _published("select distinct pricing_model from mart_price_current order by all")
providers = _published("select distinct provider from mart_price_current order by all")
releases = _published("select distinct release from fct_inference_result order by all")
tables = _published("select table_name from duckdb_tables() where schema_name = 'main' order by all")


def lists(incomplete: str) -> list[str]:
    """Sources of prices and specifications."""
    from ingest.prices.registry import PRICE_SOURCES
    from ingest.specs.registry import SPEC_SOURCES

    return [name for name in {**PRICE_SOURCES, **SPEC_SOURCES} if name.startswith(incomplete)]


def sources(incomplete: str) -> list[str]:
    """Every source that can be fetched."""
    from ingest.source import SOURCES

    return [name for name in SOURCES if name.startswith(incomplete)] + lists(incomplete)


def generations(incomplete: str) -> list[str]:
    """Generations kept for rollback."""
    from orchestration import settings

    names = sorted(path.stem for path in settings.home().generations.glob("*.duckdb"))
    return [name for name in names if name.startswith(incomplete)]
