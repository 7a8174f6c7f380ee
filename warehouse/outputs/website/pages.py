"""Write the pages of the website, all of them static files.

    index.html            three answers and the report
    <page>.html           the report at one of its pages, with title, description and picture for link previews
    console.html          SQL in the browser: DuckDB compiled to WebAssembly reads the published file by range requests
    console/              its files, from packages of npm that `make site` installs

Pages load files of their own server alone: their content security policy names no other.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import shutil
from base64 import b64encode
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2

from accelmart.opening import open_file
from warehouse.outputs.report.page import SCRIPTS
from warehouse.publication.generation import Generation
from warehouse.storage.database import records_of

DOCS_THEME = Path(__file__).with_name("docs_theme")
"""What the documentation adds to the theme of MkDocs: titles and pictures for link previews."""

# files of packages of npm, and whether they are kept compressed: the page unpacks them
_PACKED = {"@duckdb/duckdb-wasm/dist/duckdb-eh.wasm"}
_COPIED = {
    "@duckdb/duckdb-wasm/dist/duckdb-browser.mjs",
    "@duckdb/duckdb-wasm/dist/duckdb-browser-eh.worker.js",
    "apache-arrow/Arrow.es2015.min.js",
}
_OWN = ("site.css", "frame.js", "icon.svg")
_IMPORTS = {"imports": {"duckdb": "./console/duckdb-browser.mjs", "apache-arrow": "./arrow.js"}}
_CONSOLE = {
    "title": "Ask the warehouse in SQL",
    "lead": "DuckDB runs in this page and reads the published file: all tables and functions, no server, no account.",
    "picture": "report-prices.png",
}
_PICTURES = {"Prices": "report-prices.png", "Performance": "report-side-by-side.png"}
_PICTURE = "report.png"

_QUESTION = re.compile(r"^### (?:\d+\. )?(.+?)\n.*?```sql\n(.*?)```", re.DOTALL | re.MULTILINE)
_RANK = (
    "Where do tokens of Llama 3.1 405B cost least?",
    """select accelerator_id, provider, pricing_model, round(usd_per_output_mtok, 3) as usd_per_output_mtok,
    usd_per_accelerator_hour, price_seen_on
from cost_per_mtok('llama3.1-405b', 'Server')
where rank_reason is null""",
)


Rows = list[dict[str, Any]]

_HOUR = "from price_level('H100') where usd_per_accelerator_hour is not null"
_TOKENS = """select product_name as accelerator, h.*
from cost_headline() as h inner join dim_accelerator using (accelerator_id)
where benchmark_id = 'deepseek-r1' and scenario = 'Server' and pricing_model = 'on_demand'
    and is_best_of_accelerator and usd_per_output_mtok_at_level is not null
order by usd_per_output_mtok_at_level, accelerator"""
_OWNING = "from rent_or_own('H100', 64, 36) where option in ('own', 'rent_by_the_hour') and usd is not null"


def _hour(rows: Rows) -> str:
    (row,) = rows
    return (
        f"{_range(row, 'usd_per_accelerator_hour')} an hour on demand at a typical neocloud, a GPU-only cloud. "
        f"The lowest offer is ${row['usd_cheapest']:.2f}."
    )


def _tokens(rows: Rows) -> str:
    name = "usd_per_output_mtok_at_level"
    first, *others = rows
    near = sum(row[f"{name}_low"] <= first[f"{name}_high"] for row in others)
    overlap = f" Ranges of {near} others overlap." if near else ""
    return (
        f"From {_range(first, name)} per million output tokens, on a rented {first['accelerator']} under a latency "
        f"limit.{overlap}"
    )


def _owning(rows: Rows) -> str:
    of = {row["option"]: _range(row, "usd", 1e6, " M") for row in rows}
    words = {"own": "Owning costs", "rent_by_the_hour": "Renting by the hour, 60 % of the time, costs"}
    return " ".join(f"{words[option]} {cost}." for option, cost in sorted(of.items()))


def _range(row: dict[str, Any], name: str, divisor: float = 1, suffix: str = "") -> str:
    value, low, high = (f"${row[name + end] / divisor:.2f}{suffix}" for end in ("", "_low", "_high"))
    return f"{value} (range {low} to {high})"


# question, page of the report with all figures, SQL, and the sentence that its rows give
_ANSWERS: tuple[tuple[str, str, str, Callable[[Rows], str]], ...] = (
    ("What does an H100 cost?", "prices.html", _HOUR, _hour),
    (
        "What do tokens of DeepSeek-R1 cost?",
        "accelerators.html#/accelerators?benchmark=deepseek-r1",
        _TOKENS,
        _tokens,
    ),
    ("Rent or own 64 H100 for three years?", "my-numbers.html", _OWNING, _owning),
)


def has_console(packages: Path) -> bool:
    """Return whether the packages of npm that the console needs are installed."""
    return all((packages / name).is_file() for name in _PACKED | _COPIED)


def write_website(generation: Generation, folder: Path, *, cookbook: Path, packages: Path, url: str) -> None:
    """Write the pages beside ``report.html`` and the documentation in ``docs/``.

    Args:
        generation: the published generation; its path is read.
        folder: of the website.
        cookbook: page whose questions are the examples of the console.
        packages: ``node_modules`` of `package.json` here; without them there is no console.
        url: address of the website, which link previews need; empty if it is not known.
    """
    with open_file(generation.path) as db:
        ((day,),) = db.execute("select newest_price_day()").fetchall()
        answers = [
            {"question": question, "page": page, "sql": sql, "sentence": sentence(rows)}
            for question, page, sql, sentence in _ANSWERS
            if (rows := records_of(db, sql))
        ]
    common = {
        "day": day,
        "built": generation.built_at,
        "url": f"{url.rstrip('/')}/" if url else "",
        "has_console": has_console(packages),
    }
    for name in _OWN:
        (folder / name).write_bytes(files(__package__).joinpath(name).read_bytes())
    pages = _report_pages()
    for page in pages:
        _write(folder, f"{page['id']}.html", common | {"page": page} | page)
    home = {"title": "Economics of AI accelerators", "picture": _PICTURE, "lead": pages[0]["lead"]}
    _write(folder, "index.html", common | {"page": pages[0], "answers": answers} | home)
    if common["has_console"]:
        questions = [_RANK, *_QUESTION.findall(cookbook.read_text(encoding="utf-8"))]
        examples = [{"question": question, "sql": sql.strip()} for question, sql in questions]
        _write(folder, "console.html", common | {"examples": examples} | _CONSOLE)
        _copy_console(folder, packages)


def _report_pages() -> list[dict[str, str]]:
    """Return id, title and description of the pages of the report, in their order, as its scripts state them."""
    pages = []
    for name in SCRIPTS:
        if name.startswith("pages/"):
            script = files("warehouse.outputs.report").joinpath(name).read_text(encoding="utf-8")
            stated = dict(re.findall(r'^  (id|place|title|lead): "(.*)",$', script, re.MULTILINE))
            pages.append(stated | {"picture": _PICTURES.get(stated["place"], _PICTURE)})
    return pages


def _write(folder: Path, name: str, values: dict[str, Any]) -> None:
    imports = json.dumps(_IMPORTS)
    digest = b64encode(hashlib.sha256(imports.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'self' blob: 'wasm-unsafe-eval' 'sha256-{digest}'; worker-src blob:; "
        "connect-src 'self' blob:; style-src 'self'; img-src 'self'; frame-src 'self'; base-uri 'none'; "
        "form-action 'none'"
    )
    template = jinja2.Environment(autoescape=True).from_string(
        files(__package__).joinpath("page.html.j2").read_text(encoding="utf-8")
    )
    text = template.render(values | {"name": name, "policy": policy, "imports": imports})
    (folder / name).write_text(text, encoding="utf-8")


def _copy_console(folder: Path, packages: Path) -> None:
    for name in ("console.js", "arrow.js"):
        (folder / name).write_bytes(files(__package__).joinpath(name).read_bytes())
    target = folder / "console"
    target.mkdir()
    for path in _COPIED:
        shutil.copyfile(packages / path, target / Path(path).name)
    for path in _PACKED:
        packed = gzip.compress((packages / path).read_bytes(), mtime=0)
        # a name that no server takes for an encoding of the response
        (target / f"{Path(path).name}.gzip").write_bytes(packed)
