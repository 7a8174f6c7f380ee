"""The history of price lists and exchange rates: payloads parsed, and when each was observed."""

from collections.abc import Iterator

import dagster as dg

from ingest.core.cadence import EXCHANGE_RATES, PRICES
from ingest.core.source import Source
from ingest.prices.registry import PRICE_SOURCES
from orchestration.policies import retry_policy
from orchestration.raw_lists import RawTable, raw_specs, readable_check, report_parts
from warehouse.price_observations import PRICE_OBSERVATIONS, PRICE_POLLS
from warehouse.raw import EXCHANGE_RATES as RATES
from warehouse.raw import PRICE_OFFERS, PRICE_RECONCILIATION, PRICE_REJECTS

PRICE_SNAPSHOT = dg.AssetKey(["snapshot", "prices"])
READABLE = "every_price_payload_is_readable"

price_snapshot = dg.AssetSpec(
    PRICE_SNAPSHOT,
    group_name="landing_prices",
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
    specs=raw_specs(list(PRICE_SOURCES.values()), TABLES, group="raw_prices", snapshot=PRICE_SNAPSHOT),
    can_subset=True,
    retry_policy=retry_policy(),
    check_specs=[readable_check(READABLE, PRICE_OFFERS)],
)
def prices_raw(
    context: dg.AssetExecutionContext,
) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
    """Parse the price lists that are new."""
    yield from report_parts(context, PRICE_SOURCES, TABLES, READABLE)
