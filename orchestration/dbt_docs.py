"""dbt's own documentation of the published warehouse, as one page."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from ingest.core.errors import AccelmartError
from warehouse.build_folder import Build, link_project
from warehouse.dbt import OUTLINE, arguments, executable
from warehouse.files import written_whole
from warehouse.home import DBT_PROJECT_DIR, Home
from warehouse.publish import publication


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
        outline = home.dbt_target / OUTLINE  # has the internal tables too; who pulled a file has none
        shutil.copyfile(outline if outline.exists() else publication(home).generation.path, build.database)
        link_project(build.folder)
        done = subprocess.run(
            [
                *(executable(), "--no-use-colors", "docs", "generate", "--static"),
                *arguments(build.project, build.folder / "target"),
            ],
            cwd=build.project,  # paths of the profile are relative to it
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise AccelmartError(f"dbt's documentation cannot be made:\n{done.stdout}{done.stderr}")
        page = _with_meanings_of_columns(build.folder / "target")
        for machine in (str(DBT_PROJECT_DIR), name):  # nobody else needs to know where it was made
            page = page.replace(machine, "")
    with written_whole(folder / "index.html") as temporary:
        temporary.write_text(page, encoding="utf-8")
    return folder / "index.html"


def _with_meanings_of_columns(target: Path) -> str:
    """Return dbt's page with the comments of the published file, which its catalog has and its page does not show."""
    page = (target / "static_index.html").read_text(encoding="utf-8")
    text = (target / "manifest.json").read_text(encoding="utf-8").strip()
    catalog = json.loads((target / "catalog.json").read_text(encoding="utf-8"))
    manifest = json.loads(text)
    for unique_id, table in catalog["nodes"].items():
        columns = manifest["nodes"][unique_id]["columns"]
        for name, column in table["columns"].items():
            columns.setdefault(name, {"name": name})["description"] = column["comment"] or ""
    return page.replace(text, json.dumps(manifest))
