"""Names, order and addresses of MLPerf rounds, and the spelling of scenarios, divisions and suites.

Facts checked on the published v2.0–v5.1 data and the v6.1 sample, 2026-11.
"""

from __future__ import annotations

import re

from ingest.core.errors import NotARelease

SCENARIOS = ("Offline", "Server", "Interactive", "SingleStream", "MultiStream")
DIVISIONS = ("closed", "open", "network")
SUITES = ("datacenter", "edge")
DUAL_SUITES = ("datacenter,edge", "edge,datacenter")

# What is unknown keeps the source's words behind this prefix, as a key of its own.
UNMAPPED = "unmapped:"

_SCENARIO_BY_LOWER = {name.lower(): name for name in SCENARIOS}
_RELEASE = re.compile(r"v?([0-9]{1,2})\.([0-9]{1,2})")


def normalise_release(text: str) -> str:
    """``5.1`` or ``v5.1`` → ``v5.1``.

    Raises:
        NotARelease: not a round's name.
    """
    match = _RELEASE.fullmatch(text.strip().lower())
    if not match:
        raise NotARelease(f"{text!r} is not an MLPerf round; write it like v5.1")
    return f"v{match[1]}.{match[2]}"


def release_order(release: str) -> tuple[int, int]:
    """Sort key of a round: ``v4.1`` → (4, 1)."""
    major, minor = normalise_release(release)[1:].split(".")
    return int(major), int(minor)


def is_between(release: str, first: str, last: str) -> bool:
    """Whether a round is one of those from `first` to `last`; an empty one sets no bound."""
    order = release_order(release)
    return (not first or release_order(first) <= order) and (not last or order <= release_order(last))


def normalise_scenario(text: str) -> str | None:
    """MLCommons' spelling of a scenario whatever the letter case of the folder; None when it is none.

    Logs of v0.5 and v0.7 say ``Single Stream`` (checked on both, 2026-11).
    """
    return _SCENARIO_BY_LOWER.get("".join(text.lower().split()))


def scenario_or_unmapped(text: str) -> str:
    """MLCommons' spelling of a scenario, or ``unmapped:<words>`` for one that is unknown."""
    return normalise_scenario(text) or f"{UNMAPPED}{text.strip()}"


def inference_repository(release: str) -> str:
    """Public repository of an inference round."""
    return f"https://github.com/mlcommons/inference_results_{release}"


def training_repository(release: str) -> str:
    """Public repository of a training round."""
    return f"https://github.com/mlcommons/training_results_{release}"


def round_of_repository(name: str) -> tuple[str, str] | None:
    """``inference_results_v5.1`` → (``mlperf-inference``, ``v5.1``); None for other names."""
    match = re.fullmatch(r"(inference|training)_results_(v\d+\.\d+)", name)
    return (f"mlperf-{match[1]}", match[2]) if match else None


def clean_location(text: str) -> str:
    """Path of a result's scenario folder inside its repository.

    v6.x publishes ``./closed/…/performance/run_1``, earlier rounds the scenario folder itself.
    """
    path = text.strip().removeprefix("./").strip("/")
    return path.removesuffix("/performance/run_1")


def result_url(release: str, location: str) -> str:
    """Address of a result's folder in the public repository.

    Rebuilt from the location because published links point to ``tree/main`` of other trees or, in
    v4.1 and v6.0, to private repositories.
    """
    return f"{inference_repository(release)}/tree/main/{location.replace(' ', '%20')}"
