"""The history of price lists and exchange rates: payloads parsed, and when each was observed."""

import time
from collections.abc import Iterator

import dagster as dg

from ingest.core.cadence import EXCHANGE_RATES, PRICES
from ingest.core.source import Source
from ingest.prices.registry import PRICE_SOURCES
from orchestration.policies import judged, retry_policy
from orchestration.raw_lists import UNREADABLE, RawTable, raw_key, raw_specs, source_key
from orchestration.resources import LakeResource
from warehouse.lake import data_version
from warehouse.prepare import parse_prices
from warehouse.price_observations import PRICE_OBSERVATIONS, PRICE_POLLS
from warehouse.raw import EXCHANGE_RATES as RATES
from warehouse.raw import PRICE_OFFERS, PRICE_RECONCILIATION, PRICE_REJECTS

GROUP = "prices"
PRICE_SNAPSHOT = dg.AssetKey(["snapshot", "prices"])
READABLE = "every_price_payload_is_readable"

price_snapshot = dg.AssetSpec(
    PRICE_SNAPSHOT,
    group_name=GROUP,
    kinds={"parquet"},
    description="Dated prices shipped with the code, extracted by the same parsers; see NOTICE for their owners.",
)


def _has_rates(source: Source) -> bool:
    return source.cadence is EXCHANGE_RATES


TABLES = (
    RawTable(
        PRICE_OFFERS,
        "Every offer of every parsed price list, once, however often the list was fetched.",
        PRICES,
        lambda source: not _has_rates(source),
    ),
    RawTable(PRICE_OBSERVATIONS, "Which parsed price list was in force in which polls.", PRICES),
    RawTable(PRICE_POLLS, "When each price list was asked.", PRICES),
    RawTable(PRICE_REJECTS, "Records that are no offer, remarks, and what was left out by reason.", PRICES),
    RawTable(PRICE_RECONCILIATION, "What became of every record of a payload.", PRICES),
    RawTable(RATES, "The ECB's reference rates.", EXCHANGE_RATES, _has_rates),
)


@dg.multi_asset(
    name="prices_raw",
    specs=raw_specs(list(PRICE_SOURCES.values()), TABLES, group=GROUP, snapshot=PRICE_SNAPSHOT),
    can_subset=True,
    retry_policy=retry_policy(),
    check_specs=[
        dg.AssetCheckSpec(
            READABLE,
            asset=raw_key(PRICE_OFFERS),
            description="A stored payload that its parser cannot read any more is named; the others are used.",
        )
    ],
)
def prices_raw(
    context: dg.AssetExecutionContext, lake: LakeResource
) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
    """Parse what is new."""
    started = time.monotonic()
    with judged(context):
        unreadable = parse_prices(lake.get())
        observed = {o.source.name: o for o in lake.get().observed_prices()}
    selected = context.selected_asset_keys
    for source in PRICE_SOURCES.values():
        if source_key(source) in selected:
            of_source = observed.get(source.name)
            yield dg.MaterializeResult(
                asset_key=source_key(source),
                data_version=dg.DataVersion(data_version(of_source.parts if of_source else [])),
                metadata={"observations": len(of_source.observations) if of_source else 0},
            )
    parts = [part for o in observed.values() for part in o.parts]
    for table in TABLES:
        if raw_key(table.name) in selected:
            files = [part.files[table.name] for part in parts if table.name in part.files]
            yield dg.MaterializeResult(
                asset_key=raw_key(table.name),
                data_version=dg.DataVersion(data_version(parts)),
                metadata={
                    "files": len(files),
                    "bytes": sum(f.stat().st_size for f in files),
                    "duration_s": round(time.monotonic() - started, 3),
                },
            )
    if context.selected_asset_check_keys:
        yield dg.AssetCheckResult(
            asset_key=raw_key(PRICE_OFFERS),
            check_name=READABLE,
            passed=not unreadable,
            severity=dg.AssetCheckSeverity.WARN,
            metadata={UNREADABLE: dg.MetadataValue.json(unreadable)},
        )
