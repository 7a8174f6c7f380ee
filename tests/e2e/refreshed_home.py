"""One new installation: MLPerf rounds are discovered, every upstream is refreshed twice with faults, and one build follows.

Discovery and alerts are evaluated in this process as by the daemon; requested runs are executed, lists are refreshed
and the warehouse is built once with the real commands. In the first refresh the faults are temporary: every list is
landed. In the second they last: a failing source is reported, keeps its last good prices, and does not stop the others.
The tests are in test_first_day.py and test_refresh.py.
"""

from dataclasses import replace
from types import SimpleNamespace

import dagster as dg
import pytest
import replay_server as replay
from home_copies import copy_home
from mlcommons import MLCommons
from replay_world import KEYS, world
from small_training import small_training_round
from webhook import Receiver

from ingest.core.fetch import plan_of
from ingest.registry import LIST_SOURCES
from orchestration.alerts import health_alerts
from orchestration.landing import LANDING
from orchestration.mlperf_discovery import mlperf_discovery

# without rate limits, as for a private mirror; three regions of AWS have real payloads
SETTINGS = {
    "ACCELMART_AWS_REGIONS": "us-east-1,us-west-2,eu-west-1",
    "ACCELMART_INFERENCEX": "on",
}
FETCHED = [s for s in LIST_SOURCES.values() if plan_of(s, {**SETTINGS, **KEYS})[1] is None]
LASTING = {
    "coreweave": ("www.coreweave.com", "/pricing", replay.changed_layout()),
    "hyperstack": ("www.hyperstack.cloud", "/gpu-pricing", replay.html_instead()),
    "runpod": ("api.runpod.io", "/graphql", replay.truncated_gzip()),
    "azure-retail-prices": ("prices.azure.com", "/api/retail/prices", replay.endless_paging()),
    "oci-price-list": ("apexapps.oracle.com", "/", replay.redirect_loop()),
    "vast": ("console.vast.ai", "/api/v0/bundles", replay.not_json()),
    "scaleway": ("api.scaleway.com", "/instance/v1/zones/fr-par-1", replay.refusal(403)),
    "nvidia": ("www.nvidia.com", "/en-us/data-center/gb200-nvl72", replay.changed_layout()),
    "neuron": ("raw.githubusercontent.com", "/aws-neuron", replay.html_instead()),
}
# the second refresh leaves out sources similar to others
AGAIN = [s for s in FETCHED if s.name not in ("rocm", "google-tpu", "gaudi")]


def requested(look):
    """Return the repositories that one discovery tick requests."""
    return {request.run_key.partition("@")[0] for request in look.run_requests or ()}


def run(request, instance):
    """Run what discovery requests: fetch one round."""
    done = dg.materialize(
        [*LANDING.values()],
        selection=request.asset_selection,
        partition_key=request.partition_key,
        instance=instance,
        tags=dict(request.tags),
    )
    assert done.success


def other_price(_, reply):
    """Lambda's page with a changed price of eight B200: US$ 7.77 per GPU-hour."""
    return replace(reply, body=reply.body.replace(b"$6.69", b"$7.77"))


def discover(mlcommons, instance):
    """Look for rounds three times, with the requested runs after the first and a commit after the second.

    Returns:
        Repositories that each look requested, and the number of requests to GitHub of the first.
    """

    def look(cursor=None):
        return mlperf_discovery(dg.build_sensor_context(instance, cursor=cursor))

    first = look()
    n_requests = 60 - mlcommons.github.left
    for addition in first.dynamic_partitions_requests:
        instance.add_dynamic_partitions(addition.partitions_def_name, addition.partition_keys)
    for request in first.run_requests:
        run(request, instance)
    second = look(first.cursor)
    mlcommons.push("training_results_v5.1", small_training_round() | {"README.md": "a correction"})
    third = look(second.cursor)
    return SimpleNamespace(
        first=requested(first), second=requested(second), after_commit=requested(third), n_requests=n_requests
    )


def refresh_and_build(accelmart, built_home, folder, price_data):
    """Discover, refresh twice, build and send alerts, on a copy of a built data root.

    Returns:
        `home`; `looks` (see `discover`); `first` and `second` (outputs of the refreshes; the second builds); `alerts`.
    """
    home = copy_home(built_home, folder / "home")
    with world(price_data) as upstream, Receiver() as receiver, pytest.MonkeyPatch.context() as patch:
        mlcommons = MLCommons(upstream, folder)
        mlcommons.push_every_round()
        settings = {
            **SETTINGS,
            **mlcommons.settings,
            "ACCELMART_MIRROR": upstream.url,
            "NO_PROXY": "127.0.0.1",
            "ACCELMART_HOME": str(home),
        }
        patch.delenv("GITHUB_TOKEN", raising=False)
        for name, value in settings.items():
            patch.setenv(name, value)
        with dg.DagsterInstance.ephemeral(tempdir=str(folder)) as instance:
            looks = discover(mlcommons, instance)
            settings |= upstream.keys
            upstream.fault("lambda.ai", "/pricing", replay.altered(other_price))
            upstream.fault("pricing.us-east-1.amazonaws.com", "/offers", replay.too_many_requests("0").once())
            upstream.fault("raw.githubusercontent.com", "/skypilot-org", replay.server_error().for_first(2))
            upstream.fault("lambda.ai", "/pricing", replay.reset_mid_body().once())
            upstream.fault("nebius.com", "/", replay.truncated_gzip().once())
            first = accelmart(home, "refresh", "--no-build", settings=settings, timeout=900)
            upstream.heal()
            upstream.fault("lambda.ai", "/pricing", replay.altered(other_price))
            for host, path, what in LASTING.values():
                upstream.fault(host, path, what)
            second = accelmart(home, "refresh", *(s.name for s in AGAIN), settings=settings, timeout=900)
            patch.setenv("ACCELMART_ALERT_URLS", receiver.url)
            cursor = None
            for _ in range(3):
                cursor = health_alerts(dg.build_sensor_context(instance, cursor=cursor)).cursor
            alerts = receiver.alerts()
    return SimpleNamespace(home=home, looks=looks, first=first, second=second, alerts=alerts)
