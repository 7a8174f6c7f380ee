"""Prices: the landing of every price list, and the history that is made of them."""

import hashlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dagster as dg

from ingest.core.cadence import EXCHANGE_RATES, PRICES, SPECIFICATIONS
from ingest.core.errors import AccelmartError
from ingest.core.list_source import ListSource
from ingest.core.payload import Payload
from ingest.fetch.plan import plan_of, run_fetch
from ingest.prices.from_file import land_file
from ingest.prices.registry import PRICE_SOURCES
from ingest.specs.registry import SPEC_SOURCES
from orchestration import settings
from orchestration.metadata import code_metadata
from orchestration.policies import (
    follows_landing,
    freshness_of,
    is_worth_another_try,
    judged,
    retry_policy,
)
from orchestration.resources import LakeResource, raw_layer
from warehouse.lake import Lake, data_version
from warehouse.price_fold import BUNDLE_TABLES, Bundle
from warehouse.raw import EXCHANGE_RATES as RATES
from warehouse.spec_values import SPEC_TABLES, spec_records

PRICE_SNAPSHOT = dg.AssetKey(["snapshot", "prices"])
UNREADABLE = "unreadable"


class PriceFetchConfig(dg.Config):
    """What to bring of a price source.

    Args:
        key: one key of its plan; empty is all of them. With `origin`: the key to land under, ``<key>@<date>`` for
            prices that held on a date.
        origin: a file on this machine in place of upstream.
    """

    key: str = ""
    origin: str = ""


@dataclass(frozen=True)
class Fetched:
    """What became of one unit of a plan: a payload, or why there is none."""

    key: str
    payload: Payload | None
    problem: str = ""
    error: AccelmartError | None = None


def asset_name(source: ListSource) -> str:
    """Name of a source's asset."""
    return source.name.replace("-", "_")


def landing_key(source: ListSource) -> dg.AssetKey:
    """Asset key of a source's landing."""
    return dg.AssetKey(["landing", asset_name(source)])


def land_prices(
    lake: Lake, source: ListSource, config: PriceFetchConfig, *, not_before: datetime | None = None
) -> list[Fetched]:
    """Bring a source's price lists; what fails does not hold up the rest.

    Args:
        lake: of this installation.
        source: registered source.
        config: what of it.
        not_before: what came since then is not asked for again: another try is for what failed.

    Raises:
        AccelmartError: the source is not asked (no key, nothing to fetch), or there is no such key.
    """
    if config.origin:
        return [
            _attempt(config.key, lambda: land_file(lake.landing, source, config.key, Path(config.origin)))
        ]
    fetches, reason = plan_of(source, settings.source_settings())
    if reason:
        raise AccelmartError(reason)
    chosen = [f for f in fetches if config.key in ("", f.key)]
    if not chosen:
        raise AccelmartError(
            f"{source.name} has no key {config.key!r}. Keys: {', '.join(f.key for f in fetches)}"
        )
    client = settings.http_client()
    return [
        _came_already(lake, source, f.key, not_before)
        or _attempt(f.key, lambda f=f: run_fetch(lake.landing, source, f, client))  # type: ignore[misc]
        for f in chosen
    ]


def _came_already(lake: Lake, source: ListSource, key: str, not_before: datetime | None) -> Fetched | None:
    if not_before is None:
        return None
    last = lake.landing.latest(source.name, key)
    return Fetched(key, last) if last and last.fetched_at >= not_before else None


def _attempt(key: str, fetch: Callable[[], Payload]) -> Fetched:
    try:
        return Fetched(key, fetch())
    except AccelmartError as e:
        return Fetched(key, None, str(e), e)


def is_fetched(source: ListSource) -> bool:
    """Whether it can be asked at all, given its keys."""
    return bool(source.plan(dict.fromkeys(source.needs, "key")))


def is_asked(source: ListSource) -> bool:
    """Whether it is asked here and now: not without its key, nor when it is switched off."""
    return plan_of(source, settings.source_settings())[1] is None


def _code_of(source: ListSource) -> dict[str, Any]:
    """The module of a source: its plan and its parser."""
    code = getattr(source.parse, "__code__", None)
    return code_metadata(Path(code.co_filename), code.co_firstlineno) if code else {}


def _started(context: dg.AssetExecutionContext) -> datetime | None:
    """When this run started, if this is not its first try."""
    record = (
        context.instance.get_run_record_by_id(context.op_execution_context.run_id)
        if context.retry_number
        else None
    )
    return datetime.fromtimestamp(record.start_time, UTC) if record and record.start_time else None


def landing_asset(source: ListSource) -> dg.AssetsDefinition:
    """The asset of a source's payloads; it is late when its cadence is missed, if it is asked."""

    @dg.asset(
        key=landing_key(source),
        group_name="landing",
        kinds={"http"},
        description=f"{source.title}, as it came. {source.licence}.",
        metadata={"source": dg.MetadataValue.url(source.home_url), **_code_of(source)},
        retry_policy=retry_policy(),
        freshness_policy=freshness_of(source.cadence) if is_asked(source) else None,
    )
    def price_list(
        context: dg.AssetExecutionContext, config: PriceFetchConfig, lake: LakeResource
    ) -> dg.MaterializeResult[None]:
        with judged(context):
            fetched = land_prices(lake.get(), source, config, not_before=_started(context))
        landed = [f.payload for f in fetched if f.payload]
        failed = {f.key: f.problem for f in fetched if not f.payload}
        metadata: dict[str, dg.MetadataValue] = {
            "landed": dg.MetadataValue.int(sum(p.outcome == "landed" for p in landed)),
            "unchanged": dg.MetadataValue.int(sum(p.outcome == "unchanged" for p in landed)),
            "bytes": dg.MetadataValue.int(sum(p.bytes for p in landed)),
            "payloads": dg.MetadataValue.json({p.key: p.sha256 for p in landed}),
        }
        if failed:
            told = "\n".join(f"{source.name} {key}: {problem}" for key, problem in failed.items())
            raise dg.Failure(
                f"{len(failed)} of {len(fetched)} fetches failed; their last good prices stay in force.\n{told}",
                metadata=metadata,
                allow_retries=is_worth_another_try(context, *(f.error for f in fetched if f.error)),
            )
        words = "\n".join(sorted(f"{p.key} {p.sha256}" for p in landed))
        return dg.MaterializeResult(
            data_version=dg.DataVersion(hashlib.sha256(words.encode()).hexdigest()[:16]), metadata=metadata
        )

    return price_list


LISTS = {**PRICE_SOURCES, **SPEC_SOURCES}
LIST_LANDING = {source.name: landing_asset(source) for source in LISTS.values()}

price_snapshot = dg.AssetSpec(
    PRICE_SNAPSHOT,
    group_name="landing",
    kinds={"parquet"},
    description="Dated prices shipped with the code, extracted by the same parsers; see NOTICE for their owners.",
)


def raw_key(table: str) -> dg.AssetKey:
    """Asset key of a raw price table."""
    return dg.AssetKey(["raw", table])


_TOLD = {
    "price_runs": "Equal consecutive prices of an offer within a month, with the evidence of the first.",
    "price_polls": "When each price list was asked.",
    "price_rejects": "Records that are no offer, remarks, and what was left out by reason.",
    "price_reconciliation": "What became of every record of a payload.",
    "exchange_rates": "The ECB's reference rates.",
}


@dg.multi_asset(
    name="prices_raw",
    specs=[
        dg.AssetSpec(
            raw_key(table),
            deps=[*(landing_key(s) for s in PRICE_SOURCES.values()), PRICE_SNAPSHOT],
            group_name="raw",
            kinds={"python", "parquet"},
            description=_TOLD[table],
            code_version=str(sum(s.parser_version for s in PRICE_SOURCES.values())),
            automation_condition=follows_landing(),
            freshness_policy=freshness_of(EXCHANGE_RATES if table == RATES else PRICES),
        )
        for table in BUNDLE_TABLES
    ],
    retry_policy=retry_policy(),
    check_specs=[
        dg.AssetCheckSpec(
            "every_price_payload_is_readable",
            asset=raw_key("price_runs"),
            description="A stored payload that its parser cannot read any more is named; the others are used.",
        )
    ],
)
def prices_raw(
    context: dg.AssetExecutionContext, lake: LakeResource
) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
    """Parse what is new, and fold the months it belongs to."""
    started = time.monotonic()
    with judged(context):
        bundles, unreadable = price_bundles(lake.get())
    for table in BUNDLE_TABLES:
        files = [b.path(table) for b in bundles if b.path(table).exists()]
        yield dg.MaterializeResult(
            asset_key=raw_key(table),
            data_version=dg.DataVersion(data_version(bundles)),
            metadata={
                "files": len(files),
                "bytes": sum(f.stat().st_size for f in files),
                "duration_s": round(time.monotonic() - started, 3),
            },
        )
    yield dg.AssetCheckResult(
        asset_key=raw_key("price_runs"),
        check_name="every_price_payload_is_readable",
        passed=not unreadable,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={UNREADABLE: dg.MetadataValue.json(unreadable)},
    )


@dg.multi_asset(
    name="specs_raw",
    specs=[
        dg.AssetSpec(
            raw_key(table),
            deps=[*(landing_key(s) for s in SPEC_SOURCES.values()), PRICE_SNAPSHOT],
            group_name="raw",
            kinds={"python", "parquet"},
            description=text,
            code_version=str(sum(s.parser_version for s in SPEC_SOURCES.values())),
            automation_condition=follows_landing(),
            freshness_policy=freshness_of(SPECIFICATIONS),
        )
        for table, text in {
            "spec_values": "Every figure of a specification table, in the source's words beside the typed value.",
            "spec_rejects": "Figures that cannot be trusted, and what was left out by reason.",
            "spec_reconciliation": "What became of every figure of a payload.",
        }.items()
    ],
    retry_policy=retry_policy(),
    check_specs=[
        dg.AssetCheckSpec(
            "every_specification_is_readable",
            asset=raw_key("spec_values"),
            description="A stored payload that its parser cannot read any more is named; the others are used.",
        )
    ],
)
def specs_raw(
    context: dg.AssetExecutionContext, lake: LakeResource
) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
    """Parse the specifications that are new."""
    with judged(context):
        parts, problems = lake.get().spec_parts()
    for table in SPEC_TABLES:
        yield dg.MaterializeResult(
            asset_key=raw_key(table),
            data_version=dg.DataVersion(data_version(parts)),
            metadata={"files": len(parts), "dagster/row_count": sum(map(spec_records, parts))}
            if table == "spec_values"
            else {"files": len(parts)},
        )
    yield dg.AssetCheckResult(
        asset_key=raw_key("spec_values"),
        check_name="every_specification_is_readable",
        passed=not problems,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={UNREADABLE: dg.MetadataValue.json(problems)},
    )


def price_bundles(lake: Lake) -> tuple[list[Bundle], dict[str, str]]:
    """Parse and fold every price source; one that cannot be read does not hold up the others.

    Returns:
        (the bundles of all months, source → why not all of it could be read).
    """
    bundles, unreadable = [], {}
    with raw_layer(lake.home):
        for history in lake.price_histories():
            problems = history.parse()[1]
            if problems:
                unreadable[history.source.name] = "\n".join(problems)
            bundles += history.bundles()
    return bundles, unreadable
