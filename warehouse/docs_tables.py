"""One documentation page per public table: columns with units and origin, tested rules, worked examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import duckdb

from warehouse.docs import UNIT, markdown_page, markdown_table, public_columns

INDEX = "index.md"
# columns of origin that one cell lists
_ORIGINS_SHOWN = 3


@dataclass(frozen=True)
class TableNotes:
    """What dbt knows about a table.

    Args:
        made_of: names of the tables it reads.
        used_by: names of the tables that read it.
        rules: what is tested after every build, in words.
        examples: names and texts of the unit tests of its formulas.
        columns: column → the columns it is computed from, as ``table.column``.
    """

    made_of: list[str] = field(default_factory=list)
    used_by: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    examples: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, list[str]] = field(default_factory=dict)


def table_pages(db: duckdb.DuckDBPyConnection, notes: Mapping[str, TableNotes]) -> dict[str, str]:
    """Return a page for each public table, and their index.

    Args:
        db: a connection to the warehouse.
        notes: by table; a table without notes has its columns alone.

    Returns:
        Table → Markdown; the index under `INDEX` without its suffix.
    """
    tables: dict[str, tuple[str, int]] = {
        name: (comment, rows)
        for name, comment, rows in db.execute(
            "select table_name, comment, estimated_size from duckdb_tables() where schema_name = 'main' order by 1"
        ).fetchall()
    }
    columns: dict[str, list[tuple[str, str, str]]] = {}
    for table, name, data_type, comment in public_columns(db):
        columns.setdefault(table, []).append((name, data_type, comment))
    pages = {
        table: _page_of(table, *tables[table], columns[table], notes.get(table, TableNotes()), set(tables))
        for table in tables
    }
    index = markdown_table(
        ("table", "rows", "content"),
        ((f"[`{name}`]({name}.md)", rows, comment) for name, (comment, rows) in tables.items()),
    )
    return pages | {INDEX.removesuffix(".md"): markdown_page(["# Tables", "", *index])}


def _page_of(
    table: str,
    comment: str,
    rows: int,
    columns: Sequence[tuple[str, str, str]],
    notes: TableNotes,
    public: set[str],
) -> str:
    lines = [f"# {table}", "", comment, "", f"{rows:,} rows. `from {table}` in SQL.", "", "## Columns", ""]
    described = []
    for name, data_type, text in columns:
        unit = UNIT.match(text)
        origins = notes.columns.get(name, [])
        origin = ", ".join(f"`{o}`" for o in origins[:_ORIGINS_SHOWN])
        more = f" and {len(origins) - _ORIGINS_SHOWN} more" if len(origins) > _ORIGINS_SHOWN else ""
        meaning = (unit[2] if unit else text) + (f" From {origin}{more}." if origin else "")
        described.append((f"`{name}`", data_type.lower(), unit[1] if unit else "", meaning))
    lines += markdown_table(("column", "type", "unit", "meaning, and columns it is computed from"), described)
    for title, names in (("Made of", notes.made_of), ("Used by", notes.used_by)):
        if names:
            linked = (f"[`{name}`]({name}.md)" if name in public else f"`{name}`" for name in names)
            lines += ["", f"## {title}", "", ", ".join(linked)]
    if notes.rules:
        lines += ["", "## Tested after every build", "", *(f"- {rule}" for rule in notes.rules)]
    if notes.examples:
        lines += ["", "## Worked examples (unit tests)", ""]
        for name, text in notes.examples.items():
            lines.append(f"- *{name.replace('_', ' ')}*: {' '.join(text.split())}")
    return markdown_page(lines)
