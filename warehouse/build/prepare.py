"""What goes into a build: active parsed payloads, the user's files, and what the published generation held."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from accelmart.generation import GenerationId, as_generation_id
from warehouse.build.changes import export_previous
from warehouse.build.dbt import start_from_parsed
from warehouse.build.folder import Build, link_project
from warehouse.decisions.holds import TABLE as HOLDS
from warehouse.decisions.holds import write_holds
from warehouse.decisions.overrides import TABLE as REFERENCE_OVERRIDES
from warehouse.decisions.overrides import read_overrides, write_overrides_table
from warehouse.decisions.scenarios import TABLE as OVERRIDES
from warehouse.decisions.scenarios import write_assumptions
from warehouse.inputs.active import Active, select_active
from warehouse.inputs.fingerprint import input_fingerprint
from warehouse.inputs.isolation import TABLE as ISOLATED
from warehouse.inputs.isolation import write_isolated
from warehouse.inputs.price_observations import write_observations
from warehouse.inputs.price_spark import server_of
from warehouse.inputs.raw import EARLIER_TABLES, remove_damaged, write_missing_tables
from warehouse.publication.pointer import predecessor
from warehouse.storage.disk import require_room
from warehouse.storage.files import link_or_copy
from warehouse.storage.home import Home
from warehouse.storage.parquet import write_records

FOLDER = "current"
"""Of every build: only one goes on at a time, and dbt's parsed project holds the path."""
BUILD_INFO, FETCHES = "build_info", "source_fetches"


class BuildInfo(NamedTuple):
    """The row of the raw table ``build_info``."""

    generation_id: str
    previous_generation_id: str | None
    built_at: datetime
    input_fingerprint: str
    code_version: str
    are_changes_accepted: bool


class SourceFetch(NamedTuple):
    """A row of the raw table ``source_fetches``."""

    source: str
    last_fetched_at: datetime


@dataclass(frozen=True)
class Inputs:
    """What a build of the present inputs consists of.

    Args:
        active: parts, observations of prices, what is isolated and held.
        fingerprint: of all inputs, from before any of them was read.
    """

    active: Active
    fingerprint: str


def select_inputs(home: Home) -> Inputs:
    """Select what a build of the present inputs consists of; parses what is not parsed yet, or was damaged since."""
    fingerprint = input_fingerprint(home)
    remove_damaged(home.raw)
    return Inputs(select_active(home), fingerprint)


def prepare(home: Home, selected: Inputs, *, accept_changes: bool = False) -> Build:
    """Make a fresh folder with the parts in force, the dbt project and the build's own particulars.

    The caller holds `warehouse.storage.locks.exclusive`.

    Args:
        home: the installation.
        selected: from `select_inputs`.
        accept_changes: let the build pass though it lost, or moved, more against the published generation
            than the checks allow.

    Returns:
        The build, ready for dbt.

    Raises:
        DiskFullError: a build does not fit on the disk.
        SparkError: the Spark server does not answer, or fails.
    """
    require_room(home)
    build = Build(home.builds / FOLDER)
    build.folder.mkdir(parents=True)
    for part in selected.active.all_parts:
        for table, path in part.files.items():
            link_or_copy(path, build.raw / table / path.name)
    write_particulars(
        home,
        selected.active,
        build.raw,
        generation_id=_new_generation_id(),
        input_fingerprint=selected.fingerprint,
        are_changes_accepted=accept_changes,
    )
    if spark := server_of(home):
        spark.join(build.raw)
    link_project(build.folder)
    start_from_parsed(home, build)
    return build


def write_particulars(
    home: Home,
    active: Active,
    raw: Path,
    *,
    generation_id: str,
    input_fingerprint: str,
    are_changes_accepted: bool,
) -> None:
    """Write the raw tables that no parser makes, and an empty one for each that has no rows.

    They are: when prices were observed, the user's files, what is held or isolated, results of MLPerf in earlier
    payloads, what the published generation hands on, and ``build_info``.

    Args:
        home: the installation.
        active: what a build of it uses.
        raw: the raw tables of a build.
        generation_id: of the build.
        input_fingerprint: of its inputs.
        are_changes_accepted: whether it passes though it lost or moved more than the checks allow.

    Raises:
        OverridesRejected: a file in overrides/ has errors.
    """
    overrides = read_overrides(home)
    write_assumptions(overrides, raw / OVERRIDES / "overrides.parquet")
    write_overrides_table(overrides, raw / REFERENCE_OVERRIDES / "overrides.parquet")
    write_observations(active.prices, raw)
    write_isolated(home, active.isolated, raw / ISOLATED / "isolated.parquet")
    for part in active.earlier:
        path = part.path(part.record_table)
        link_or_copy(path, raw / EARLIER_TABLES[part.record_table] / path.name)
    fetches = [SourceFetch(*fetched) for fetched in active.last_fetched.items()]
    write_records(raw / FETCHES / "fetches.parquet", fetches, SourceFetch)
    previous = predecessor(home)
    write_holds(active.holds, previous.path if previous else None, raw / HOLDS / "holds.parquet")
    info = BuildInfo(
        generation_id,
        export_previous(previous, raw),
        datetime.now(UTC),
        input_fingerprint,
        version("accelmart"),
        are_changes_accepted,
    )
    write_records(raw / BUILD_INFO / "build.parquet", [info], BuildInfo)
    write_missing_tables(raw)


def _new_generation_id() -> GenerationId:
    """Time first, so that names sort by age; a random end, so that two never collide."""
    return as_generation_id(f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(3)}")
