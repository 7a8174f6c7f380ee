"""Raw: what payloads were parsed to, as typed Parquet.

A payload is parsed where it lands. A rebuild states what it reads of each source, table and MLPerf round; edges state
which upstream each depends on.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import dagster as dg

from ingest.core.cadence import EXCHANGE_RATES
from ingest.core.source import Source
from ingest.mlperf import described_systems
from ingest.mlperf.registry import (
    MLPERF_INFERENCE,
    MLPERF_SOURCES,
    MLPERF_TRAINING,
    MLPERF_TRAINING_READ_SINGLY,
)
from ingest.prices.registry import PRICE_SOURCES
from ingest.registry import REFERENCE_SOURCES, SERVING_SOURCES
from orchestration import settings
from orchestration.landing import RELEASES
from orchestration.manifest import SOURCES
from orchestration.policies import retry_policy, stating_retries
from orchestration.publication import DATA_VERSION
from warehouse.build.driver import recording_failure
from warehouse.inputs.active import INFERENCE_SOURCES, TRAINING_SOURCES, Active, select_active
from warehouse.inputs.price_observations import PRICE_OBSERVATIONS, PRICE_POLLS
from warehouse.inputs.raw import (
    CONFIGURATIONS,
    GRID_INTENSITIES,
    INFERENCE_FAMILY,
    PRICE_FAMILY,
    PRICE_OFFERS,
    RESULTS,
    RUNS,
    SERVING_FAMILY,
    SERVING_POINTS,
    SPEC_FAMILY,
    SPEC_VALUES,
    TOKEN_PRICES,
    TRAINING,
    TRAINING_FAMILY,
    Family,
    RawPart,
    data_version,
)
from warehouse.inputs.raw import EXCHANGE_RATES as RATES


@dataclass(frozen=True)
class RawTable:
    """A raw table that is a union over sources.

    Args:
        name: of the table.
        has_rows_of: which sources have rows in it.
    """

    name: str
    has_rows_of: Callable[[Source], bool] = lambda source: True


@dataclass(frozen=True)
class Domain:
    """The raw tables of one subject.

    Args:
        group: of the assets in the UI, and of the bundled data.
        family: of the tables.
        sources: parsed to them, by name.
        tables: of records; those of rejects and reconciliation are added.
        also_read: source → other sources whose payloads it is parsed from too.
        releases: partitions, where a part is of one MLPerf round.
    """

    group: str
    family: Family
    sources: Mapping[str, Source]
    tables: tuple[RawTable, ...]
    also_read: Mapping[str, Sequence[str]] = field(default_factory=dict)
    releases: dg.DynamicPartitionsDefinition | None = None

    @property
    def every_table(self) -> list[RawTable]:
        """The tables of records, rejects and reconciliation."""
        return [
            *self.tables,
            RawTable(self.family.rejects),
            RawTable(self.family.reconciliation),
        ]

    @property
    def snapshot(self) -> dg.AssetKey:
        """Key of the bundled data."""
        return dg.AssetKey(["snapshot", self.group])


def _is_of_rates(source: Source) -> bool:
    return source.cadence is EXCHANGE_RATES


def _is_round(source: Source) -> bool:
    """Whether it has single runs and configurations: MLCommons' collection states scored results alone."""
    return source.has_releases


DOMAINS = (
    Domain(
        group="mlperf",
        family=INFERENCE_FAMILY,
        sources={name: MLPERF_SOURCES[name] for name in INFERENCE_SOURCES},
        tables=(RawTable(RESULTS),),
        releases=RELEASES[MLPERF_INFERENCE],
    ),
    Domain(
        group="mlperf",
        family=TRAINING_FAMILY,
        sources={name: MLPERF_SOURCES[name] for name in (*TRAINING_SOURCES, MLPERF_TRAINING_READ_SINGLY)},
        tables=(
            RawTable(RUNS, _is_round),
            RawTable(TRAINING),
            RawTable(CONFIGURATIONS, lambda source: source.name == MLPERF_TRAINING),
        ),
        releases=RELEASES[MLPERF_TRAINING],
    ),
    Domain(
        group="prices",
        family=PRICE_FAMILY,
        sources=PRICE_SOURCES,
        tables=(
            RawTable(PRICE_OFFERS, lambda source: not _is_of_rates(source)),
            RawTable(PRICE_OBSERVATIONS),
            RawTable(PRICE_POLLS),
            RawTable(RATES, _is_of_rates),
        ),
    ),
    Domain(
        group="specs",
        family=SPEC_FAMILY,
        sources=REFERENCE_SOURCES,
        tables=(
            RawTable(SPEC_VALUES, lambda source: source.dialect == "specs"),
            RawTable(GRID_INTENSITIES, lambda source: source.dialect == "grids"),
            RawTable(TOKEN_PRICES, lambda source: source.dialect == "tokens"),
        ),
        # the archive of a round describes its systems too
        also_read={described_systems.SOURCE.name: (MLPERF_INFERENCE, MLPERF_TRAINING)},
    ),
    Domain(
        group="serving",
        family=SERVING_FAMILY,
        sources=SERVING_SOURCES,
        tables=(RawTable(SERVING_POINTS),),
    ),
)

SNAPSHOTS = [
    dg.AssetSpec(
        dg.AssetKey(["snapshot", name]),
        group_name="landing",
        kinds={"parquet"},
        description=f"{content} bundled with the code; NOTICE names their owners. Fetched data replace them.",
    )
    for name, content in {
        "mlperf": "MLPerf results",
        "prices": "Dated prices",
        "specs": "Specifications",
        "serving": "Measured serving",
    }.items()
]


def raw_key(table: str) -> dg.AssetKey:
    """Return the asset key of a raw table."""
    return dg.AssetKey(["raw", table])


def _specs(domain: Domain) -> Iterator[dg.AssetSpec]:
    """Yield the spec of each table, downstream of what its sources land."""
    for table in domain.every_table:
        sources = [s for s in domain.sources.values() if table.has_rows_of(s)]
        read = {name for s in sources for name in (s.name, *domain.also_read.get(s.name, ()))}
        bundled = [domain.snapshot] if domain.releases or any(s.ships for s in sources) else []
        yield dg.AssetSpec(
            raw_key(table.name),
            deps=[*(dg.AssetKey(["landing", name.replace("-", "_")]) for name in sorted(read)), *bundled],
            group_name="raw",
            kinds={"python", "parquet"},
            description=SOURCES[table.name]["description"],
            code_version=str(sum(s.parser_version for s in sources)),
            partitions_def=domain.releases,
        )


def _describe(table: str, parts: Sequence[RawPart]) -> dict[str, int]:
    """Return what a raw table has of some parts: records that were read, rejects, and rows of a table of records."""
    of_table = [p for p in parts if table in p.files]
    counts = {
        "records_in": sum(p.account.records_in for p in of_table),
        "rejects": sum(p.account.rejects for p in of_table),
    }
    if any(table == p.record_table for p in of_table):
        counts["dagster/row_count"] = sum(p.account.rows_out for p in of_table)
    return counts


MLPERF_TABLES = [spec for domain in DOMAINS if domain.releases for spec in _specs(domain)]
"""Tables of MLPerf, with a partition for each round."""


INPUTS = [
    dg.AssetSpec(raw_key(name), group_name="raw", kinds={"parquet"}, description=source["description"])
    for name, source in SOURCES.items()
    if not any(name == table.name for domain in DOMAINS for table in domain.every_table)
]
"""What a build reads beside what is parsed: the user's files, the operator's decisions, the generation before."""


@dg.multi_asset(
    specs=[spec for domain in DOMAINS if not domain.releases for spec in _specs(domain)],
    retry_policy=retry_policy(),
    description="Parses new files and reports the rows of every source and MLPerf round.",
)
def raw_layer(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult[None]]:
    """Report every raw table: as a result, or for each MLPerf round as an event of the table's partition."""
    home = settings.home()
    with stating_retries(), recording_failure(home):
        active = select_active(home)
    add_rounds(context.instance, active)
    for event in raw_events(active):
        if event.partition:
            context.log_event(event)
        else:
            version = dg.DataVersion((event.tags or {})[DATA_VERSION])
            yield dg.MaterializeResult(
                asset_key=event.asset_key, data_version=version, metadata=event.metadata
            )


def add_rounds(instance: dg.DagsterInstance, active: Active) -> None:
    """Register each MLPerf round as a partition."""
    for domain in DOMAINS:
        if domain.releases is not None:
            releases = {p.account.release for p in active.all_parts if p.family is domain.family} - {""}
            instance.add_dynamic_partitions(str(domain.releases.name), sorted(releases))


def raw_events(active: Active) -> Iterator[dg.AssetMaterialization]:
    """Yield the event of each raw table, of those of MLPerf one for each round."""
    for domain in DOMAINS:
        parts = [p for p in active.all_parts if p.family is domain.family]
        releases: list[str | None] = [None]
        if domain.releases is not None:
            releases = [*sorted({p.account.release for p in parts} - {""})]
        for release in releases:
            chosen = [p for p in parts if release in (None, p.account.release)]
            for table in domain.every_table:
                yield dg.AssetMaterialization(
                    raw_key(table.name),
                    partition=release,
                    metadata=_describe(table.name, chosen),
                    tags={DATA_VERSION: data_version(chosen)},
                )
