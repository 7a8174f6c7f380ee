"""Landing: payloads, unchanged, one asset a source, with MLPerf rounds as partitions. Nothing else uses the network."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import dagster as dg

from accelmart.http import HttpClient, NoAnswer
from ingest.core.errors import AccelmartError
from ingest.core.fetch import Origin, fetch_payload
from ingest.core.fetch_plan import Fetch
from ingest.core.landing import Landing
from ingest.core.names import as_key
from ingest.core.payload import Payload
from ingest.core.source import Source, plan_of
from ingest.mlperf.registry import MLPERF_SOURCES
from ingest.mlperf.releases import normalise_release
from ingest.prices.dated import is_dated, moment_of
from ingest.prices.registry import PRICE_SOURCES
from ingest.registry import SERVING_SOURCES, SOURCES
from orchestration import settings
from orchestration.http_clients import http_client
from orchestration.policies import (
    code_of,
    freshness_of,
    is_worth_another_try,
    retry_policy,
    stating_retries,
    words_of_error,
)
from orchestration.publication import DATA_VERSION
from warehouse.inputs.parsing import write_parts
from warehouse.storage.home import Home

WHOLE = "all"
"""Key of a repository that is not split by round."""


class FetchConfig(dg.Config):
    """What to fetch of a source.

    Args:
        key: of a list, one key of its plan, empty for all; with `origin`, the key to land under, ``<key>@<date>`` for
            prices that held on a date. Of a round it is the partition.
        origin: file, folder, tarball, URL or git repository in place of the source's own address.
        ref: branch, tag or commit of a git repository; empty is its default branch.
    """

    key: str = ""
    origin: str = ""
    ref: str = ""


@dataclass(frozen=True)
class Fetched:
    """Result of one unit: a payload, or the error why there is none; without either it was not tried."""

    key: str
    payload: Payload | None = None
    error: Exception | None = None


def asset_name(source: Source) -> str:
    """Return the name of a source's asset."""
    return source.name.replace("-", "_")


def landing_key(source: Source) -> dg.AssetKey:
    """Return the asset key of a source's landing."""
    return dg.AssetKey(["landing", asset_name(source)])


def domain_of(source: Source) -> str:
    """Return the domain of a source, which ends the names of its asset groups."""
    domains = {"mlperf": MLPERF_SOURCES, "prices": PRICE_SOURCES, "serving": SERVING_SOURCES}
    return next((domain for domain, sources in domains.items() if source.name in sources), "specs")


def land(home: Home, source: Source, config: FetchConfig) -> list[Fetched]:
    """Land and parse payloads of a source; one that fails does not stop the others, a server without answer does.

    Args:
        home: the installation.
        source: registered source.
        config: what of it; `key` is the round of a source with rounds.

    Raises:
        AccelmartError: the source is not asked (no key, nothing to fetch), or there is no such key.
    """
    chosen, client = _chosen(home, source, config), http_client()
    fetched = list[Fetched]()
    for wanted in chosen:
        fetched.append(_fetch(home, source, wanted, client))
        if isinstance(fetched[-1].error, NoAnswer):
            return fetched + [Fetched(other.key) for other in chosen[len(fetched) :]]
    return fetched


def _chosen(home: Home, source: Source, config: FetchConfig) -> Sequence[Fetch | Origin]:
    """Return what to fetch of a source; raise `AccelmartError` where that is nothing."""
    if config.origin or source.repository:
        key = _key_to_land_under(source, config.key)
        place = config.origin or source.address(key)
        return [Origin(key=key, place=place, checkouts=home.repositories, ref=config.ref or None)]
    fetches, reason = plan_of(source, settings.source_settings())
    if reason:
        raise AccelmartError(reason)
    chosen = [f for f in fetches if config.key in ("", f.key)]
    if not chosen:
        raise AccelmartError(
            f"{source.name} has no key {config.key!r}. Keys: {', '.join(f.key for f in fetches)}"
        )
    return chosen


def _fetch(home: Home, source: Source, wanted: Fetch | Origin, client: HttpClient) -> Fetched:
    """Download, parse and land one payload, and write its parts."""
    try:
        landing = Landing(home.landing_url)
        payload, parts = fetch_payload(landing, source, wanted, client)
        if parts:
            write_parts(home, source, landing.first_of(payload), parts)
        return Fetched(wanted.key, payload)
    except (AccelmartError, OSError) as e:
        return Fetched(wanted.key, error=e)


def _key_to_land_under(source: Source, key: str) -> str:
    """Return the key of a payload that is landed whole; raise `AccelmartError` for none, or one of another form."""
    if source.has_releases:
        if not key:
            raise AccelmartError(
                f"{source.name} comes by round: say which with --release, such as --release v5.1"
            )
        return normalise_release(key)
    if source.repository:
        if key not in ("", WHOLE):
            raise AccelmartError(f"{source.name} is not split by round: leave --release out")
        return WHOLE
    if not key:
        raise AccelmartError("say what it is with --key, such as --key us-east-1@20260910195514")
    if is_dated(as_key(key)):
        moment_of(key)
    return key


def is_fetched(source: Source) -> bool:
    """Return whether a list can be fetched at all, given its keys."""
    return bool(source.plan(dict.fromkeys(source.needs, "key")))


def is_asked(source: Source) -> bool:
    """Return whether a source is fetched here and now: not without its key, nor when it is switched off."""
    return source.has_releases or plan_of(source, settings.source_settings())[1] is None


def problem_of(home: Home, source: Source, fetched: list[Fetched]) -> str:
    """Return what of a source could not be fetched, one line each below a summary; empty if nothing."""
    failed = [f for f in fetched if not f.payload]
    if not failed:
        return ""
    good = [p.fetched_at for p in Landing(home.landing_url).newest(source.name) if p.outcome != "quarantined"]
    of = f"fetched on {max(good):%Y-%m-%d}" if good else "bundled with the code"
    summary = f"{len(failed)} of {len(fetched)} fetches failed; the last good data stay in use ({of})."
    problems = [f"{source.name} {f.key}: {words_of_error(f.error)}" for f in failed if f.error]
    return "\n".join([summary, *problems])


def materialization(source: Source, fetched: list[Fetched]) -> dg.AssetMaterialization:
    """Return the event that payloads of a source were landed."""
    landed = [f.payload for f in fetched if f.payload]
    text = "\n".join(sorted(f"{p.key} {p.sha256}" for p in landed))
    trees = {p.key: p.details for p in landed if source.repository}
    return dg.AssetMaterialization(
        landing_key(source),
        partition=fetched[0].key if source.has_releases else None,
        metadata={
            "landed": dg.MetadataValue.int(sum(p.outcome == "landed" for p in landed)),
            "unchanged": dg.MetadataValue.int(sum(p.outcome == "unchanged" for p in landed)),
            "bytes": dg.MetadataValue.int(sum(p.bytes for p in landed)),
            "payloads": dg.MetadataValue.json({p.key: p.sha256 for p in landed}),
            **({"files": dg.MetadataValue.json(trees)} if trees else {}),
        },
        tags={DATA_VERSION: hashlib.sha256(text.encode()).hexdigest()[:16]},
    )


RELEASES = {
    source.name: dg.DynamicPartitionsDefinition(name=f"{asset_name(source)}_releases")
    for source in MLPERF_SOURCES.values()
    if source.has_releases
}
"""Partitions of a source with rounds, by its name."""


def landing_asset(source: Source) -> dg.AssetsDefinition:
    """Return the asset of a source's payloads; a source with rounds has a partition a round."""

    @dg.asset(
        key=landing_key(source),
        group_name="landing",
        tags={domain_of(source): ""},
        kinds={"git", "file"} if source.repository else {"http"},
        description=f"Files fetched from {source.title}, stored unchanged. Licence: {source.licence}.",
        metadata={"source": dg.MetadataValue.url(source.home_url), **code_of(source.parse)},
        partitions_def=RELEASES.get(source.name),
        retry_policy=retry_policy(),
        # stale when its cadence is missed, if it is asked
        freshness_policy=freshness_of(source.cadence) if is_asked(source) else None,
    )
    def landed(context: dg.AssetExecutionContext, config: FetchConfig) -> dg.MaterializeResult[None]:
        home, key = settings.home(), context.partition_key if context.has_partition_key else config.key
        with stating_retries():
            chosen = FetchConfig(key=key, origin=config.origin, ref=config.ref)
            fetched = land(home, source, chosen)
        event = materialization(source, fetched)
        if problem := problem_of(home, source, fetched):
            retried = is_worth_another_try(*(f.error for f in fetched if f.error))
            raise dg.Failure(problem, metadata=event.metadata, allow_retries=retried)
        version = dg.DataVersion((event.tags or {})[DATA_VERSION])
        return dg.MaterializeResult(data_version=version, metadata=event.metadata)

    return landed


LANDING = {source.name: landing_asset(source) for source in SOURCES.values()}
"""The landing asset of every source, by its name."""
