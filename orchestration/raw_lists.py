"""Raw assets of lists: one a source, and the tables that are the union of several. Prices and specifications share it.

All assets of a domain are made in one step, because a fold is one pass; their edges say which upstream each depends on.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import dagster as dg

from ingest.core.cadence import Cadence
from ingest.core.source import Source
from orchestration.list_landing import asset_name, landing_key
from orchestration.policies import follows_landing, freshness_of

UNREADABLE = "unreadable"


@dataclass(frozen=True)
class RawTable:
    """A raw table that is a union over sources.

    Args:
        name: of the table.
        description: for people.
        cadence: how often new rows are expected.
        has_rows_of: which sources have rows in it.
    """

    name: str
    description: str
    cadence: Cadence
    has_rows_of: Callable[[Source], bool] = lambda source: True


def raw_key(table: str) -> dg.AssetKey:
    """Return the asset key of a raw table."""
    return dg.AssetKey(["raw", table])


def source_key(source: Source) -> dg.AssetKey:
    """Return the asset key of what is parsed of one source."""
    return dg.AssetKey(["raw", asset_name(source)])


def source_of(stem: str) -> str:
    """Return the name of the source of a parsed or folded file, given its stem."""
    return stem.partition("__")[0]


def raw_specs(
    sources: Sequence[Source],
    tables: Iterable[RawTable],
    *,
    group: str,
    snapshot: dg.AssetKey,
    also_read: dict[str, list[dg.AssetKey]] | None = None,
) -> list[dg.AssetSpec]:
    """Return the specs of a domain's raw assets.

    Args:
        sources: of the domain.
        tables: made of them.
        group: asset group.
        snapshot: bundled data, which sources that ship are read from too.
        also_read: source name → further upstream assets it is parsed from.
    """
    of_sources = [
        # its freshness is that of its landing, which has the policy: one alert for one late source
        dg.AssetSpec(
            source_key(source),
            deps=[
                landing_key(source),
                *([snapshot] if source.ships else []),
                *(also_read or {}).get(source.name, []),
            ],
            group_name=group,
            kinds={"python", "parquet"},
            description=f"What is parsed of {source.title}.",
            code_version=str(source.parser_version),
            automation_condition=follows_landing(),
        )
        for source in sources
    ]
    of_tables = [
        dg.AssetSpec(
            raw_key(table.name),
            deps=[source_key(s) for s in sources if table.has_rows_of(s)],
            group_name=group,
            kinds={"python", "parquet"},
            description=table.description,
            code_version=str(sum(s.parser_version for s in sources if table.has_rows_of(s))),
            automation_condition=follows_landing(),
            freshness_policy=freshness_of(table.cadence),
        )
        for table in tables
    ]
    return [*of_sources, *of_tables]
