"""Assemble data, charts, scripts and styles into one self-contained HTML file.

Upstream strings are embedded as compressed JSON in base64, which cannot end the script element or start markup; scripts
insert them as text only. Vega is embedded in the same way. The content security policy allows the scripts and styles of
this page, by hash, and blocks all connections.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from base64 import b64encode
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb
import jinja2
import orjson

from accelmart.generation import as_generation_id
from accelmart.opening import open_file
from ingest.core.errors import AccelmartError
from warehouse.outputs.report import datasets
from warehouse.outputs.report.formulas import formulas
from warehouse.outputs.report.vega import vega_script
from warehouse.publication.generation import read_generation
from warehouse.publication.pointer import published_here
from warehouse.storage.files import replace_by_copy, written_whole
from warehouse.storage.home import Home

# what programs show where the address of the report is sent
_DESCRIPTION = (
    "Speed, cost and energy of AI accelerators from MLPerf results and dated public prices, as of {day}. Derived "
    "figures; not verified by MLCommons Association."
)
_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#0969da" '
    'd="M1 9h3v6H1zm5-4h3v10H6zm5-4h3v14h-3z"/></svg>'
)

# In order of use; they are joined into one script with one scope, so that the page loads nothing. The first part, the
# formulas, is made of the functions of the warehouse file.
SCRIPTS = (
    "dom.js",
    "format.js",
    "data.js",
    "state.js",
    "table.js",
    "charts.js",
    "chart.js",
    "common.js",
    "rent_or_own.js",
    "search.js",
    "pages/accelerators.js",
    "pages/choose.js",
    "pages/power.js",
    "pages/machines.js",
    "pages/side_by_side.js",
    "pages/alternatives.js",
    "pages/numbers.js",
    "pages/train.js",
    "pages/prices.js",
    "pages/levels.js",
    "pages/offers.js",
    "pages/tokens.js",
    "pages/electricity.js",
    "pages/owning.js",
    "pages/progress.js",
    "pages/training.js",
    "pages/serving.js",
    "pages/claims.js",
    "pages/findings.js",
    "pages/published.js",
    "pages/calibration.js",
    "pages/health.js",
    "controls.js",
    "main.js",
)
_STATED = re.compile(rb'<meta name="accelmart-generation" content="([^"]*)"')
_HEAD_BYTES = 4096


class NoReportError(AccelmartError):
    """The report cannot be made from this file."""


@dataclass(frozen=True)
class Report:
    """A written report.

    Args:
        path: the HTML file.
        generation_id: the generation it shows.
        bytes: size of the file.
    """

    path: Path
    generation_id: str
    bytes: int


def write_report(database: Path, target: Path) -> Report:
    """Write the report of a warehouse file atomically.

    Args:
        database: a closed warehouse file; opened read-only.
        target: the HTML file to write or replace.

    Raises:
        NoWarehouseError: the file does not exist or is not a warehouse.
        NoReportError: the file lacks a table or column of the report.
    """
    generation = read_generation(database)
    try:
        with open_file(database) as db:
            data, first, functions = datasets.read(db), datasets.read_first_table(db), formulas(db)
    except duckdb.Error as e:
        raise NoReportError(
            f"{database} lacks a table or column of the report ({e}). To rebuild it with this version: "
            "accelmart build --force"
        ) from e
    html = render(generation.generation_id, data, first, functions)
    with written_whole(target) as temporary:
        temporary.write_text(html, encoding="utf-8")
    return Report(target, generation.generation_id, target.stat().st_size)


def render(generation_id: str, data: dict[str, Any], first: list[dict[str, Any]], functions: str) -> str:
    """Return the HTML of the page.

    Args:
        generation_id: the generation of the data.
        data: data sets of `datasets.read`.
        first: rows of `datasets.read_first_table`, shown without JavaScript.
        functions: the module of `formulas`.
    """
    style, vega, script = _text("report.css"), vega_script(), "\n".join([functions, *map(_text, SCRIPTS)])
    template = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(
        _text("report.html.j2")
    )
    return template.render(
        generation_id=generation_id,
        description=_DESCRIPTION.format(day=f"{generation_id[:4]}-{generation_id[4:6]}-{generation_id[6:8]}"),
        icon="data:image/svg+xml," + quote(_ICON),
        policy="; ".join(
            [
                "default-src 'none'",
                f"script-src {_source_hash(vega)} {_source_hash(script)}",
                f"style-src {_source_hash(style)}",
                # Vega places marks with style attributes
                "style-src-attr 'unsafe-inline'",
                "img-src data: blob:",
                "base-uri 'none'",
                "form-action 'none'",
            ]
        ),
        style=style,
        vega=as_block(vega.encode()),
        script=script,
        data=as_block(orjson.dumps(data)),
        first=first,
    )


def place_report(home: Home) -> Report:
    """Put the report of what is published beside the warehouse.

    Each kept generation keeps its report for a rollback; reports of removed generations are removed.

    Args:
        home: the installation.

    Raises:
        NoWarehouseError: nothing is published.
        NoReportError: the report cannot be made.
    """
    if not (published := published_here(home)):
        return write_report(home.published, home.report)
    generation, generation_id = published.generation, published.generation.generation_id
    kept = home.generations / f"{generation_id}.html"
    # of two copies of one generation that differ, either may be the damaged one
    if _stated(home.report) == generation_id or _stated(kept) != generation_id:
        write_report(generation.path, kept)
    replace_by_copy(kept, home.report)
    for old in home.generations.glob("*.html"):
        if not old.with_suffix(".duckdb").exists():
            old.unlink()
    return Report(home.report, generation_id, home.report.stat().st_size)


def report_of(home: Home) -> str | None:
    """Return the generation id of the report; None if there is no report, or if it differs from its kept copy."""
    stated = _stated(home.report)
    if stated is None or published_here(home) is None:  # of a downloaded warehouse, no copy is kept
        return stated
    kept = home.generations / f"{stated}.html"
    is_same = kept.exists() and kept.read_bytes() == home.report.read_bytes()
    return stated if is_same else None


def _stated(report: Path) -> str | None:
    """Return the generation id that a report states at its beginning; None if there is none."""
    try:
        with report.open("rb") as file:
            match = _STATED.search(file.read(_HEAD_BYTES))
        return as_generation_id(match[1].decode()) if match else None
    except (OSError, ValueError):
        return None


def as_block(content: bytes) -> str:
    """Return content gzipped, in base64, which cannot end a script element. Equal content gives equal text."""
    return b64encode(gzip.compress(content, compresslevel=9, mtime=0)).decode()


def _source_hash(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _text(name: str) -> str:
    return files("warehouse.outputs.report").joinpath(name).read_text(encoding="utf-8")
