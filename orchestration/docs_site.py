"""The website: the report, SQL in the browser, and the documentation, which has dbt's too.

MkDocs makes the documentation from `mkdocs.yml`. Nothing is loaded from another server, and the search works in the
browser, so that any web server of files can serve it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ingest.core.errors import AccelmartError
from orchestration.dbt_docs import write_dbt_docs
from warehouse.outputs.docs import write_pages
from warehouse.outputs.site import DOCS_SITE_STAMP
from warehouse.outputs.website import DOCS_THEME, write_website
from warehouse.publication.pointer import publication
from warehouse.storage.disk import require_room
from warehouse.storage.home import DBT_PROJECT_DIR, Home

ROOT = DBT_PROJECT_DIR.parent
CONFIG = "mkdocs.yml"
CONSOLE_PACKAGES = Path(sys.prefix) / "console" / "node_modules"
"""Packages of npm that SQL in the browser needs; `make site` installs them."""
# of MkDocs, README.md would be the first page of the folder
_PAGES_OF_ROOT = {
    "README.md": "about.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
# a link of a page to another file of the checkout
_LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)]+)")


def write_docs_site(home: Home, url: str = "") -> Path:
    """Write the website of the published generation to ``site/`` in the data root, which it replaces whole.

    Args:
        home: the data root.
        url: address at which it will be published, for previews of links; empty if it is not known.

    Returns:
        Its ``index.html``.

    Raises:
        AccelmartError: MkDocs is not installed, or finds a broken link or a page that is in no menu; dbt's
            documentation cannot be made.
        DiskFullError: there is no room for it.
        NoWarehouseError: nothing is published.
    """
    if find_spec("mkdocs") is None:
        raise AccelmartError(
            "the documentation site needs MkDocs, which is not installed. To install it: make site, or "
            "pip install mkdocs-material"
        )
    generation = publication(home).generation
    require_room(home)
    with TemporaryDirectory(prefix=".docs-site-", dir=home.root) as name:
        pages, made = Path(name, "docs"), Path(name, "site")
        _collect(home, pages)
        _make(pages, made / "docs", url)
        shutil.copyfile(home.report, made / "report.html")
        write_dbt_docs(home, made / "docs" / "dbt")
        cookbook = ROOT / "docs/cookbook.md"
        write_website(generation, made, cookbook=cookbook, packages=CONSOLE_PACKAGES, url=url)
        (made / DOCS_SITE_STAMP).write_text(generation.generation_id + "\n", encoding="utf-8")
        if home.site.exists():
            home.site.rename(Path(name, "earlier"))
        made.rename(home.site)
    return home.site / "index.html"


def _collect(home: Home, pages: Path) -> None:
    """Put every page into a folder, with links that hold there."""
    shutil.copytree(ROOT / "docs", pages)
    write_pages(home, pages)
    for name, page in _PAGES_OF_ROOT.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        # as if it were in docs/
        (pages / page).write_text(_LINK.sub(r"](../\1", text).replace("](../docs/", "]("), encoding="utf-8")
    repository = _metadata()["urls"]["Repository"]
    for path in pages.glob("*.md"):
        text = path.read_text(encoding="utf-8")
        for name, page in _PAGES_OF_ROOT.items():
            text = text.replace(f"](../{name}", f"]({page}")
        path.write_text(text.replace("](../", f"]({repository}/blob/main/"), encoding="utf-8")
    shutil.copyfile(ROOT / CONFIG, pages.parent / CONFIG)
    shutil.copytree(DOCS_THEME, pages.parent / DOCS_THEME.name)
    with (pages / "index.md").open("a", encoding="utf-8") as index:
        index.write(
            '\n**The published generation**: <a href="../index.html">report</a>, '
            "[data dictionary](data-dictionary/index.md), "
            "[formulas, assumptions and sources](appendix.md), [state](state.md), "
            '<a href="dbt/index.html">dbt\'s documentation</a> with SQL, tests and lineage.\n'
        )


def _make(pages: Path, made: Path, url: str) -> None:
    """Run MkDocs.

    Raises:
        AccelmartError: it fails, or warns of anything.
    """
    settings = {"NO_MKDOCS_2_WARNING": "1", "DOCS_URL": f"{url.rstrip('/')}/docs/" if url else ""}
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"),
            *("--config-file", str(pages.parent / CONFIG), "--site-dir", str(made)),
        ],
        env={**os.environ, **settings},  # noqa: TID251  # handed on to a child process
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise AccelmartError(f"MkDocs cannot make the documentation site:\n{done.stdout}{done.stderr}")


def _metadata() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project: dict[str, Any] = tomllib.load(file)["project"]
    return project
