"""What assets work with: the lake of this installation, and dbt."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import dagster as dg
from dagster_dbt import DbtCliResource, DbtProject
from filelock import FileLock

from ingest.errors import AccelmartError
from warehouse.build import environment, project_fingerprint
from warehouse.home import DBT_PROJECT_DIR, Home
from warehouse.lake import Lake


class LakeResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The lake under ``ACCELMART_HOME``, read anew for every run."""

    def get(self) -> Lake:
        """The lake."""
        return Lake(Home.from_environment())


def dbt_project() -> DbtProject:
    """The dbt project, its artefacts below the data root."""
    return DbtProject(
        project_dir=DBT_PROJECT_DIR,
        profiles_dir=DBT_PROJECT_DIR,
        target_path=Home.from_environment().dbt_target,
        packaged_project_dir=None,
    )


def dbt_executable() -> str:
    """dbt of the environment that runs this, whatever PATH says."""
    beside = Path(sys.executable).with_name("dbt")
    return str(beside) if beside.exists() else "dbt"


def dbt_resource() -> DbtCliResource:
    """dbt's command line."""
    return DbtCliResource(project_dir=dbt_project(), dbt_executable=dbt_executable())


def manifest() -> Path:
    """dbt's manifest, parsed again only when a file of the project changed.

    Raises:
        AccelmartError: the project does not parse; the message is dbt's own.
    """
    target = Home.from_environment().dbt_target
    target.mkdir(parents=True, exist_ok=True)
    path, stamp = target / "manifest.json", target / "manifest.fingerprint"
    with FileLock(target / "manifest.lock"):
        fingerprint = project_fingerprint()
        if path.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == fingerprint:
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
            # as the build will run it, so that what is parsed here is valid there
            env={**os.environ, **environment(Home.from_environment())},
        )
        if done.returncode != 0:
            raise AccelmartError(f"the dbt project does not parse:\n{done.stdout}{done.stderr}")
        stamp.write_text(fingerprint, encoding="utf-8")
    return path
