"""dbt's own documentation of the published warehouse, as one page."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from warehouse.build.dbt import OUTLINE, call_dbt
from warehouse.build.folder import Build, link_project
from warehouse.publication.pointer import publication
from warehouse.storage.files import written_whole
from warehouse.storage.home import Home


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
        words = ["docs", "generate", "--static"]
        call_dbt(words, build.project, build.folder / "target", "dbt's documentation cannot be made")
        with written_whole(folder / "index.html") as temporary:
            shutil.copyfile(build.folder / "target" / "static_index.html", temporary)
    return folder / "index.html"
