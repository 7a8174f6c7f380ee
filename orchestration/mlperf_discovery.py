"""MLPerf rounds as they appear: a sensor that looks at MLCommons' repositories on GitHub."""

import time

import dagster as dg

from accelmart.http import retry_policy
from accelmart.urls import public_url
from ingest.core.errors import FetchFailed
from ingest.core.landing import Landing
from ingest.mlperf.discovery import Head, RateLimited, State, discover
from ingest.mlperf.registry import MLPERF_INFERENCE, MLPERF_TRAINING
from orchestration import http_clients, settings
from orchestration.landing import LANDING, RELEASES
from orchestration.policies import sensor_interval
from warehouse.inputs.active import INFERENCE_SOURCES, TRAINING_SOURCES, known_rounds
from warehouse.storage.home import Home

DISCOVERY = "mlperf_discovery"
HEADS_TAG = "accelmart/commit"
# a tick has to end within a minute; what is left over is asked at the next one
_TIMEOUT_SECONDS = 20.0
# an hour after it failed, unless the delay of retries is set otherwise
_WAIT_BEFORE_ANOTHER_TRY = 60
_TRIES = 5
# source of rounds → sources whose payloads have results of them
_SOURCES = {MLPERF_INFERENCE: INFERENCE_SOURCES, MLPERF_TRAINING: TRAINING_SOURCES}


def _is_news(home: Home, head: Head, first: str) -> bool:
    """Whether a commit is to be fetched: it is not what is landed, nor what is shipped as far as can be known."""
    landed = Landing(home.landing_url).latest(head.source, head.release)
    if landed is not None:
        return landed.details.get("commit") != head.commit
    # of a round that is shipped with the code, only what comes after the first sight is news
    return head.commit != first or head.release not in known_rounds(home, *_SOURCES[head.source])


def _next_try(instance: dg.DagsterInstance, head: Head) -> int | None:
    """Which try a fetch of this commit would be; None when it is under way, was done, or is not due again."""
    records = instance.get_run_records(dg.RunsFilter(tags={HEADS_TAG: head.key}))
    if not records:
        return 1
    failed = [r for r in records if r.dagster_run.status == dg.DagsterRunStatus.FAILURE]
    if len(failed) < len(records) or len(failed) >= _TRIES:
        return None
    ended = max(r.end_time or r.create_timestamp.timestamp() for r in failed)
    is_due = time.time() - ended > settings.RETRY_DELAY.read() * _WAIT_BEFORE_ANOTHER_TRY
    return len(failed) + 1 if is_due else None


@dg.sensor(
    name=DISCOVERY,
    description="Looks on GitHub for new MLPerf rounds and for new commits in known ones, and fetches them.",
    asset_selection=dg.AssetSelection.assets(*(LANDING[source] for source in _SOURCES)),
    minimum_interval_seconds=sensor_interval(3600),
    default_status=dg.DefaultSensorStatus.RUNNING
    if settings.AUTOMATION.read()
    else dg.DefaultSensorStatus.STOPPED,
)
def mlperf_discovery(context: dg.SensorEvaluationContext) -> dg.SensorResult:
    """Finds new MLPerf result repositories of MLCommons and new commits in known ones, and fetches them.

    A round of which facts are shipped with the code is fetched at its next commit, one that is new at once.
    """
    here, state = settings.home(), State.from_json(context.cursor)
    client = http_clients.http_client(
        retry=retry_policy(total=1, backoff_max=2), total_timeout_seconds=_TIMEOUT_SECONDS
    )
    try:
        discovery = discover(client, state, token=settings.GITHUB_TOKEN.read())
    except RateLimited as limited:
        return dg.SensorResult(skip_reason=str(limited), cursor=limited.state.to_json())
    except FetchFailed as error:
        return dg.SensorResult(skip_reason=public_url(str(error)), cursor=context.cursor)
    for name, problem in discovery.problems.items():
        context.log.warning("%s: %s", name, problem)
    requests, partitions, waiting = [], [], []
    for head in discovery.heads:
        releases = RELEASES[head.source]
        if not _is_news(here, head, discovery.state.first[head.repository]):
            continue
        number = _next_try(context.instance, head)
        if number is None:
            waiting.append(head.key)
            continue
        if not context.instance.has_dynamic_partition(str(releases.name), head.release):
            partitions.append(releases.build_add_request([head.release]))
        requests.append(
            dg.RunRequest(
                run_key=f"{head.key} try {number}",
                asset_selection=[LANDING[head.source].key],
                partition_key=head.release,
                tags={HEADS_TAG: head.key},
            )
        )
    reason = (
        f"{len(discovery.heads)} result repositories, nothing new "
        f"({discovery.requests} requests, {discovery.unchanged} unchanged)"
        + (f"; under way, or failed too often: {', '.join(waiting)}" if waiting else "")
        + ("" if discovery.is_whole else "; the rest is asked at the next look")
        + "".join(f"\n{name}: {problem}" for name, problem in discovery.problems.items())
    )
    return dg.SensorResult(
        run_requests=requests,
        skip_reason=None if requests else reason,
        dynamic_partitions_requests=partitions,
        cursor=discovery.state.to_json(),
    )
