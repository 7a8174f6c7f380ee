"""Words a shell completes: names of sources, and generations. Each is read when it is asked for."""

from __future__ import annotations


def lists(incomplete: str) -> list[str]:
    """Return sources of prices and specifications."""
    from ingest.registry import LIST_SOURCES

    return [name for name in LIST_SOURCES if name.startswith(incomplete)]


def sources(incomplete: str) -> list[str]:
    """Return every source that can be fetched."""
    from ingest.mlperf.registry import MLPERF_SOURCES

    return [name for name in MLPERF_SOURCES if name.startswith(incomplete)] + lists(incomplete)


def generations(incomplete: str) -> list[str]:
    """Return the generations kept for rollback."""
    from orchestration import settings

    names = sorted(path.stem for path in settings.home().generations.glob("*.duckdb"))
    return [name for name in names if name.startswith(incomplete)]
