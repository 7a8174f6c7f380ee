"""Raw assets of lists: one a source, and the tables that are the union of several. All lists share it.

All assets of a domain are made in one step, because a fold is one pass; their edges say which upstream each depends on.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import dagster as dg

from ingest.core.cadence import Cadence
from ingest.core.source import Source
from orchestration.list_landing import asset_name, landing_key
from orchestration.policies import follows_landing, freshness_of
from warehouse.lake import data_version
from warehouse.list_parts import record_count
from warehouse.raw import RawPart

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


def readable_check(name: str, table: str) -> dg.AssetCheckSpec:
    """Return the check that every payload of a domain can be read."""
    return dg.AssetCheckSpec(
        name,
        asset=raw_key(table),
        description="A stored payload that its parser cannot read any more is named; the others are used.",
    )


def made_of_parts(
    context: dg.AssetExecutionContext,
    sources: Iterable[Source],
    tables: Sequence[RawTable],
    parts: Sequence[RawPart],
    problems: Sequence[str],
    check: str,
) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
    """Yield the raw assets of a domain without a fold, as far as they are selected, and its check.

    Args:
        context: of the run.
        sources: of the domain.
        tables: of the domain, that of the records first.
        parts: in force.
        problems: payloads that could not be read, and why.
        check: name of the check, of `readable_check`.
    """
    selected = context.selected_asset_keys
    for source in sources:
        if source_key(source) in selected:
            of_source = [p for p in parts if source_of(p.stem) == source.name]
            yield dg.MaterializeResult(
                asset_key=source_key(source),
                data_version=dg.DataVersion(data_version(of_source)),
                metadata={"files": len(of_source)},
            )
    records = raw_key(tables[0].name)
    for key in (raw_key(table.name) for table in tables):
        if key in selected:
            rows = {"dagster/row_count": sum(map(record_count, parts))} if key == records else {}
            yield dg.MaterializeResult(
                asset_key=key,
                data_version=dg.DataVersion(data_version(parts)),
                metadata={"files": len(parts), **rows},
            )
    if context.selected_asset_check_keys:
        yield dg.AssetCheckResult(
            asset_key=records,
            check_name=check,
            passed=not problems,
            severity=dg.AssetCheckSeverity.WARN,
            metadata={UNREADABLE: dg.MetadataValue.json(list(problems))},
        )
