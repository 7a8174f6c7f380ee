"""The user's changes to the reference seeds: CSV files in the folder ``overrides/`` of the data root.

A file has the name and the columns of its seed, such as ``overrides/accelerator_aliases.csv``. The header line may be
left out if each line has all cells in the order of the seed, so that a ``seed_line`` of ``ops_unmapped`` can be pasted
unchanged. A row replaces the seed's rows with the same key (``config.meta.override_key`` of the seed).

The rules for a cell come from the seed's description in ``dbt_project/seeds/*.yml``: types, required columns, accepted
values and references to other seeds. One exception: a row may name a new ``accelerator_id``, which then has a row in
``dim_accelerator`` without specifications.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import duckdb

from ingest.core.errors import AccelmartError
from ingest.core.untrusted_text import clean_text
from ingest.core.words import did_you_mean
from warehouse.files import read_yaml
from warehouse.home import DBT_PROJECT_DIR, Home
from warehouse.parquet import write_records

TABLE = "overrides"
_SEEDS_DIR = DBT_PROJECT_DIR / "seeds"
_ACCELERATORS = "accelerator_specs"
_ACCELERATOR_ID = re.compile(r"[a-z0-9][a-z0-9.-]*")
_PROBLEMS_SHOWN = 10


class OverridesRejected(AccelmartError, ValueError):
    """Override files have errors; no build is started.

    Args:
        problems: one line per error: file, line, what is wrong, what is allowed.
    """

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        more = len(problems) - _PROBLEMS_SHOWN
        shown = [*problems[:_PROBLEMS_SHOWN], *([f"and {more} more"] if more > 0 else [])]
        super().__init__(
            "override files cannot be used; the published warehouse is unchanged.\n"
            + "\n".join(shown)
            + "\nTo fix: correct or remove these lines, then build again. See docs/how-to/override-reference-data.md"
        )


@dataclass(frozen=True)
class Seed:
    """The columns and rules of a reference seed, from its description.

    Args:
        name: name of the seed: its file name without ``.csv``.
        columns: column → SQL type, in the order of the file.
        key: columns that identify a row.
        required: columns that must have a value.
        accepted: column → accepted values.
        references: column → (seed, column there, SQL condition on the row, or empty).
        required_where: column → SQL condition on the rows that must have a value.
        n_newest: last columns that a line without a header may lack: files written before they were added stay good.
    """

    name: str
    columns: Mapping[str, str]
    key: tuple[str, ...]
    required: tuple[str, ...]
    accepted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    references: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    required_where: Mapping[str, str] = field(default_factory=dict)
    n_newest: int = 0


@dataclass(frozen=True)
class OverrideRow:
    """One line of an override file, as a row of the raw table ``overrides``.

    Args:
        seed: name of the seed.
        file: name of the file, without its folder, so that no local path is published.
        line: line number in the file, from 1.
        record: the cells as a JSON object, column → text, without empty cells.
    """

    seed: str
    file: str
    line: int
    record: str


def write_overrides_table(home: Home, target: Path) -> None:
    """Write the raw table ``overrides`` (columns of `OverrideRow`) as Parquet; it is empty without override files.

    Raises:
        OverridesRejected: a file has errors.
    """
    write_records(target, read_overrides(home), OverrideRow)


def read_overrides(home: Home) -> list[OverrideRow]:
    """Return the rows of all override files after checking them.

    Raises:
        OverridesRejected: a file does not belong to a seed, or a line has errors.
    """
    seeds = overridable_seeds()
    problems: list[str] = []
    rows: list[OverrideRow] = []
    for path in _files(home):
        seed = seeds.get(path.stem)
        if path.suffix != ".csv" or seed is None:
            allowed = ", ".join(f"{name}.csv" for name in seeds)
            near = did_you_mean(path.stem, seeds)
            problems.append(f"{path.name}: not a seed that can be overridden.{near} Allowed: {allowed}")
            continue
        rows += _rows_of(path, seed, problems)
    if rows:
        problems += _problems_of(rows, seeds)
    if problems:
        raise OverridesRejected(problems)
    return rows


@cache
def overridable_seeds() -> dict[str, Seed]:
    """Return the seeds of ``dbt_project/seeds/*.yml`` that have ``config.meta.override_key``, by name."""
    out = {}
    for path in sorted(_SEEDS_DIR.glob("*.yml")):
        nodes = read_yaml(path).get("seeds", [])
        rules: dict[str, Any] = {}
        for test in (test for node in nodes for test in node.get("data_tests", [])):
            rules |= test["rules_of_tables"]["arguments"]["tables"]
        for node in nodes:
            key = node.get("config", {}).get("meta", {}).get("override_key")
            if key:
                out[node["name"]] = _seed_of(node, rules[node["name"]], tuple(key))
    return out


def _seed_of(node: Mapping[str, Any], rules: Mapping[str, Any], key: tuple[str, ...]) -> Seed:
    """Return the form of a seed from its description in YAML and its rules in the file's test of all."""
    references = {}
    for column, target in rules.get("refers_to", {}).items():
        target = {"to": target} if isinstance(target, str) else target
        table, there = target["to"].split(".")
        references[column] = (table, there, target.get("where", ""))
    return Seed(
        node["name"],
        columns=dict(node["config"]["column_types"]),
        key=key,
        required=tuple(rules["never_empty"]),
        accepted={
            column: tuple(str(value).lower() for value in values)
            for column, values in rules.get("accepted_values", {}).items()
        },
        references=references,
        required_where=rules.get("never_empty_where", {}),
        n_newest=node["config"]["meta"].get("newest_columns", 0),
    )


def _files(home: Home) -> list[Path]:
    return sorted(p for p in home.overrides.glob("*") if p.is_file() and not p.name.startswith("."))


def _rows_of(path: Path, seed: Seed, problems: list[str]) -> Iterator[OverrideRow]:
    """Yield the rows of one file and append its format errors to `problems`."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as e:
        problems.append(f"{path.name}: not UTF-8 text (byte {e.start})")
        return
    columns = list(seed.columns)
    reader = csv.reader(io.StringIO(text), strict=True)
    is_first = True
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if is_first and cells[0].strip() in seed.columns:
                columns = cells
                if unknown := [c for c in columns if c not in seed.columns]:
                    near = did_you_mean(unknown[0], seed.columns)
                    problems.append(f"{path.name}, line 1: unknown column {unknown[0]!r}.{near}")
                    return
                is_first = False
                continue
            is_first = False
            if columns == list(seed.columns) and len(cells) == len(columns) - seed.n_newest:
                cells = [*cells, *[""] * seed.n_newest]
            if len(cells) != len(columns):
                problems.append(
                    f"{path.name}, line {reader.line_num}: {len(cells)} cells instead of {len(columns)} "
                    f"({','.join(columns)})"
                )
                continue
            words = [clean_text(cell).strip() for cell in cells]
            record = {c: v for c, v in zip(columns, words, strict=True) if v}
            yield OverrideRow(
                seed.name, path.name, reader.line_num, json.dumps(record, ensure_ascii=False, sort_keys=True)
            )
    except csv.Error as e:
        problems.append(f"{path.name}, line {reader.line_num}: not valid CSV ({e})")


def _problems_of(rows: list[OverrideRow], seeds: Mapping[str, Seed]) -> list[str]:
    """Return the errors in the cells: types, empty cells, values, patterns, references, repeated keys."""
    out: list[str] = []
    with duckdb.connect() as db:
        for name in seeds:
            db.execute(
                f"create table {name} as select * from read_csv(?, header = true, all_varchar = true, nullstr = '')",
                [str(_SEEDS_DIR / f"{name}.csv")],
            )
        for name, seed in seeds.items():
            of_seed = [row for row in rows if row.seed == name]
            columns = ", ".join(f'"{c}" varchar' for c in seed.columns)
            db.execute(f"create table override_{name} (file varchar, line bigint, {columns})")
            for row in of_seed:
                cells = json.loads(row.record)
                values = [row.file, row.line, *(cells.get(c) for c in seed.columns)]
                db.execute(f"insert into override_{name} values ({', '.join('?' * len(values))})", values)
        for name, seed in seeds.items():
            for problem, condition in _rules(seed):
                bad = db.execute(
                    f"select file, line, {problem} from override_{name} as o where {condition} order by all"
                ).fetchall()
                out += [f"{file}, line {line}: {words}" for file, line, words in bad]
            out += _bad_patterns(db, seed)
    return sorted(out)


def _rules(seed: Seed) -> Iterator[tuple[str, str]]:
    """Yield (SQL expression of the message, SQL condition of the rows with the error) for each rule of a seed."""

    def words(text: str, column: str) -> str:
        return f"""'{column} is ' || coalesce('"' || "{column}" || '"', 'empty') || '{text.replace("'", "''")}'"""

    for column in dict.fromkeys([*seed.required]):
        yield words(": it must have a value", column), f'"{column}" is null'
    for column, where in seed.required_where.items():
        yield (
            words(f": it must have a value where {where}", column),
            f'"{column}" is null and {_typed(seed, where)}',
        )
    for column, kind in seed.columns.items():
        if kind != "varchar":
            yield (
                words(f", not a value of type {kind}", column),
                f'"{column}" is not null and try_cast("{column}" as {kind}) is null',
            )
    for column, values in seed.accepted.items():
        allowed = ", ".join("'" + v.replace("'", "''") + "'" for v in values)
        yield (
            words(f"; allowed: {', '.join(values)}", column),
            f'"{column}" is not null and lower("{column}") not in ({allowed})',
        )
    for column, (to, there, where) in seed.references.items():
        if to == _ACCELERATORS:
            yield (
                words("; an accelerator_id has lower-case letters, digits, hyphens and dots", column),
                f'"{column}" is not null and not regexp_full_match("{column}", \'{_ACCELERATOR_ID.pattern}\')',
            )
            continue
        condition = f" and {_typed(seed, where)}" if where else ""
        yield (
            words(f", not a {there} of {to} or its overrides", column),
            f'"{column}" is not null{condition} and "{column}" not in '
            f'(select "{there}" from {to} where "{there}" is not null union all '
            f'select "{there}" from override_{to} where "{there}" is not null)',
        )
    key = ", ".join(f'"{c}"' for c in seed.key)
    yield (
        f"'repeats the key ({', '.join(seed.key)}) of an earlier line'",
        f"(file, line) not in (select (arg_min(file, line), min(line)) from override_{seed.name} group by {key})",
    )


def _typed(seed: Seed, where: str) -> str:
    """Return a condition of a seed's description, with casts for cells that are still text."""
    flags = [c for c, kind in seed.columns.items() if kind == "boolean"]
    for column in flags:
        where = re.sub(rf"\b{column}\b", f'coalesce(try_cast("{column}" as boolean), false)', where)
    return f"({where})"


def _bad_patterns(db: duckdb.DuckDBPyConnection, seed: Seed) -> list[str]:
    """Return the errors of regular expressions that DuckDB cannot compile."""
    out = []
    for column in (c for c in seed.columns if c.endswith(("pattern", "_regex"))):
        rows = db.execute(
            f'select file, line, "{column}" from override_{seed.name} where "{column}" is not null'
        ).fetchall()
        for file, line, pattern in rows:
            try:
                db.execute("select regexp_matches('', ?)", [pattern]).fetchall()
            except duckdb.Error as e:
                reason = str(e).splitlines()[0]
                out.append(f"{file}, line {line}: {column} is not a valid regular expression ({reason})")
    return out
