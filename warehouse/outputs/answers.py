"""The answers most asked for, as JSON, and what a site holds in words (llms.txt, https://llmstxt.org).

One document an accelerator and one a model: the throughput that stands for it, cost of tokens on demand at the price
level, price levels, ratios at the same sellers, current rents, ownership. They are rows of public tables with their
evidence; nothing is computed here.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import duckdb

from accelmart.opening import open_file
from warehouse.publication.generation import Generation
from warehouse.storage.database import public_tables, records_of

NOTE = (
    "MLPerf results are MLCommons' and name their submission. Figures per accelerator, per token, per dollar and per "
    "joule are derived by Accelmart and not verified by MLCommons: name submitter, benchmark, system, division, "
    "scenario, round and id with any figure, do not present derived figures as MLPerf results, and do not rank MLPerf "
    "results together with others. Prices are observations with the day of observation. MLPerf is a trademark of "
    "MLCommons."
)

# section of a document, the table whose columns and units it has, and its rows
_SECTIONS = {
    "throughput": (
        "mart_token_throughput",
        "from mart_token_throughput where is_representative order by benchmark_id, scenario, accelerator_id",
    ),
    "cost_of_tokens": (
        "mart_cost_headline",
        """
        select h.*, t.submission_id, t.system_name, t.source_url
        from mart_cost_headline as h
        inner join mart_token_throughput as t using (result_id)
        where h.is_representative and h.pricing_model = 'on_demand'
        order by
            h.benchmark_id, h.scenario, h.usd_per_output_mtok_at_level nulls last,
            h.usd_per_output_mtok_median nulls last, h.accelerator_id
        """,
    ),
    "price_levels": (
        "mart_rental_price_level",
        """
        from mart_rental_price_level where as_of <= newest_price_day()
        qualify as_of = max(as_of) over (partition by pricing_model)
        order by accelerator_id, pricing_model
        """,
    ),
    "same_seller_ratios": (
        "mart_same_seller_ratio",
        "from mart_same_seller_ratio order by accelerator_id, pricing_model, other_accelerator_id",
    ),
    "rents": (
        "mart_price_current",
        "from mart_price_current order by accelerator_id, pricing_model, usd_per_accelerator_hour_min, provider",
    ),
    "ownership": ("mart_tco", "from mart_tco where is_default order by accelerator_id, scenario_id"),
}
_OF_MODELS = ("throughput", "cost_of_tokens")


def write_answers(generation: Generation, folder: Path) -> list[str]:
    """Write the answers of a generation.

    Args:
        generation: its path is read.
        folder: gets ``index.json``, ``accelerators/<accelerator_id>.json`` and ``models/<benchmark_id>.json``.

    Returns:
        Paths below the folder.
    """
    with open_file(generation.path, settings={"timezone": "UTC"}) as db:
        parts = records_of(db, "from dim_accelerator order by accelerator_id")
        models = records_of(db, "from dim_benchmark where suite_kind = 'inference' order by benchmark_id")
        sections = {name: records_of(db, statement) for name, (_, statement) in _SECTIONS.items()}
        units = {name: _units(db, table) for name, (table, _) in _SECTIONS.items()}
        units["accelerator"], units["model"] = _units(db, "dim_accelerator"), _units(db, "dim_benchmark")
    head = {
        "generation_id": generation.generation_id,
        "built_at": generation.built_at.isoformat(),
        "note": NOTE,
    }
    written: list[str] = []
    subjects = (
        ("accelerators", "accelerator", "accelerator_id", parts, tuple(_SECTIONS)),
        ("models", "model", "benchmark_id", models, _OF_MODELS),
    )
    for below, subject, key, rows, of_subject in subjects:
        for row in rows:
            answers = {name: [r for r in sections[name] if r[key] == row[key]] for name in of_subject}
            if not any(answers.values()):
                continue
            path = f"{below}/{_file_name(row[key])}.json"
            shown = {name: units[name] for name in (subject, *of_subject)}
            _write(folder / path, {**head, "units": shown, subject: row, **answers})
            written.append(path)
    _write(folder / "index.json", {**head, "answers": written})
    return [*written, "index.json"]


def llms_txt(generation: Generation) -> str:
    """Return what a site holds, for people and language models.

    Args:
        generation: the published generation; its path is read. Links start at its folder.
    """
    with open_file(generation.path) as db:
        tables = public_tables(db)
    lines = [
        "# Accelmart",
        "",
        "> Speed, cost and energy of AI accelerators from public data (MLPerf results, cloud prices, specifications), "
        "with the evidence on every row.",
        "",
        f"Generation {generation.generation_id}, built {generation.built_at:%Y-%m-%d %H:%M} UTC. {NOTE}",
        "",
        "`latest.json` at the root of this place names the newest generation; a generation's folder never changes. "
        "Python: `accelmart.connect(URL)`; command line: `accelmart pull URL`. Units end the names of columns "
        "(`_usd_per_output_mtok`: US dollars per million output tokens).",
        "",
        "## Data",
        "",
        "- [accelmart.duckdb](accelmart.duckdb): everything, for DuckDB 1.2 and newer; accelmart.duckdb.gz is the same",
        "- [tables/datapackage.json](tables/datapackage.json): every table, column, unit, source and licence",
        "- [tables/answers.csv](tables/answers.csv): speed, cost, energy and carbon, one table for spreadsheets",
        "- [answers/index.json](answers/index.json): latest answers, one document an accelerator and a model",
        "- [report.html](report.html): the figures as one page",
        "- [SHA256SUMS](SHA256SUMS): hashes of all files",
        "",
        "## Documentation",
        "",
        "- [Data dictionary](docs/data-dictionary/index.md): every table, column, unit and SQL function",
        "- [Appendix](docs/appendix.md): formulas and assumptions with their sources",
        "- [State](docs/state.md): sources, counts and checks of this generation",
        "",
        "## Tables",
        "",
        *(f"- [{name}](tables/{name}.parquet): {_first_sentence(comment)}" for name, comment, _ in tables),
    ]
    return "\n".join(lines) + "\n"


def _units(db: duckdb.DuckDBPyConnection, table: str) -> dict[str, str]:
    rows = db.execute(
        "select column_name, unit from columns_of($t) where unit is not null", {"t": table}
    ).fetchall()
    return {str(name): str(unit) for name, unit in rows}


def _write(path: Path, document: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False, default=str)
    path.write_text(text + "\n", encoding="utf-8")


def _file_name(key: str) -> str:
    """Return a key as a file name: keys of names without a mapping hold other characters."""
    name = "".join(c if c.isalnum() or c in "-._" else "_" for c in key)
    return name if name == key else f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:6]}"


def _first_sentence(text: str) -> str:
    return " ".join(text.split()).partition(". ")[0].rstrip(".")
