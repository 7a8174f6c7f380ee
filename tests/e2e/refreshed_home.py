"""One installation in which every upstream is refreshed twice with faults, and one build follows.

In the first refresh the faults are temporary: every list is landed. In the second they last: a failing source is reported,
keeps its last good prices, and does not stop the others. The tests are in test_refresh.py.
"""

from dataclasses import replace
from types import SimpleNamespace

import replay_server as replay
from home_copies import copy_home
from replay_world import KEYS, world
from secret_marks import ENVIRONMENT

from ingest.core.source import plan_of
from ingest.registry import LIST_SOURCES

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


def other_price(_, reply):
    """Lambda's page with a changed price of eight B200: US$ 7.77 per GPU-hour."""
    return replace(reply, body=reply.body.replace(b"$6.69", b"$7.77"))


def refresh_and_build(accelmart, built_home, folder, price_data):
    """Refresh twice and build, on a copy of a built data root.

    Returns:
        `home`; `first` and `second` (outputs of the refreshes; the second builds).
    """
    home = copy_home(built_home, folder / "home")
    with world(price_data) as upstream:
        settings = {**SETTINGS, **ENVIRONMENT, "ACCELMART_MIRROR": upstream.url}
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
    return SimpleNamespace(home=home, first=first, second=second)
