"""Where the files of an MLPerf Training release stand.

| round | layout (checked on v0.5 to v0.7, v3.1 to v5.1 and single files of v6.0, 2026-11) |
| --- | --- |
| v0.5 | ``v0.5.0/<organisation>/<submission…>/results/<system>/<benchmark>/result_*.txt``, ``…/<system>/entry.json`` |
| since | ``<submitter>/results/<system>/<benchmark>/result_*.txt``, ``<submitter>/systems/<system>.json`` |
| v0.6 | one submitter has ``<submitter>/results/<system>/entry.json`` in place of the latter |
| v0.7 | a few submitters leave the folder of the benchmark out |
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import NamedTuple

from ingest.mlperf.training_systems import system_file_aliases

V05, V06 = "v0.5", "v0.6"
_V05_TOP = "v0.5.0"
ENTRY = "entry.json"
"""Describes a system in v0.5, and one of v0.6."""

PATTERNS = (
    "/*/systems/*.json",
    "/*/results/**/result_*.txt",
    "/*/results/*/*/scaling.json",
    "/*/results/*/*/power/*/node_*.txt",
    "/*/results/*/*/power/*/sw_*.txt",
    f"/{_V05_TOP}/**/results/*/*/result_*.txt",
    f"/{_V05_TOP}/**/results/*/entry.json",
    f"/{_V05_TOP}/**/submission.json",
    "/*/results/*/entry.json",
    "/*/submission.json",
    # what stands in no form that is read, to be named
    "/*/results/**/result*",
    "/*/results/**/run*",
    "/*/results/**/*.log*",
    "/*/*/systems/*.json",
    "/*/*/results/**/result*",
    "/*/*/results/**/run*",
    "/*/*/results/**/*.log*",
)
"""What of a release is read or named; the rest is code."""

LOG_FORM = "logs are read as <submitter>/results/<system>/<benchmark>/result_*.txt"
"""Remedy for what stands in another form."""


class Place(NamedTuple):
    """A folder of logs. `benchmark` is the folder's name, empty where the logs stand in the system's folder."""

    submitter: str
    system: str
    benchmark: str
    location: str


def kind_and_place(path: str) -> tuple[str | None, Place | None]:
    """Return what a file is, and of which folder of logs.

    Args:
        path: inside the repository.

    Returns:
        (system | submission | log | scaling | power, other for a file of a results folder that is none of them, or
        None for a file elsewhere; the place for a log, scaling or power file, None when the log's folder fits no
        layout).
    """
    parts = path.split("/")
    name = parts[-1]
    if name == "submission.json":
        return "submission", None
    if name == ENTRY and "results" in parts[1:-1]:
        return "system", None
    if len(parts) in (3, 4) and parts[-2] == "systems" and name.endswith(".json"):
        return "system", None
    if "results" not in parts[1:-1]:
        return None, None
    if len(parts) > 3 and parts[-3] == "power":
        return "power", _place(parts[:-3])
    if name == "scaling.json":
        return "scaling", _place(parts[:-1])
    if fnmatchcase(name, "result_*.txt"):
        return "log", _place(parts[:-1])
    return "other", None


def system_paths(release: str, place: Place) -> tuple[str, ...]:
    """Return where a file may describe a result's system, the usual place first.

    Args:
        release: the round.
        place: of the result.
    """
    folder = place.location.removesuffix(f"/{place.benchmark}") if place.benchmark else place.location
    entry = f"{folder}/{ENTRY}"
    if release == V05:
        return (entry,)
    name = system_file_aliases().get((release, place.submitter, place.system), place.system)
    return f"{place.submitter}/systems/{name}.json", entry


def _place(folder: list[str]) -> Place | None:
    location = "/".join(folder)
    if folder[0] == _V05_TOP:
        at = len(folder) - 3
        if at < 2 or folder[at] != "results":
            return None
        # one organisation has several submissions, whose systems may share a name; "submission" names nothing
        system = [p for p in (*folder[2:at], folder[-2]) if p != "submission"]
        return Place(folder[1], "_".join(system), folder[-1], location)
    if folder[1] != "results" or len(folder) not in (3, 4):
        return None
    return Place(folder[0], folder[2], folder[3] if len(folder) == 4 else "", location)
