"""Alerts to the URLs of ``ACCELMART_ALERT_URLS``: one for a failed run, an opened problem and a resolved one.

A URL that does not accept a message gets it again at the next evaluation of `health_alerts`, whose cursor has the
problems that each URL knows. A failed run has a tag for each URL that has not accepted its alert.
"""

from __future__ import annotations

import json
import logging

import apprise
import dagster as dg

from orchestration import settings
from orchestration.policies import sensor_interval
from orchestration.problems import UNREADABLE, list_problems

# messages of these libraries may contain an alert URL, which is a secret
logging.getLogger("apprise").setLevel(logging.CRITICAL)
for _name in ("urllib3.connectionpool", "urllib3.util.retry"):
    logging.getLogger(_name).setLevel(logging.INFO)

_NO_URL = "Alerts are not sent: set ACCELMART_ALERT_URLS in the environment of the code location."
_PARTITION, _WILL_RETRY = "dagster/partition", "dagster/will_retry"
_TAG, _UNDELIVERED = "accelmart/alert_{}", "undelivered"
_RUNS_COMPARED = 100
_ITEMS_MAX, _CHARS_MAX = 30, 1000  # of a message; the next evaluation sends further problems
# chat services read text in angle brackets as a mention, and names come from upstream
_NO_MENTION = str.maketrans("<>", "‹›")


def read_channels() -> list[apprise.Apprise]:
    """Return a channel for each alert URL.

    Raises:
        SettingError: Apprise does not know a URL. The message does not show it.
    """
    channels = []
    for number, url in enumerate(settings.ALERT_URLS.read(), 1):
        channel = apprise.Apprise(asset=apprise.AppriseAsset(app_id="accelmart", async_mode=False))
        if not channel.add(url):
            name, allowed = settings.ALERT_URLS.name, settings.ALERT_URLS.allowed
            raise settings.SettingError(f"{name}: URL {number} is unknown to Apprise: give {allowed}")
        channel[0].overflow_mode = apprise.OverflowMode.SPLIT
        channels.append(channel)
    return channels


@dg.run_failure_sensor(
    name="run_failure_alerts",
    minimum_interval_seconds=sensor_interval(30),
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Sends an alert when a run fails: what failed, why, and a link to the run.",
)
def run_failure_alerts(context: dg.RunFailureSensorContext) -> None:
    """Send an alert for a failed run, unless it will be retried or the run before it failed too."""
    run, instance = context.dagster_run, context.instance
    if _will_retry(run) or _failed_before(instance, run):
        context.log.info(f"No alert: run {run.run_id} will be retried, or the run before it failed too.")
        return
    for number, channel in enumerate(read_channels(), 1):
        if not _send(context.log, channel, [_describe(instance, run)]):
            instance.add_run_tags(run.run_id, {_TAG.format(number): _UNDELIVERED})


@dg.sensor(
    name="health_alerts",
    minimum_interval_seconds=sensor_interval(60),
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Sends an alert when a problem of `accelmart status --json` begins, and another when it ends.",
)
def health_alerts(context: dg.SensorEvaluationContext) -> dg.SensorResult:
    """Send to each URL the failed runs it has not accepted, then the opened problems, then the resolved ones."""
    channels = read_channels()
    if not channels:
        return dg.SensorResult(skip_reason=_NO_URL, cursor=context.cursor)
    problems = {p.id: p for p in list_problems(settings.home())}
    known: list[dict[str, str]] = json.loads(context.cursor or "[]")  # titles by id, for each URL
    known = [*known, *({} for _ in channels)][: len(channels)]
    for number, (channel, titles) in enumerate(zip(channels, known, strict=True), 1):
        opened = [p for p in problems.values() if p.id not in titles][:_ITEMS_MAX]
        # problems that an unreadable warehouse cannot list stay open
        resolved = [i for i in titles if i not in problems][:_ITEMS_MAX] if UNREADABLE not in problems else []
        if not _send_failed_runs(context, channel, _TAG.format(number)):
            continue
        if opened:
            if not _send(context.log, channel, [f"{p.title}\n{p.detail}" for p in opened]):
                continue
            titles.update({p.id: p.title for p in opened})
        if resolved:
            items = [f"Resolved: {titles[i]}" for i in resolved]
            if _send(context.log, channel, items, apprise.NotifyType.SUCCESS):
                for identity in resolved:
                    del titles[identity]
    behind = sum(titles.keys() != problems.keys() for titles in known)
    reason = f"{len(problems)} problems are open; {behind} of {len(channels)} URLs have not got every alert."
    return dg.SensorResult(skip_reason=reason, cursor=json.dumps(known))


def _send(
    log: logging.Logger,
    channel: apprise.Apprise,
    items: list[str],
    kind: apprise.NotifyType = apprise.NotifyType.FAILURE,
) -> bool:
    """Send items as one message without secrets, and return whether it was accepted; a failure is logged."""
    texts = [settings.hide_secrets(item).translate(_NO_MENTION) for item in items]
    title = texts[0].partition("\n")[0] + (f" (and {len(texts) - 1} more)" if texts[1:] else "")
    body = "\n".join([*(f"* {text[:_CHARS_MAX]}" for text in texts), settings.UI_URL.read()])
    if channel.notify(body, title, notify_type=kind, body_format=apprise.NotifyFormat.TEXT):
        return True
    service = channel[0].service_name
    log.warning(f"{service} did not accept an alert, which is sent again. See why: apprise -vv -b test URL")
    return False


def _send_failed_runs(context: dg.SensorEvaluationContext, channel: apprise.Apprise, tag: str) -> bool:
    """Send the alerts of failed runs with this tag, oldest first, and return whether all were accepted."""
    for run in reversed(context.instance.get_runs(dg.RunsFilter(tags={tag: _UNDELIVERED}))):
        if not _send(context.log, channel, [_describe(context.instance, run)]):
            return False
        context.instance.add_run_tags(run.run_id, {tag: "delivered"})
    return True


def _will_retry(run: dg.DagsterRun) -> bool:
    return run.tags.get(_WILL_RETRY, "").lower() == "true"


def _failed_before(instance: dg.DagsterInstance, run: dg.DagsterRun) -> bool:
    """Return whether the run before this one, of the same assets and partition, failed too."""
    ended = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE]
    earlier = dg.RunsFilter(job_name=run.job_name, statuses=ended)
    for other in instance.get_runs(earlier, cursor=run.run_id, limit=_RUNS_COMPARED):
        if _target(other) == _target(run) and not _will_retry(other):
            return other.status == dg.DagsterRunStatus.FAILURE
    return False


def _target(run: dg.DagsterRun) -> tuple[list[str], str]:
    assets = sorted(key.to_user_string() for key in run.asset_selection or ())
    return assets, run.tags.get(_PARTITION, "")


def _describe(instance: dg.DagsterInstance, run: dg.DagsterRun) -> str:
    """Return what failed and, below it, the errors and the page of the run."""
    kinds = {dg.DagsterEventType.STEP_FAILURE, dg.DagsterEventType.RUN_FAILURE}
    events = [e.dagster_event for e in instance.all_logs(run.run_id, of_type=kinds) if e.dagster_event]
    failures = [e.step_failure_data for e in events if e.is_step_failure]
    # every step of ours raises `dagster.Failure` with a description
    described = [f.user_failure_data.description or "" for f in failures if f.user_failure_data]
    errors = "\n".join(described or [e.message or "" for e in events])
    assets, partition = _target(run)
    page = f"{settings.UI_URL.read().rstrip('/')}/runs/{run.run_id}"
    return f"Run failed: {', '.join(assets) or run.job_name} {partition}\n{page}\n{errors}"
