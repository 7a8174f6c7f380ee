"""Dialect (d): the submission tree of a round — systems, logs of both harnesses, accuracy and power logs.

The only source of rounds without a summary (v0.5–v1.1, v5.0), and the second source of all others.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict
from functools import cache
from typing import Any

from ingest.core import values
from ingest.core.records import Parsed
from ingest.mlperf.endpoints import EARLY_SUMMARY, EndpointsReport, parse_report, result_of_report
from ingest.mlperf.endpoints import SUMMARY as ENDPOINTS_SUMMARY
from ingest.mlperf.entries import UNDECIDED, contradiction
from ingest.mlperf.loadgen import LogSummary, parse_log_summary, result_of_log
from ingest.mlperf.power import read_power
from ingest.mlperf.published import natural_key
from ingest.mlperf.records import InferenceResult, Unusable, read_fields
from ingest.mlperf.releases import (
    DIVISIONS,
    DUAL_SUITES,
    SUITES,
    normalise_scenario,
    result_url,
    scenario_or_unmapped,
)
from ingest.mlperf.tables import SEEDS, read_table

LOADGEN_LOG = "performance/run_1/mlperf_log_summary.txt"
_SPL, _DETAIL = "performance/run_1/spl.txt", "performance/run_1/mlperf_log_detail.txt"
_ACCURACY, _MEASUREMENTS = "accuracy/accuracy.txt", "measurements.json"
_RUN_FILES = (LOADGEN_LOG, ENDPOINTS_SUMMARY, EARLY_SUMMARY)
_FILES = frozenset({*_RUN_FILES, _SPL, _DETAIL, _ACCURACY})
PATTERNS = (
    "/summary_results.json",
    "/summary.json",
    "/summary.csv",
    "**/systems/*.json",
    *(f"**/{file}" for file in _RUN_FILES),
    f"**/{_SPL}",
    f"**/{_DETAIL}",
    f"**/{_ACCURACY}",
    f"**/{_MEASUREMENTS}",
    "**/measurements/**/*.json",
)
"""What of a release repository is fetched; the rest (accuracy dumps, code) is most of its gigabytes."""

ACCURACY_EXCERPT_CHARACTERS = 500

_LAYOUT = "<division>/<submitter>/results/<system>/<benchmark>/<scenario>/performance/run_1"

# Folders beside the scenarios of a benchmark that hold other runs: compliance tests and the search for a rate.
_NO_SCENARIO = re.compile(r"test\d+.*|ranging|compliance|audit", re.IGNORECASE)


_Systems = dict[tuple[str, str, str], dict[str, Any]]
"""(division, submitter, platform) → system description."""


_Folder = dict[str, str]
"""The files of one scenario folder that are parsed: path below the folder → text."""


@cache
def _folder_benchmarks() -> dict[str, str]:
    """Folder names that are MLCommons' keys, and the known other spellings, → benchmark_id."""
    keys = {row["benchmark_id"]: row["benchmark_id"] for row in read_table("mlperf_benchmarks.csv", SEEDS)}
    aliases = read_table("mlperf_benchmark_aliases.csv", SEEDS)
    return keys | {row["published_name"]: row["benchmark_id"] for row in aliases}


def _read_systems(members: dict[str, bytes], tree: Parsed[InferenceResult]) -> _Systems:
    """Return the described systems; a file that describes none becomes a warning."""
    out: _Systems = {}
    for path, payload in members.items():
        parts = path.split("/")
        if len(parts) != 4 or parts[2] != "systems":
            continue
        try:
            system = json.loads(values.decode(payload))
            problem = None if isinstance(system, dict) and "system_name" in system else "no system_name in it"
        except (ValueError, RecursionError) as e:
            problem = f"not valid JSON ({e})"
        if problem:
            tree.warn(
                "(whole file)",
                f"is no system description: {problem}",
                payload=path,
                remedy="its results stay, without accelerator and count",
            )
            continue
        out[parts[0], parts[1], parts[3].removesuffix(".json")] = system
    return out


def _read_folders(members: dict[str, bytes]) -> dict[str, _Folder]:
    """Scenario folders ``<division>/<submitter>/results/<platform>/<model>/<scenario>`` by path.

    Compliance tests (TEST01…) and ranging runs lie elsewhere or deeper and are no records. A folder of an
    unknown name is a record when it holds the log of a performance run.
    """
    out: dict[str, _Folder] = {}
    measurements: _Folder = {}
    for path, payload in members.items():
        parts = path.split("/")
        home, rest = "/".join(parts[:6]), "/".join(parts[6:])
        if parts[2:3] == ["measurements"] and len(parts) == 7 and rest.endswith(".json"):
            # up to v5.1 in a tree of its own, one or several files per scenario: the one named after it counts
            home = "/".join([*parts[:2], "results", *parts[3:6]])
            if home not in measurements or parts[5].lower() in rest.lower():
                measurements[home] = values.decode(payload)
        elif parts[2:3] != ["results"] or len(parts) < 7:
            continue
        elif rest == _MEASUREMENTS:
            measurements[home] = values.decode(payload)
        elif len(parts) > 7 and (
            normalise_scenario(parts[5])
            or (rest in (LOADGEN_LOG, ENDPOINTS_SUMMARY) and not _NO_SCENARIO.fullmatch(parts[5]))
        ):
            folder = out.setdefault(home, {})
            if rest in _FILES:
                folder[rest] = values.decode(payload)
    for home, folder in out.items():
        if home in measurements:
            folder[_MEASUREMENTS] = measurements[home]
    return out


def parse_tree(members: Iterable[tuple[str, bytes]], *, release: str) -> Parsed[InferenceResult]:
    """One row per scenario folder of the tree whose log is a valid result.

    Args:
        members: (path inside the repository, bytes); only `PATTERNS` matter, others are ignored.
        release: the round, ``v5.0``.

    Returns:
        The account, of which a record is one scenario folder under ``results/``. A row whose system file is missing
        stays, with ``is_system_described`` false. Warnings are power logs that cannot be used, system files that are
        none, described systems without any log, and logs in places that are not read.
    """
    tree: Parsed[InferenceResult] = Parsed(
        remedy="look at the log upstream; only valid performance runs are results"
    )
    by_path = dict(members)
    systems = _read_systems(by_path, tree)
    by_folder = _read_folders(by_path)
    _warn_of_unread_logs(by_path, by_folder, tree)
    _warn_of_systems_without_log(systems, by_folder, tree)
    unread = [path for path in by_path if path.split("/")[2:3] == ["results"]]
    if unread and not by_folder:
        tree.warn(
            f"{len(unread)} files under results/",
            "no log of a known harness: 0 log records",
            payload=unread[0],
            remedy="check whether the round has a new harness or folder layout",
        )
    for home, folder in sorted(by_folder.items()):
        tree.read()
        try:
            tree.add(_to_row(home, folder, systems, release, tree))
        except Unusable as e:
            log = next((file for file in _RUN_FILES if file in folder), LOADGEN_LOG)
            scenario = scenario_or_unmapped(home.split("/")[5])
            tree.reject(scenario, e.problem, payload=f"{home}/{log}", remedy=e.remedy)
    # folders of one scenario in two letter cases
    tree.fold(natural_key, contradiction, remedy=UNDECIDED)
    return tree.checked(f"raw tree {release}")


def _warn_of_unread_logs(
    members: Iterable[str], folders: dict[str, _Folder], tree: Parsed[InferenceResult]
) -> None:
    """Warning logs of performance runs under a ``results`` folder that are in no scenario folder, by system."""
    unread: dict[str, list[str]] = defaultdict(list)
    for path in members:
        parts = path.split("/")
        if (
            path.endswith(tuple(f"/{file}" for file in _RUN_FILES))
            and "results" in parts
            and "/".join(parts[:6]) not in folders
            and not any(_NO_SCENARIO.fullmatch(part) for part in parts)
        ):
            unread["/".join(parts[: parts.index("results") + 2])].append(path)
    for system, paths in sorted(unread.items()):
        tree.warn(
            system,
            f"{len(paths)} logs of performance runs in a place that is not read",
            payload=paths[0],
            remedy=f"check the layout upstream; a result stands in {_LAYOUT}",
        )


def _warn_of_systems_without_log(
    systems: Iterable[tuple[str, str, str]], folders: Iterable[str], tree: Parsed[InferenceResult]
) -> None:
    """Warning described systems of which no scenario folder is there."""
    measured = {(parts[0], parts[1], parts[3]) for parts in (home.split("/") for home in folders)}
    for division, submitter, platform in sorted(set(systems) - measured):
        tree.warn(
            "(whole file)",
            "describes a system without any log",
            payload=f"{division}/{submitter}/systems/{platform}.json",
            remedy=f"nothing where it was withdrawn; else check its layout: a result stands in {_LAYOUT}",
        )


def _read_run(folder: _Folder) -> tuple[str, LogSummary | EndpointsReport]:
    """Return the file of the folder's performance run and what it states, LoadGen's log first.

    Raises:
        Unusable: there is none, or it is empty or damaged.
    """
    remedy = "look at the folder upstream; nothing was measured there"
    if LOADGEN_LOG in folder:
        if not folder[LOADGEN_LOG].strip():
            raise Unusable("the log is empty", remedy)
        return LOADGEN_LOG, parse_log_summary(folder[LOADGEN_LOG])
    for file in (ENDPOINTS_SUMMARY, EARLY_SUMMARY):
        if file in folder and (report := parse_report(folder[file])):
            return file, report
    raise Unusable("there is no performance log", remedy)


def _to_row(
    home: str, folder: _Folder, systems: _Systems, release: str, tree: Parsed[InferenceResult]
) -> InferenceResult:
    division, submitter, _, platform, model, scenario_folder = home.split("/")
    scenario = scenario_or_unmapped(scenario_folder)
    if division not in DIVISIONS:
        raise Unusable(
            f"division {division!r} is unknown", "look at the tree; divisions are " + ", ".join(DIVISIONS)
        )
    # An unknown folder of the open division is any net; elsewhere it is a benchmark that no table knows yet.
    benchmark = _folder_benchmarks().get(model, None if division == "open" else model)
    file, run = _read_run(folder)
    outcome = (
        result_of_log(run, release, benchmark, scenario)
        if isinstance(run, LogSummary)
        else result_of_report(run, release, benchmark, scenario)
    )
    power, power_unit = _power(home, folder, scenario, outcome.is_derived, tree)
    return InferenceResult(
        release=release,
        dialect="raw_tree",
        member=f"{home}/{file}",
        record="",
        division=division,
        platform=platform,
        model_published=model,
        benchmark_published=benchmark,
        scenario=scenario,
        scenario_published=scenario_folder,
        location=home,
        result=outcome.result,
        result_published=outcome.published,
        result_unit_published=outcome.unit,
        power=power,
        power_unit_published=power_unit,
        accuracy_published=_accuracy(folder.get(_ACCURACY)),
        tokens_per_sample=values.tokens_per_sample(folder.get(_ACCURACY)),
        has_power_published=_SPL in folder,
        weight_data_types_published=_weight_data_types(folder.get(_MEASUREMENTS)),
        log_scenario=run.scenario,
        log_validity=run.validity,
        log_metric=outcome.metric,
        log_samples_per_s=run.samples_per_s,
        log_tokens_per_s=run.tokens_per_s,
        harness=run.harness,
        source_url=result_url(release, home),
        **asdict(run.tokens),
        **_described(systems.get((division, submitter, platform)), submitter),
    )


_SYSTEM_KEYS = {
    "submitter": "submitter",
    "availability": "status",
    "suite_published": "system_type",
    "system_name": "system_name",
    "number_of_nodes": "number_of_nodes",
    "accelerators_per_node": "accelerators_per_node",
    "accelerators_per_node_published": "accelerators_per_node",
    "accelerator_name_published": "accelerator_model_name",
    "host_processor_name": "host_processor_model_name",
    "host_processors_per_node": "host_processors_per_node",
    "host_processor_core_count_published": "host_processor_core_count",
    "software": "framework",
    "operating_system": "operating_system",
}


def _described(system: dict[str, Any] | None, folder: str) -> dict[str, Any]:
    """Fields of a row that come from its system description; unknown where there is none.

    The submitter is the description's own, else the folder's name.
    """
    described = system or {}
    read = read_fields(InferenceResult, described, _SYSTEM_KEYS)
    submitter = values.text(described.get("submitter")) or folder
    suite = (read["suite_published"] or "").lower().replace(" ", "")
    return read | {
        "is_system_described": system is not None,
        # another letter case is no other name: published tables write the folder's
        "submitter": folder if submitter.lower() == folder.lower() else submitter,
        "availability": (read["availability"] or "").lower() or None,
        "suite_published": suite if suite in (*SUITES, *DUAL_SUITES) else None,
        "notes": values.joined(described, "hw_notes", "sw_notes"),
    }


def _power(
    home: str, folder: _Folder, scenario: str, is_derived: bool, tree: Parsed[InferenceResult]
) -> tuple[float | None, str | None]:
    """Power of the run and its unit; none, with a warning, when its logs are there but cannot be used."""
    if _SPL not in folder:
        return None, None
    try:
        if _DETAIL not in folder:
            raise Unusable("mlperf_log_detail.txt, which holds the power interval, is missing")
        return read_power(
            folder[_SPL],
            folder[_DETAIL],
            scenario=scenario,
            is_multistream_derived=is_derived and scenario == "MultiStream",
        )
    except Unusable as e:
        tree.warn(
            scenario,
            f"power was logged and cannot be read: {e.problem}",
            payload=f"{home}/{_SPL}",
            remedy="the result stays, without power",
        )
        return None, None


def _weight_data_types(measurements: str | None) -> str | None:
    """The number formats of the weights, in the submitter's words; None where the file states none."""
    try:
        body = json.loads(measurements or "null")
    except (ValueError, RecursionError):
        return None
    return values.text(body.get("weight_data_types")) if isinstance(body, dict) else None


def _accuracy(raw: str | None) -> str | None:
    """The accuracy script's words on one line, without the hash."""
    if raw is None:
        return None
    lines = [line.strip() for line in raw.splitlines() if not line.startswith("hash=")]
    return values.text(" ".join(line for line in lines if line)[:ACCURACY_EXCERPT_CHARACTERS])
