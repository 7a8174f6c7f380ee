"""Dialect (d): the submission tree of a round — systems, loadgen summaries, accuracy and power logs.

The only source of rounds without a summary (v0.5–v1.1, v5.0), and the second witness of all others.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ingest.errors import RecordRejected
from ingest.mlperf import values
from ingest.mlperf.loadgen import parse_log_summary, result_of_log, samples_per_s, tokens_per_s
from ingest.mlperf.power import read_power
from ingest.mlperf.records import InferenceResult, Parsed, require_balance
from ingest.mlperf.releases import (
    DIVISIONS,
    DUAL_SUITES,
    SUITES,
    normalise_scenario,
    result_url,
)

SUMMARY = "mlperf_log_summary.txt"
PATTERNS = (
    "/summary_results.json",
    "/summary.json",
    "**/systems/*.json",
    f"**/performance/run_1/{SUMMARY}",
    "**/performance/run_1/spl.txt",
    "**/performance/run_1/mlperf_log_detail.txt",
    "**/accuracy/accuracy.txt",
    "**/measurements.json",
)
"""What of a release repository is fetched; the rest (accuracy dumps, code) is most of its gigabytes."""

ACCURACY_EXCERPT_CHARACTERS = 500


@dataclass
class _Folder:
    """The files of one scenario folder that are parsed, as text or bytes."""

    path: str
    performance: str | None = None
    accuracy: str | None = None
    spl: str | None = None
    detail: str | None = None


@dataclass
class RawTree(Parsed[InferenceResult]):
    """`Parsed` of a tree: a record is one scenario folder under ``results/``.

    Remarks are power logs that cannot be used and system files that are none.
    """


def decode(payload: bytes) -> str:
    """Text whatever the encoding: UTF-8 if it is, else Windows-1252 as submitters' editors write it."""
    try:
        return payload.decode("utf-8-sig")
    except UnicodeDecodeError:
        return payload.decode("cp1252", errors="replace")


@cache
def _folder_benchmarks() -> dict[str, str]:
    """Folder names that are MLCommons' keys, and the known other spellings, → benchmark_id."""

    def rows(name: str) -> Iterable[dict[str, str]]:
        return csv.DictReader(files("ingest.mlperf").joinpath(name).read_text("utf-8").splitlines())

    out = {row["benchmark_id"]: row["benchmark_id"] for row in rows("inference_benchmarks.csv")}
    return out | {
        row["published_name"]: row["benchmark_id"] for row in rows("inference_benchmark_aliases.csv")
    }


def benchmark_of_folder(folder: str) -> str | None:
    """MLCommons' key of a model folder; None for a net of the open division that no table knows."""
    return _folder_benchmarks().get(folder)


def _read_systems(members: dict[str, bytes], tree: RawTree) -> dict[tuple[str, str, str], dict[str, Any]]:
    """(division, submitter, platform) → system description; a file that is none becomes a remark."""
    out: dict[tuple[str, str, str], dict[str, Any]] = {}
    for path, payload in members.items():
        parts = path.split("/")
        if len(parts) != 4 or parts[2] != "systems":
            continue
        try:
            system = json.loads(decode(payload))
            problem = None if isinstance(system, dict) and "system_name" in system else "no system_name in it"
        except (ValueError, RecursionError) as e:
            problem = f"not valid JSON ({e})"
        if problem:
            tree.remarks.append(
                RecordRejected(
                    payload=path,
                    record="(whole file)",
                    problem=f"is no system description: {problem}",
                    remedy="its results stay, without accelerator and count",
                )
            )
            continue
        out[parts[0], parts[1], parts[3].removesuffix(".json")] = system
    return out


def _read_folders(members: dict[str, bytes]) -> dict[str, _Folder]:
    """Scenario folders ``<division>/<submitter>/results/<platform>/<model>/<scenario>`` by path.

    Compliance tests (TEST01…) and ranging runs lie elsewhere or deeper and are no records.
    """
    out: dict[str, _Folder] = {}
    for path, payload in members.items():
        parts = path.split("/")
        if len(parts) < 8 or parts[2] != "results" or normalise_scenario(parts[5]) is None:
            continue
        home = "/".join(parts[:6])
        rest = "/".join(parts[6:])
        folder = out.setdefault(home, _Folder(home))
        if rest == f"performance/run_1/{SUMMARY}":
            folder.performance = decode(payload)
        elif rest == "performance/run_1/spl.txt":
            folder.spl = decode(payload)
        elif rest == "performance/run_1/mlperf_log_detail.txt":
            folder.detail = decode(payload)
        elif rest == "accuracy/accuracy.txt":
            folder.accuracy = decode(payload)
    return out


def parse_tree(members: Iterable[tuple[str, bytes]], *, release: str) -> RawTree:
    """One row per scenario folder of the tree whose log is a valid result.

    Args:
        members: (path inside the repository, bytes); only `PATTERNS` matter, others are ignored.
        release: the round, ``v5.0``.

    Returns:
        Rows (``dialect`` = ``raw_tree``), rejects and remarks. A row whose system file is missing stays,
        with ``is_system_described`` false.
    """
    tree = RawTree()
    by_path = dict(members)
    systems = _read_systems(by_path, tree)
    by_folder = _read_folders(by_path)
    for home in sorted(by_folder):
        tree.records_in += 1
        found = _to_row(by_folder[home], systems, release, tree)
        if isinstance(found, RecordRejected):
            tree.rejects.append(found)
        else:
            tree.rows.append(found)
    require_balance(tree, f"raw tree {release}")
    return tree


def _to_row(
    folder: _Folder,
    systems: dict[tuple[str, str, str], dict[str, Any]],
    release: str,
    tree: RawTree,
) -> InferenceResult | RecordRejected:
    division, submitter, _, platform, model, scenario_folder = folder.path.split("/")
    scenario = normalise_scenario(scenario_folder)
    assert scenario is not None  # _read_folders lets no other folder through

    def reject(problem: str, remedy: str) -> RecordRejected:
        return RecordRejected(
            payload=f"{folder.path}/performance/run_1/{SUMMARY}",
            record=scenario,
            problem=problem,
            remedy=remedy,
        )

    if division not in DIVISIONS:
        return reject(
            f"division {division!r} is unknown", "look at the tree; divisions are " + ", ".join(DIVISIONS)
        )
    if folder.performance is None:
        return reject(
            "there is no performance log", "look at the folder upstream; nothing was measured there"
        )
    if not folder.performance.strip():
        return reject("the log is empty", "fetch the tree again")
    log = parse_log_summary(folder.performance)
    benchmark = benchmark_of_folder(model)
    outcome = result_of_log(log, release=release, benchmark_id=benchmark, scenario=scenario)
    if isinstance(outcome, str):
        return reject(outcome, "look at the log upstream; only valid performance runs are results")

    system = systems.get((division, submitter, platform))
    power, power_unit = _power(folder, scenario, outcome.is_derived, tree)
    described = system if system is not None else {}
    accuracy = _accuracy(folder.accuracy)
    suite = (values.text(described.get("system_type")) or "").lower().replace(" ", "") or None
    if suite not in (*SUITES, *DUAL_SUITES):
        suite = None
    return InferenceResult(
        release=release,
        dialect="raw_tree",
        member=f"{folder.path}/performance/run_1/{SUMMARY}",
        record="",
        submission_id_published=None,
        submitter=submitter,
        availability=(values.text(described.get("status")) or "").lower() or None,
        division=division,
        suite_published=suite,
        system_name=values.text(described.get("system_name")),
        platform=platform,
        model_published=model,
        benchmark_published=benchmark,
        scenario=scenario,
        scenario_published=scenario_folder,
        location=folder.path,
        result=outcome.result,
        result_published=outcome.published,
        result_unit_published=outcome.unit,
        power=power,
        power_unit_published=power_unit,
        accuracy_published=accuracy,
        tokens_per_sample=values.tokens_per_sample(folder.accuracy),
        number_of_nodes=values.integer(described.get("number_of_nodes")),
        accelerators_per_node=values.integer(described.get("accelerators_per_node")),
        accelerators_per_node_published=values.text(described.get("accelerators_per_node")),
        total_accelerators_published=None,
        accelerator_name_published=values.text(described.get("accelerator_model_name")),
        host_processor_name=values.text(described.get("host_processor_model_name")),
        host_processors_per_node=values.integer(described.get("host_processors_per_node")),
        host_processor_core_count_published=values.text(described.get("host_processor_core_count")),
        software=values.text(described.get("framework")),
        operating_system=values.text(described.get("operating_system")),
        notes="; ".join(n for k in ("hw_notes", "sw_notes") if (n := values.text(described.get(k)))) or None,
        is_inferred_published=None,
        has_power_published=folder.spl is not None,
        is_system_described=system is not None,
        log_scenario=log.scenario,
        log_validity=log.validity,
        log_metric=outcome.metric,
        log_samples_per_s=samples_per_s(log),
        log_tokens_per_s=tokens_per_s(log),
        source_url=result_url(release, folder.path),
    )


def _power(
    folder: _Folder, scenario: str, is_derived: bool, tree: RawTree
) -> tuple[float | None, str | None]:
    """Power of the run, or None with a remark when its logs are there but cannot be used."""
    if folder.spl is None:
        return None, None
    reading = (
        "mlperf_log_detail.txt, which holds the power interval, is missing"
        if folder.detail is None
        else read_power(
            folder.spl,
            folder.detail,
            scenario=scenario,
            is_multistream_derived=is_derived and scenario == "MultiStream",
        )
    )
    if isinstance(reading, str):
        tree.remarks.append(
            RecordRejected(
                payload=f"{folder.path}/performance/run_1/spl.txt",
                record=scenario,
                problem=f"power was logged and cannot be read: {reading}",
                remedy="the result stays, without power",
            )
        )
        return None, None
    return reading.power, reading.unit


def _accuracy(raw: str | None) -> str | None:
    """The accuracy script's words on one line, without the hash."""
    if raw is None:
        return None
    lines = [line.strip() for line in raw.splitlines() if not line.startswith("hash=")]
    return values.text(" ".join(line for line in lines if line)[:ACCURACY_EXCERPT_CHARACTERS])
