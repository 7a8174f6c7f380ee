"""Alerts: sensors that send one alert per failed run, stale asset or failed check, and one when it is resolved.

An asset is stale if its last good data are older than the window of its freshness policy. Their time comes from the
manifest of the landing zone for a source, else from the latest materialization. Dagster's freshness state is not used:
the daemon computes it, so it does not change while the daemon is down.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import dagster as dg
from dagster import AssetCheckEvaluation, AssetKey, DagsterRunStatus, EventLogEntry

from ingest.core.fetch import plan_of
from ingest.core.landing import Landing
from ingest.core.source import Source
from ingest.registry import LIST_SOURCES
from orchestration.dagster_records import (
    PARTITION_NAME_TAG,
    WILL_RETRY_TAG,
    fail_window,
    is_failed,
    is_planned,
)
from orchestration.data_alerts import data_alerts
from orchestration.defs.mlperf.landing import ASSET_OF_SOURCE
from orchestration.defs.warehouse.scrub import DAMAGED, is_whole_again
from orchestration.list_landing import is_asked, landing_key
from orchestration.notify import Alert, AlertBook, AlertSettings, NotDeliveredError, alert_book, deliver
from orchestration.policies import words_of
from orchestration.settings import home, source_settings
from warehouse.home import Home

RUN_FAILED, STALE, CHECK_FAILED, NO_ANSWER = "run_failed", "stale", "check_failed", "no_answer"
_LIST_OF: dict[AssetKey, Source] = {landing_key(s): s for s in LIST_SOURCES.values()}
_RELEASES_OF = {asset.key: name for name, asset in ASSET_OF_SOURCE.items()}
_SHOWN = 5


@dg.run_failure_sensor(
    name="run_failure_alerts",
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Sends an alert for a failed run by webhook and e-mail: what failed, the error, what to do.",
)
def run_failure_alerts(context: dg.RunFailureSensorContext) -> None:
    """Queue and deliver an alert for a failed run, unless it will be retried.

    Raises:
        AlertSettingsError: a channel is configured wrongly.
        NotDeliveredError: a channel begins not to accept messages; `health_alerts` tries again.
    """
    settings = AlertSettings.from_environment()
    run = context.dagster_run
    if not settings.channels:
        context.log.info(_NO_CHANNEL)
    elif run.tags.get(WILL_RETRY_TAG, "").lower() == "true":
        context.log.info(f"run {run.run_id} will be retried: no alert yet")
    else:
        failures = context.get_step_failure_events()
        alert = _of_run(settings, run, words_of(failures) or context.failure_event.message or "")
        with alert_book(home()) as book:
            book.note([alert], over=[], channels=settings.channels)
            _deliver(book, settings)


_NO_CHANNEL = (
    "Alerts are not sent: set ACCELMART_ALERT_WEBHOOK, or ACCELMART_ALERT_EMAIL_TO with ACCELMART_SMTP_URL, "
    "in the environment of the code location"
)


@dg.sensor(
    name="health_alerts",
    minimum_interval_seconds=60,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description=(
        "Sends one alert for each stale asset and failed check, and one when it is resolved; delivers the outbox."
    ),
)
def health_alerts(context: dg.SensorEvaluationContext) -> dg.SkipReason:
    """Send alerts for new problems and for resolved ones.

    Raises:
        AlertSettingsError: a channel is configured wrongly.
        NotDeliveredError: a channel begins not to accept messages; later ticks try again, ever more rarely.
    """
    settings = AlertSettings.from_environment()
    if not settings.channels:
        return dg.SkipReason(_NO_CHANNEL)
    assert context.repository_def is not None
    graph, now = context.repository_def.asset_graph, datetime.now(UTC)
    here = home()
    with alert_book(here) as book:
        stale = list(_stale(context.instance, graph, here, book, settings, now))
        failed, unknown = _failed_checks(context.instance, graph, settings)
        others = [*data_alerts(here, settings), *_without_answer(book, settings)]
        wrong = {a.id for a in [*stale, *failed, *others]}
        over = [
            a.id
            for a in book.firing.values()
            if a.id not in wrong | unknown
            and (a.kind != RUN_FAILED or _came_good(context.instance, a))
            and (a.kind != DAMAGED or is_whole_again(here, a))
        ]
        queued = book.note([*stale, *failed, *others], over=over, channels=settings.channels)
        for alert in queued:
            context.log.info(f"{alert.status}: {alert.title}")
        delivered = _deliver(book, settings)
        waiting = "".join(f"\n{name}: {incident.state}" for name, incident in book.incidents.items())
        return dg.SkipReason(
            f"{len(book.firing)} alerts are firing, {len(queued)} are new, {delivered} deliveries{waiting}"
        )


SENSORS = [run_failure_alerts, health_alerts]


def _deliver(book: AlertBook, settings: AlertSettings) -> int:
    done, problems = deliver(book, settings)
    if problems:
        raise NotDeliveredError("\n".join(problems))
    return done


def _of_run(settings: AlertSettings, run: dg.DagsterRun, words: str) -> Alert:
    assets = sorted(k.to_user_string() for k in run.asset_selection or ())
    partition = run.tags.get(PARTITION_NAME_TAG, "")
    what = ", ".join(assets[:_SHOWN]) + (", …" if len(assets) > _SHOWN else "") or run.job_name
    return Alert(
        # one alert until it succeeds: a run that fails every hour has the same id
        id=f"{RUN_FAILED}:{run.job_name}:{','.join(assets)}:{partition}",
        kind=RUN_FAILED,
        title=f"run failed: {what}{f' ({partition})' if partition else ''}",
        words=words,
        since=datetime.now(UTC),
        remedy=(
            "look at the run; the published warehouse and the last good data are unchanged. After fixing the cause, "
            "launch it again from its page (Re-execute)"
        ),
        url=f"{settings.ui.rstrip('/')}/runs/{run.run_id}",
        of={"job": run.job_name, "assets": assets, "partition": partition},
    )


def _came_good(instance: dg.DagsterInstance, alert: Alert) -> bool:
    """Return whether the same run has succeeded since, or all its assets have been materialized since."""
    assets = [AssetKey.from_user_string(a) for a in alert.of["assets"]]
    tags = {PARTITION_NAME_TAG: alert.of["partition"]} if alert.of["partition"] else {}
    runs = instance.get_runs(
        dg.RunsFilter(
            job_name=alert.of["job"],
            tags=tags,
            statuses=[DagsterRunStatus.SUCCESS],
            updated_after=alert.since,
        ),
        limit=50,
    )
    if any(sorted(run.asset_selection or ()) == assets for run in runs):
        return True
    if not assets or tags:
        return False
    made = [instance.get_latest_materialization_event(key) for key in assets]
    return all(m is not None and m.timestamp > alert.since.timestamp() for m in made)


def _without_answer(book: AlertBook, settings: AlertSettings) -> Iterator[Alert]:
    for name, incident in book.incidents.items():
        yield Alert(
            id=f"{NO_ANSWER}:{name}",
            kind=NO_ANSWER,
            title=f"no answer: {name}",
            words=incident.words,
            since=incident.since,
            remedy="look whether it is down, and at the network; it is tried again by itself, more and more rarely",
            url=f"{settings.ui.rstrip('/')}/automation",
        )


def _stale(
    instance: dg.DagsterInstance,
    graph: Any,
    home: Home,
    book: AlertBook,
    settings: AlertSettings,
    now: datetime,
) -> Iterator[Alert]:
    watched = {
        key: policy
        for key in graph.get_all_asset_keys()
        if (policy := graph.get(key).freshness_policy) is not None and _is_asked(key)
    }
    records = {r.asset_entry.asset_key: r.asset_entry for r in instance.get_asset_records(list(watched))}
    landing = Landing(home.landing_url)
    for key, policy in watched.items():
        window = fail_window(policy)
        entry = records.get(key)
        events = [entry.last_materialization, entry.last_observation] if entry else []
        latest = max((e.timestamp for e in events if e), default=None)
        made = datetime.fromtimestamp(latest, UTC) if latest is not None else None
        good, detail = _landed(landing, key, made)
        # the age of an asset without data counts from the start of monitoring
        name = key.to_user_string()
        began = book.watched_since.setdefault(name, now)
        age = now - (good or began)
        if age <= window:
            continue
        source = _LIST_OF.get(key)
        command = f"`accelmart refresh {source.name}` fetches it now" if source else "launch it from its page"
        yield Alert(
            id=f"{STALE}:{name}",
            kind=STALE,
            title=f"stale: {name}",
            words=(
                f"the last good data are {_days(age.total_seconds())} old; allowed: {_days(window.total_seconds())}"
                if good
                else f"no data for {_days(age.total_seconds())} since monitoring began"
            )
            + detail
            + ". The last good data stay published, with their age",
            since=(good or began) + window,
            remedy=f"look at its last runs and their errors; {command}",
            url=f"{settings.ui.rstrip('/')}/assets/{'/'.join(map(quote, key.path))}",
        )


def _is_asked(key: AssetKey) -> bool:
    source = _LIST_OF.get(key)
    return source is None or is_asked(source)


def _landed(landing: Landing, key: AssetKey, made: datetime | None) -> tuple[datetime | None, str]:
    """Return the time of the last good data of an asset (None if there are none) and details for the message.

    A source with several keys is as old as its oldest key, so that a failing region is noticed.
    """
    if source := _LIST_OF.get(key):
        seen = {f.key: landing.latest(source.name, f.key) for f in plan_of(source, source_settings())[0]}
        if not any(seen.values()):
            return None, ""
        never = [k for k, payload in seen.items() if payload is None]
        times = {k: p.fetched_at for k, p in seen.items() if p is not None}
        oldest = min(times.values())
        late = sorted(times, key=lambda k: times[k])[:_SHOWN]
        detail = f" ({', '.join(f'{k}: {times[k]:%Y-%m-%d %H:%M}' for k in late)}" if len(seen) > 1 else ""
        if never and detail:
            detail += f"; never fetched: {', '.join(never[:_SHOWN])}"
        return oldest, f"{detail})" if detail else ""
    if name := _RELEASES_OF.get(key):
        latest = [p.fetched_at for k in landing.keys(name) if (p := landing.latest(name, k))]
        return max([*latest, *([made] if made else [])], default=None), ""
    return made, ""


def _failed_checks(
    instance: dg.DagsterInstance, graph: Any, settings: AlertSettings
) -> tuple[list[Alert], set[str]]:
    """Return alerts for checks whose last evaluation failed with severity ERROR, and ids of checks being evaluated."""
    latest = instance.event_log_storage.get_latest_asset_check_execution_by_key(list(graph.asset_check_keys))
    failed, unknown = [], set()
    for key, record in latest.items():
        name = f"{key.asset_key.to_user_string()}:{key.name}"
        identity = f"{CHECK_FAILED}:{name}"
        if is_planned(record):
            unknown.add(identity)  # not evaluated yet: an alert keeps its state
        evaluation = _evaluation(record.event)
        if not is_failed(record) or evaluation is None or evaluation.severity != dg.AssetCheckSeverity.ERROR:
            continue
        failed.append(
            Alert(
                id=identity,
                kind=CHECK_FAILED,
                title=f"check failed: {key.name} of {key.asset_key.to_user_string()}",
                words=_result_of(evaluation),
                since=datetime.fromtimestamp(record.create_timestamp, UTC),
                remedy=(
                    "look at the result of the check; the published warehouse is unchanged. Fix the data or the rule, "
                    "then `accelmart build`"
                ),
                url=f"{settings.ui.rstrip('/')}/assets/{'/'.join(map(quote, key.asset_key.path))}"
                f"?view=checks&checkDetail={quote(key.name)}",
                of={"run": record.run_id},
            )
        )
    return failed, unknown


def _evaluation(event: EventLogEntry | None) -> AssetCheckEvaluation | None:
    data = event.dagster_event.event_specific_data if event and event.dagster_event else None
    return data if isinstance(data, AssetCheckEvaluation) else None


def _result_of(evaluation: AssetCheckEvaluation) -> str:
    values = [f"{n}: {str(v.value)[:300]}" for n, v in evaluation.metadata.items() if _is_plain(v)]
    return "\n".join([evaluation.description or "the check failed", *values])


def _is_plain(value: dg.MetadataValue) -> bool:
    return isinstance(value.value, str | int | float | list | dict)


def _days(seconds: float) -> str:
    return f"{seconds / 86400:.1f} days" if seconds >= 2 * 86400 else f"{seconds / 3600:.1f} hours"
