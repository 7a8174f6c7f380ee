"""What assets work with: the lake of this installation, and dbt."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import dagster as dg
from dagster_dbt import DbtCliResource
from filelock import FileLock
from packaging.version import Version

from ingest.core.errors import AccelmartError
from orchestration import settings
from orchestration.dbt_state import LOCK, MANIFEST, PARSED, is_current, unpack, write_stamp
from warehouse.build import Build, link_project
from warehouse.files import written_whole
from warehouse.home import DBT_PROJECT_DIR, Home
from warehouse.lake import Lake
from warehouse.publish import publication

# tag of a materialization; `dg` has no name for it
_DATA_VERSION = "dagster/data_version"


class LakeResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The lake under ``ACCELMART_HOME``; every run reads the variable again."""

    def get(self) -> Lake:
        """The lake."""
        return Lake(settings.home())


def last_data_version(
    instance: dg.DagsterInstance, key: dg.AssetKey, partition: str | None = None
) -> str | None:
    """Data version of the last materialization of an asset, or of one partition of it."""
    partitions = [partition] if partition else None
    records = instance.fetch_materializations(
        dg.AssetRecordsFilter(asset_key=key, asset_partitions=partitions), limit=1
    ).records
    if not records or not records[0].asset_materialization:
        return None
    return (records[0].asset_materialization.tags or {}).get(_DATA_VERSION)


def report(instance: dg.DagsterInstance, result: dg.MaterializeResult[Any], partition: str) -> None:
    """Record that a partition of an asset was made, outside any run.

    Args:
        instance: where to.
        result: asset key, data version and metadata.
        partition: key of the partition.
    """
    assert result.asset_key and result.data_version
    instance.report_runless_asset_event(
        dg.AssetMaterialization(
            result.asset_key,
            partition=partition,
            metadata=result.metadata,
            tags={_DATA_VERSION: result.data_version.value},
        )
    )


def dbt_executable() -> str:
    """dbt of the environment that runs this, whatever PATH says."""
    beside = Path(sys.executable).with_name("dbt")
    return str(beside) if beside.exists() else "dbt"


class Dbt(DbtCliResource):
    """dbt's command line, that of the environment which runs this."""

    @cached_property
    def _cli_version(self) -> Version:
        """As installed. To ask `dbt --version` takes two seconds, and it calls the package index: a build must not."""
        return Version(version("dbt-core"))

    @property
    def version(self) -> Version:
        """As installed."""
        return self._cli_version

    def arguments(self, command: Sequence[str], target: Path) -> list[str]:
        """Return all arguments of a command, for a process that has no environment variables of dbt.

        Args:
            command: of dbt, with its options.
            target: folder for what dbt writes.
        """
        places = ("--project-dir", self.project_dir, "--profiles-dir", str(self.profiles_dir))
        written = ("--target-path", str(target), "--log-path", str(target))
        return [*self.global_config_flags, *command, *places, *written]

    def of(self, build: Build) -> Dbt:
        """dbt at work in the folder of a build."""
        return Dbt(
            project_dir=str(build.project),
            profiles_dir=self.profiles_dir,
            dbt_executable=self.dbt_executable,
            global_config_flags=self.global_config_flags,
        )

    def _initialize_dbt_core_adapter(self, args: Sequence[str]) -> None:
        """None. It would ask the database after every model, and that belongs to dbt's own process while it builds."""


def dbt_resource() -> Dbt:
    """dbt's command line. Its debug log, twenty megabytes a build, is left out: its events are those of the run."""
    return Dbt(
        project_dir=str(DBT_PROJECT_DIR),
        profiles_dir=str(DBT_PROJECT_DIR),
        dbt_executable=dbt_executable(),
        global_config_flags=["--log-level-file", "error"],
    )


RESOURCES: dict[str, Any] = {"lake": LakeResource(), "dbt": dbt_resource()}
"""Resources of all assets, by the names that the assets have for them."""


def start_folder(build: Build) -> Path:
    """Return the folder that dbt works in while it makes a build: with the project as it was parsed last.

    dbt leaves nothing beside the code, and nothing in the data root: what it parses knows the folder of the build.
    """
    folder = build.folder / "dbt"
    folder.mkdir()
    shutil.copy2(manifest().with_name(PARSED), folder)
    return folder


def manifest() -> Path:
    """dbt's manifest: the one shipped with the code, or parsed again when a file of the project or an engine changed.

    Raises:
        AccelmartError: the project does not parse; the message is dbt's own.
    """
    target = settings.home().dbt_target
    target.mkdir(parents=True, exist_ok=True)
    path = target / MANIFEST
    with FileLock(target / LOCK):
        if is_current(target) or unpack(target):
            return path
        done = subprocess.run(
            [
                *(dbt_executable(), "--no-use-colors", "parse"),
                *("--project-dir", str(DBT_PROJECT_DIR), "--profiles-dir", str(DBT_PROJECT_DIR)),
                *("--target-path", str(target), "--log-path", str(target)),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise AccelmartError(f"the dbt project does not parse:\n{done.stdout}{done.stderr}")
        write_stamp(target)
    return path


def write_dbt_docs(home: Home, folder: Path) -> Path:
    """dbt's documentation of the published warehouse as one page.

    Args:
        home: whose warehouse.
        folder: where to.

    Returns:
        ``index.html``: everything is in it, it works from disk.

    Raises:
        AccelmartError: dbt fails; the message is its own.
    """
    with TemporaryDirectory(prefix="accelmart-docs-") as name:
        # a copy, under the name it was built as: dbt opens for writing, and the manifest knows the catalog by it
        build = Build(Path(name))
        shutil.copyfile(publication(home).generation.path, build.database)
        link_project(build.folder)
        done = subprocess.run(
            [
                *(dbt_executable(), "--no-use-colors", "docs", "generate", "--static"),
                *("--project-dir", str(build.project), "--profiles-dir", str(build.project)),
                *("--target-path", str(build.folder / "target"), "--log-path", str(build.folder)),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise AccelmartError(f"dbt's documentation cannot be made:\n{done.stdout}{done.stderr}")
        page = (build.folder / "target" / "static_index.html").read_text(encoding="utf-8")
        for machine in (str(DBT_PROJECT_DIR), name):  # nobody else needs to know where it was made
            page = page.replace(machine, "")
    with written_whole(folder / "index.html") as temporary:
        temporary.write_text(page, encoding="utf-8")
    return folder / "index.html"
