"""Landing of lists: what all lists share. One asset a source; only landing talks to upstream."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import dagster as dg

from ingest.core.errors import AccelmartError
from ingest.core.fetch import land_origin, plan_of, run_fetch
from ingest.core.http import NoAnswer
from ingest.core.landing import Landing
from ingest.core.payload import Payload
from ingest.core.payloads import Judge
from ingest.core.source import Source
from ingest.prices.dated import is_dated, moment_of
from ingest.prices.registry import PRICE_SOURCES
from ingest.registry import LIST_SOURCES, SERVING_SOURCES
from orchestration import http_clients, settings
from orchestration.metadata import code_metadata
from orchestration.policies import freshness_of, is_worth_another_try, judged, retry_policy
from orchestration.publication import DATA_VERSION
from warehouse.home import Home
from warehouse.parsing import keep_parts


class PriceFetchConfig(dg.Config):
    """What to bring of a price source.

    Args:
        key: one key of its plan; empty is all of them. With `origin`: the key to land under, ``<key>@<date>`` for
            prices that held on a date.
        origin: file, folder, tarball, URL or git repository in place of upstream.
    """

    key: str = ""
    origin: str = ""


@dataclass(frozen=True)
class Fetched:
    """What became of one unit of a plan: a payload, or why there is none; without words it was not tried."""

    key: str
    payload: Payload | None
    problem: str = ""
    error: AccelmartError | None = None


def asset_name(source: Source) -> str:
    """Name of a source's asset."""
    return source.name.replace("-", "_")


def landing_key(source: Source) -> dg.AssetKey:
    """Asset key of a source's landing."""
    return dg.AssetKey(["landing", asset_name(source)])


def group_of(source: Source) -> str:
    """Return the asset group of a source's landing asset."""
    if source.name in SERVING_SOURCES:
        return "landing_serving"
    return "landing_prices" if source.name in PRICE_SOURCES else "landing_specs"


def land_lists(
    home: Home, source: Source, config: PriceFetchConfig, *, not_before: datetime | None = None
) -> list[Fetched]:
    """Land and parse the lists of a source; a list that fails does not hold up the rest, a server without answer does.

    Args:
        home: the installation.
        source: registered source.
        config: what of it.
        not_before: skip keys that were fetched since then: another try is for those that failed.

    Raises:
        AccelmartError: the source is not asked (no key, nothing to fetch), or there is no such key.
    """
    landing, client = Landing(home.landing_url), http_clients.http_client()
    if config.origin:
        _require_key(config.key)
        run = partial(land_origin, landing, source, config.key, config.origin, client, home.repositories)
        return [_attempt(home, source, config.key, run)]
    fetches, reason = plan_of(source, settings.source_settings())
    if reason:
        raise AccelmartError(reason)
    chosen = [f for f in fetches if config.key in ("", f.key)]
    if not chosen:
        raise AccelmartError(
            f"{source.name} has no key {config.key!r}. Keys: {', '.join(f.key for f in fetches)}"
        )
    fetched = list[Fetched]()
    for fetch in chosen:
        run = partial(run_fetch, landing, source, fetch, client)
        fetched.append(
            _came_already(landing, source, fetch.key, not_before)
            or _attempt(home, source, fetch.key, run, is_page=fetch.is_page)
        )
        if isinstance(error := fetched[-1].error, NoAnswer):
            return fetched + [Fetched(f.key, None, "", error) for f in chosen[len(fetched) :]]
    return fetched


def _require_key(key: str) -> None:
    if not key:
        raise AccelmartError("say what it is with --key, such as --key us-east-1@20260910195514")
    if is_dated(key):
        moment_of(key)


def _came_already(landing: Landing, source: Source, key: str, not_before: datetime | None) -> Fetched | None:
    if not_before is None:
        return None
    last = landing.latest(source.name, key)
    return Fetched(key, last) if last and last.fetched_at >= not_before else None


def _attempt(
    home: Home, source: Source, key: str, fetch: Callable[[Judge], Payload], *, is_page: bool = False
) -> Fetched:
    judge = Judge(source, key, is_page=is_page)
    try:
        payload = fetch(judge)
        keep_parts(home, source, payload, judge.parts)
        return Fetched(key, payload)
    except AccelmartError as e:
        return Fetched(key, None, str(e), e)


def is_fetched(source: Source) -> bool:
    """Whether it can be asked at all, given its keys."""
    return bool(source.plan(dict.fromkeys(source.needs, "key")))


def is_asked(source: Source) -> bool:
    """Whether it is asked here and now: not without its key, nor when it is switched off."""
    return plan_of(source, settings.source_settings())[1] is None


def _code_of(source: Source) -> dict[str, Any]:
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


def problem_of(source: Source, fetched: list[Fetched]) -> str:
    """Return what of a source could not be had, one line each below a summary; empty if nothing."""
    failed = [f for f in fetched if not f.payload]
    summary = f"{len(failed)} of {len(fetched)} fetches failed; their last good prices stay in force."
    problems = [f"{source.name} {f.key}: {f.problem}" for f in failed if f.problem]
    return "\n".join([summary, *problems]) if failed else ""


def materialization(source: Source, fetched: list[Fetched]) -> dg.AssetMaterialization:
    """Return the event that a source's payloads were landed."""
    landed = [f.payload for f in fetched if f.payload]
    words = "\n".join(sorted(f"{p.key} {p.sha256}" for p in landed))
    return dg.AssetMaterialization(
        landing_key(source),
        metadata={
            "landed": dg.MetadataValue.int(sum(p.outcome == "landed" for p in landed)),
            "unchanged": dg.MetadataValue.int(sum(p.outcome == "unchanged" for p in landed)),
            "bytes": dg.MetadataValue.int(sum(p.bytes for p in landed)),
            "payloads": dg.MetadataValue.json({p.key: p.sha256 for p in landed}),
        },
        tags={DATA_VERSION: hashlib.sha256(words.encode()).hexdigest()[:16]},
    )


def landing_asset(source: Source) -> dg.AssetsDefinition:
    """The asset of a source's payloads; it is late when its cadence is missed, if it is asked."""

    @dg.asset(
        key=landing_key(source),
        group_name=group_of(source),
        kinds={"http"},
        description=f"Payloads of {source.title}, unchanged. {source.licence}.",
        metadata={"source": dg.MetadataValue.url(source.home_url), **_code_of(source)},
        retry_policy=retry_policy(),
        freshness_policy=freshness_of(source.cadence) if is_asked(source) else None,
    )
    def price_list(context: dg.AssetExecutionContext, config: PriceFetchConfig) -> dg.MaterializeResult[None]:
        with judged(context):
            fetched = land_lists(settings.home(), source, config, not_before=_started(context))
        event = materialization(source, fetched)
        if problem := problem_of(source, fetched):
            errors = (f.error for f in fetched if f.error)
            retried = is_worth_another_try(context, *errors)
            raise dg.Failure(problem, metadata=event.metadata, allow_retries=retried)
        version = dg.DataVersion((event.tags or {})[DATA_VERSION])
        return dg.MaterializeResult(data_version=version, metadata=event.metadata)

    return price_list


LIST_LANDING = {source.name: landing_asset(source) for source in LIST_SOURCES.values()}
