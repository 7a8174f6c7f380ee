"""Raw: what payloads were parsed to, as typed Parquet. One factory for every domain.

A payload is parsed where it lands; these assets parse what has no parts yet, and report what is there. Their edges say
which upstream each depends on.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import dagster as dg

from ingest.core.cadence import EXCHANGE_RATES, PRICES, ROUNDS, SERVING, SPECIFICATIONS, Cadence
from ingest.core.source import Source
from ingest.energy.registry import GRID_SOURCES
from ingest.mlperf import described_systems
from ingest.mlperf.registry import MLPERF_INFERENCE, MLPERF_SOURCES, MLPERF_TRAINING
from ingest.prices.registry import PRICE_SOURCES
from ingest.registry import REFERENCE_SOURCES, SERVING_SOURCES
from orchestration import settings
from orchestration.landing import RELEASES, asset_name, landing_key
from orchestration.policies import (
    follows_landing,
    freshness_of,
    retry_policy,
    sensor_interval,
    stating_retries,
)
from orchestration.publication import DATA_VERSION
from warehouse.active import INFERENCE_SOURCES, TRAINING_SOURCES, Active, select_active
from warehouse.home import SNAPSHOT_DIR
from warehouse.price_observations import PRICE_OBSERVATIONS, PRICE_POLLS
from warehouse.raw import (
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
    TRAINING,
    TRAINING_FAMILY,
    Family,
    RawPart,
    data_version,
    read_parts,
)
from warehouse.raw import EXCHANGE_RATES as RATES

_REJECTS = (
    "Records that cannot be trusted, remarks, and what is out of scope; each with file, position and remedy."
)
_RECONCILIATION = (
    "What became of every record of a payload: in = rows + duplicates + merged + rejects + out of scope."
)


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


@dataclass(frozen=True)
class Domain:
    """The raw tables of one subject.

    Args:
        name: of the asset, and of the bundled data.
        group: of the asset in the UI.
        family: of the tables.
        sources: parsed to them, by name.
        tables: of records; those of rejects and reconciliation are added.
        cadence: how often new records are expected.
        also_read: source → other sources whose payloads it is parsed from too.
        releases: partitions, where a part is of one MLPerf round.
    """

    name: str
    group: str
    family: Family
    sources: Mapping[str, Source]
    tables: tuple[RawTable, ...]
    cadence: Cadence
    also_read: Mapping[str, Sequence[str]] = field(default_factory=dict)
    releases: dg.DynamicPartitionsDefinition | None = None

    @property
    def every_table(self) -> list[RawTable]:
        """The tables of records, rejects and reconciliation."""
        return [
            *self.tables,
            RawTable(self.family.rejects, _REJECTS, self.cadence),
            RawTable(self.family.reconciliation, _RECONCILIATION, self.cadence),
        ]

    @property
    def snapshot(self) -> dg.AssetKey:
        """Key of the bundled data."""
        return dg.AssetKey(["snapshot", self.group])


def _is_of_rates(source: Source) -> bool:
    return source.cadence is EXCHANGE_RATES


def _is_of_grids(source: Source) -> bool:
    return source.name in GRID_SOURCES


def _is_round(source: Source) -> bool:
    """Whether it has single runs and configurations: MLCommons' collection states scored results alone."""
    return source.has_releases


DOMAINS = (
    Domain(
        name="mlperf_inference_raw",
        group="mlperf",
        family=INFERENCE_FAMILY,
        sources={name: MLPERF_SOURCES[name] for name in INFERENCE_SOURCES},
        tables=(
            RawTable(
                RESULTS,
                "Every result of a round and dialect, in the source's words beside the typed value.",
                ROUNDS,
            ),
        ),
        cadence=ROUNDS,
        releases=RELEASES[MLPERF_INFERENCE],
    ),
    Domain(
        name="mlperf_training_raw",
        group="mlperf",
        family=TRAINING_FAMILY,
        sources={name: MLPERF_SOURCES[name] for name in TRAINING_SOURCES},
        tables=(
            RawTable(RUNS, "Every run of a round, read from its log.", ROUNDS, _is_round),
            RawTable(
                TRAINING, "Every benchmark of every system of a round, scored by MLCommons' rule.", ROUNDS
            ),
            RawTable(
                CONFIGURATIONS,
                "Every configuration file that a submitter can run, with its number format and the evidence for it.",
                ROUNDS,
                _is_round,
            ),
        ),
        cadence=ROUNDS,
        releases=RELEASES[MLPERF_TRAINING],
    ),
    Domain(
        name="prices_raw",
        group="prices",
        family=PRICE_FAMILY,
        sources=PRICE_SOURCES,
        tables=(
            RawTable(
                PRICE_OFFERS,
                "Every offer of every parsed price list, once, however often the list was fetched.",
                PRICES,
                lambda source: not _is_of_rates(source),
            ),
            RawTable(PRICE_OBSERVATIONS, "Which parsed price list was in force in which fetches.", PRICES),
            RawTable(PRICE_POLLS, "When each price list was fetched.", PRICES),
            RawTable(RATES, "The ECB's reference rates.", EXCHANGE_RATES, _is_of_rates),
        ),
        cadence=PRICES,
    ),
    Domain(
        name="specs_raw",
        group="specs",
        family=SPEC_FAMILY,
        sources=REFERENCE_SOURCES,
        tables=(
            RawTable(
                SPEC_VALUES,
                "Every value of a specification table, in the source's words beside the typed value.",
                SPECIFICATIONS,
                lambda source: not _is_of_grids(source),
            ),
            RawTable(
                GRID_INTENSITIES,
                "Carbon intensity of the electricity of countries, US states and cloud regions.",
                SPECIFICATIONS,
                _is_of_grids,
            ),
        ),
        cadence=SPECIFICATIONS,
        # the archive of a round describes its systems too
        also_read={described_systems.SOURCE.name: (MLPERF_INFERENCE, MLPERF_TRAINING)},
    ),
    Domain(
        name="serving_raw",
        group="serving",
        family=SERVING_FAMILY,
        sources=SERVING_SOURCES,
        tables=(
            RawTable(
                SERVING_POINTS,
                "Every measured configuration, in the source's words beside typed values.",
                SERVING,
            ),
        ),
        cadence=SERVING,
    ),
)

SNAPSHOTS = [
    dg.AssetSpec(
        dg.AssetKey(["snapshot", name]),
        group_name=f"landing_{name}",
        kinds={"parquet"},
        description=f"{content} shipped with the code, extracted by the same parsers; see NOTICE for their owners. A "
        "live payload of the same content takes their place.",
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


def source_key(source: Source) -> dg.AssetKey:
    """Return the asset key of what is parsed of one source."""
    return dg.AssetKey(["raw", asset_name(source)])


def _spec(
    domain: Domain, key: dg.AssetKey, description: str, version: int, deps: list[dg.AssetKey], **more: Any
) -> dg.AssetSpec:
    return dg.AssetSpec(
        key,
        deps=deps,
        group_name=f"raw_{domain.group}",
        kinds={"python", "parquet"},
        description=description,
        code_version=str(version),
        automation_condition=follows_landing(),
        **more,
    )


def _specs(domain: Domain) -> Iterator[dg.AssetSpec]:
    """Yield the spec of each source, unless its payloads are rounds, and of each table."""
    for source in domain.sources.values() if domain.releases is None else ():
        upstream = [source.name, *domain.also_read.get(source.name, ())]
        deps = [dg.AssetKey(["landing", name.replace("-", "_")]) for name in upstream]
        # its freshness is that of its landing, which has the policy: one alert for one late source
        yield _spec(
            domain,
            source_key(source),
            f"What is parsed of {source.title}.",
            source.parser_version,
            [*deps, *([domain.snapshot] if source.ships else [])],
        )
    for table in domain.every_table:
        sources = [s for s in domain.sources.values() if table.has_rows_of(s)]
        deps = [source_key(s) for s in sources]
        if domain.releases is not None:
            deps = [*(landing_key(s) for s in sources), domain.snapshot]
        version = sum(s.parser_version for s in sources)
        yield _spec(
            domain,
            raw_key(table.name),
            table.description,
            version,
            deps,
            freshness_policy=freshness_of(table.cadence),
        )


def _checks(domain: Domain) -> list[dg.AssetCheckSpec]:
    return [
        dg.AssetCheckSpec(
            "every_payload_is_readable",
            asset=raw_key(domain.tables[0].name),
            description="A landed payload that cannot be read, or fails a check, is named; the others are used.",
        ),
        dg.AssetCheckSpec(
            "every_record_is_accounted_for",
            asset=raw_key(domain.family.reconciliation),
            blocking=True,
            description=_RECONCILIATION,
        ),
    ]


def _report(
    context: dg.AssetExecutionContext, domain: Domain
) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
    """Report what was parsed of a domain's sources, as far as it is selected, and its checks."""
    with stating_retries():
        active = select_active(settings.home(), domain.sources)
    parts = active.all_parts
    if domain.releases is not None:
        parts = [p for p in parts if p.account.release == context.partition_key]
    selected = context.selected_asset_keys
    for source in domain.sources.values():
        if (key := source_key(source)) in selected:
            of_source = [p for p in parts if p.provenance.source == source.name]
            rows = sum(p.account.rows_out for p in of_source)
            metadata = {"dagster/row_count": rows}
            version = dg.DataVersion(data_version(of_source))
            yield dg.MaterializeResult(asset_key=key, data_version=version, metadata=metadata)
    for table in domain.every_table:
        if (key := raw_key(table.name)) in selected:
            version = dg.DataVersion(data_version(parts))
            yield dg.MaterializeResult(
                asset_key=key, data_version=version, metadata=_describe(table.name, parts)
            )
    results = _check_results(domain, active)
    yield from (results[check.name] for check in context.selected_asset_check_keys)


def bundled_rounds(domain: Domain) -> Iterator[dg.AssetMaterialization]:
    """Yield the tables of the rounds of the snapshot, which is parsed, as events that need no run."""
    parts = [part for source in domain.sources for part in read_parts(SNAPSHOT_DIR, source)]
    for release in sorted({part.account.release for part in parts} - {""}):
        of_round = [part for part in parts if part.account.release == release]
        for table in domain.every_table:
            yield dg.AssetMaterialization(
                raw_key(table.name),
                partition=release,
                metadata=_describe(table.name, of_round),
                tags={DATA_VERSION: data_version(of_round)},
            )


def _check_results(domain: Domain, active: Active) -> dict[str, dg.AssetCheckResult]:
    readable, accounted = _checks(domain)
    accounts = [p.account for p in active.all_parts if p.family is domain.family]
    lost = [f"{a.release} {a.dialect}" for a in accounts if not a.is_balanced]
    unreadable = [f"{i.name}: {i.problem}" for i in active.isolated]
    return {
        readable.name: dg.AssetCheckResult(
            asset_key=readable.asset_key,
            check_name=readable.name,
            passed=not unreadable,
            severity=dg.AssetCheckSeverity.WARN,
            metadata={"unreadable": dg.MetadataValue.json(unreadable)},
        ),
        accounted.name: dg.AssetCheckResult(
            asset_key=accounted.asset_key,
            check_name=accounted.name,
            passed=not lost,
            metadata={
                "records_in": sum(a.records_in for a in accounts),
                "rows_out": sum(a.rows_out for a in accounts),
                "unbalanced": ", ".join(lost) or "none",
            },
        ),
    }


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


def _raw_assets(domain: Domain) -> dg.AssetsDefinition:
    @dg.multi_asset(
        name=domain.name,
        specs=list(_specs(domain)),
        partitions_def=domain.releases,
        # a round is parsed whole
        can_subset=domain.releases is None,
        retry_policy=retry_policy(),
        check_specs=_checks(domain),
        description=f"Parse what is landed and has no parts yet: {domain.group}.",
    )
    def raw(
        context: dg.AssetExecutionContext,
    ) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
        yield from _report(context, domain)

    return raw


RAW = {domain.name: _raw_assets(domain) for domain in DOMAINS}
"""The raw assets of every domain, by its name."""

RAW_FOLLOWS_LANDING = dg.AutomationConditionSensorDefinition(
    "raw_follows_landing",
    target=dg.AssetSelection.assets(*RAW.values()),
    description="Parses what was landed.",
    minimum_interval_seconds=sensor_interval(30),
    default_status=dg.DefaultSensorStatus.RUNNING,
)
