"""The registry of price sources."""

from __future__ import annotations

from ingest.errors import AccelmartError
from ingest.prices.source import PriceSource

_ALL: tuple[PriceSource, ...] = ()
PRICE_SOURCES = {s.name: s for s in _ALL}


def price_source_named(name: str) -> PriceSource:
    """The registered price source.

    Raises:
        AccelmartError: no such source; the message lists those there are.
    """
    if name not in PRICE_SOURCES:
        raise AccelmartError(f"there is no price source {name!r}. Price sources: {', '.join(PRICE_SOURCES)}")
    return PRICE_SOURCES[name]
