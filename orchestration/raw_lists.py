"""Raw assets of lists: one a source, and the tables that are the union of several. All lists share it.

A payload is parsed where it lands; these assets parse what has no parts yet, and report what is there. Their edges say
which upstream each depends on.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dagster as dg

from ingest.core.cadence import Cadence
from ingest.core.source import Source
from orchestration import settings
from orchestration.list_landing import asset_name, landing_key
from orchestration.policies import follows_landing, freshness_of, judged
from warehouse.active import select_active
from warehouse.raw import RawPart, data_version

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
        description="A landed payload that cannot be read, or fails a check, is named; the others are used.",
    )


def report_parts(
    context: dg.AssetExecutionContext, sources: Mapping[str, Source], tables: Sequence[RawTable], check: str
) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
    """Report what was parsed of a domain's sources, as far as it is selected, and the domain's check.

    Args:
        context: of the run.
        sources: of the domain, by name.
        tables: of the domain, that of the records first.
        check: name of the check, of `readable_check`.
    """
    with judged(context):
        active = select_active(settings.home(), sources)
    parts = active.all_parts
    selected = context.selected_asset_keys
    for source in sources.values():
        if source_key(source) in selected:
            of_source = [p for p in parts if p.provenance.source == source.name]
            yield dg.MaterializeResult(
                asset_key=source_key(source),
                data_version=dg.DataVersion(data_version(of_source)),
                metadata={
                    "files": len(of_source),
                    "dagster/row_count": sum(p.account.rows_out for p in of_source),
                },
            )
    for key, table in ((raw_key(table.name), table.name) for table in tables):
        if key in selected:
            yield dg.MaterializeResult(
                asset_key=key,
                data_version=dg.DataVersion(data_version(parts)),
                metadata=describe(table, parts),
            )
    if context.selected_asset_check_keys:
        yield dg.AssetCheckResult(
            asset_key=raw_key(tables[0].name),
            check_name=check,
            passed=not active.isolated,
            severity=dg.AssetCheckSeverity.WARN,
            metadata={UNREADABLE: dg.MetadataValue.json([f"{i.name}: {i.problem}" for i in active.isolated])},
        )


def describe(table: str, parts: Sequence[RawPart]) -> dict[str, dg.MetadataValue[Any]]:
    """Return what a raw table has of some parts: files, bytes, rows, and the account of what it was parsed from."""
    of_table = [p for p in parts if table in p.files]
    accounts = [p.account for p in of_table]
    metadata: dict[str, dg.MetadataValue[Any]] = {
        "files": dg.MetadataValue.int(len(of_table)),
        "bytes": dg.MetadataValue.int(sum(p.path(table).stat().st_size for p in of_table)),
        "records_in": dg.MetadataValue.int(sum(a.records_in for a in accounts)),
        "rejects": dg.MetadataValue.int(sum(a.rejects for a in accounts)),
        "dialects": dg.MetadataValue.text(", ".join(sorted({a.dialect for a in accounts}))),
    }
    if any(table == p.record_table for p in of_table):
        metadata["dagster/row_count"] = dg.MetadataValue.int(sum(a.rows_out for a in accounts))
    return metadata
