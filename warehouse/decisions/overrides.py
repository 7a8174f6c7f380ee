"""The operator's decisions and the user's reference data: CSV files in the folder ``overrides/`` of the data root.

`warehouse.decisions.override_forms` says which files there are. Every build reads all of them first; an error in one is
named with file and line, and no build is started. The header line may be left out if each line has all cells in the
order of the form, so that a ``seed_line`` of ``ops_unmapped`` can be pasted unchanged. A row of reference data replaces
the seed's rows with the same key. Lines that begin with ``#`` are comments: commands keep them, and the order of lines.

What earlier versions wrote elsewhere (`warehouse.decisions.earlier_decisions`) is read too, until it is converted.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import duckdb

from accelmart.spelling import did_you_mean
from ingest.core.untrusted_text import clean_text
from warehouse.decisions.earlier_decisions import read_records, read_scenarios_yaml
from warehouse.decisions.override_forms import (
    DECISIONS,
    SCENARIOS,
    SEEDS_DIR,
    Form,
    OverrideRow,
    OverridesRejected,
    overridable_seeds,
)
from warehouse.storage.files import written_whole
from warehouse.storage.home import Home
from warehouse.storage.parquet import write_records

TABLE = "overrides"


def write_overrides_table(rows: Iterable[OverrideRow], target: Path) -> None:
    """Write the rows of reference data as the raw table ``overrides`` (columns of `OverrideRow`)."""
    write_records(target, [row for row in rows if row.seed not in DECISIONS], OverrideRow)


def read_overrides(home: Home) -> list[OverrideRow]:
    """Return the rows of all override files after checking them.

    Raises:
        OverridesRejected: a file is not known, or a line has errors.
        RecordDamaged: a record of an earlier version is damaged.
    """
    files = sorted(p for p in home.overrides.glob("*") if p.is_file() and not p.name.startswith("."))
    is_reference = any(path.stem not in DECISIONS for path in files) or home.scenarios.exists()
    forms = {**DECISIONS, **(overridable_seeds() if is_reference or _path(home, SCENARIOS) in files else {})}
    unknown = [path for path in files if path.suffix != ".csv" or path.stem not in forms]
    allowed = ", ".join(f"{name}.csv" for name in forms)
    problems = [
        f"{path.name}: not a file that is read.{did_you_mean(path.stem, forms)} Allowed: {allowed}"
        for path in unknown
    ]
    return _read(home, forms, problems)


def read_decisions(home: Home, *names: str) -> list[OverrideRow]:
    """Return the rows of some files of decisions after checking these files alone.

    Raises:
        OverridesRejected, RecordDamaged: see `read_overrides`.
    """
    return _read(home, {name: DECISIONS[name] for name in names}, [])


def _read(home: Home, forms: Mapping[str, Form], problems: list[str]) -> list[OverrideRow]:
    rows: list[OverrideRow] = []
    for form in sorted(forms.values(), key=lambda form: form.name):
        rows += _parse(home, form, problems).rows
    known = {_key(row.seed, row.cells) for row in rows}
    rows += [
        row for row in read_records(home) if row.seed in forms and _key(row.seed, row.cells) not in known
    ]
    rows += read_scenarios_yaml(home.scenarios, problems) if SCENARIOS in forms else []
    if rows:
        problems += _problems_of(rows, forms)
    if problems:
        raise OverridesRejected(problems)
    return rows


def _path(home: Home, name: str) -> Path:
    return home.overrides / f"{name}.csv"


def _key(name: str, cells: Mapping[str, str]) -> tuple[str, ...]:
    return (name, *(cells.get(column, "") for column in DECISIONS[name].key)) if name in DECISIONS else ()


# --- the text of one file ----------------------------------------------------------------------------------------


class _Parsed(NamedTuple):
    """One file: its lines, the columns of its cells, whether it has any line but comments, its rows and their lines."""

    lines: list[str]
    columns: list[str]
    is_empty: bool
    rows: list[OverrideRow]
    spans: list[range]


def _parse(home: Home, form: Form, problems: list[str]) -> _Parsed:
    """Read one file, which need not exist, and append its format errors to `problems`."""
    path, columns = _path(home, form.name), list(form.columns)
    rows: list[OverrideRow] = []
    spans: list[range] = []
    try:
        text = path.read_text(encoding="utf-8-sig") if path.exists() else ""
    except UnicodeDecodeError as e:
        problems.append(f"{path.name}: not UTF-8 text (byte {e.start})")
        return _Parsed([], columns, True, rows, spans)
    lines = list(io.StringIO(text))
    reader, start, is_first = csv.reader(lines, strict=True), 0, True
    try:
        for cells in reader:
            span, start = range(start, reader.line_num), reader.line_num
            where = f"{path.name}, line {reader.line_num}"
            if not any(cell.strip() for cell in cells) or cells[0].lstrip().startswith("#"):
                continue
            if is_first and cells[0].strip() in form.columns:
                columns, is_first = [cell.strip() for cell in cells], False
                if unknown := [c for c in columns if c not in form.columns]:
                    near = did_you_mean(unknown[0], form.columns)
                    problems.append(f"{where}: unknown column {unknown[0]!r}.{near}")
                    break
                continue
            is_first = False
            if columns == list(form.columns) and len(cells) == len(columns) - form.n_newest:
                cells = [*cells, *[""] * form.n_newest]
            if len(cells) != len(columns):
                problems.append(
                    f"{where}: {len(cells)} cells instead of {len(columns)} ({','.join(columns)})"
                )
                continue
            words = [clean_text(cell).strip() for cell in cells]
            record = {c: v for c, v in zip(columns, words, strict=True) if v}
            rows.append(
                OverrideRow(
                    form.name, path.name, span[-1] + 1, json.dumps(record, ensure_ascii=False, sort_keys=True)
                )
            )
            spans.append(span)
    except csv.Error as e:
        problems.append(f"{path.name}, line {reader.line_num}: not valid CSV ({e})")
    return _Parsed(lines, columns, is_first, rows, spans)


def replace_rows(
    home: Home, name: str, *, add: Iterable[Mapping[str, str]] = (), remove: Iterable[Mapping[str, str]] = ()
) -> None:
    """Change a file of decisions; its other lines stay as they are. The caller holds the lock of builds.

    Args:
        home: the installation.
        name: of the file.
        add: cells of new rows; a row whose key is there already is left as it is.
        remove: cells of rows to remove, of which the key counts.

    Raises:
        OverridesRejected: the file has errors; it stays as it is.
    """
    problems: list[str] = []
    path, parsed = _path(home, name), _parse(home, DECISIONS[name], problems)
    removed = {_key(name, cells) for cells in remove}
    gone = {line for row, span in zip(parsed.rows, parsed.spans, strict=True) for line in span
            if _key(name, row.cells) in removed}  # fmt: skip
    known = {_key(name, row.cells) for row in parsed.rows} - removed
    new = [cells for cells in add if _key(name, cells) not in known]
    missing = sorted({column for cells in new for column in cells} - {*parsed.columns})
    problems += [f"{path.name}, line 1: add the column {column} to the header" for column in missing]
    if problems:
        raise OverridesRejected(problems)
    if not gone and not new:
        return
    kept = "".join(line for number, line in enumerate(parsed.lines) if number not in gone)
    if not (new or known or "#" in kept):  # the header alone: as if nothing had ever been decided
        path.unlink()
        return
    out = io.StringIO()
    out.write(kept if not kept or kept.endswith("\n") else f"{kept}\n")
    writer = csv.DictWriter(out, parsed.columns, lineterminator="\n")
    if parsed.is_empty:
        writer.writeheader()
    writer.writerows(new)
    with written_whole(path) as temporary:
        temporary.write_text(out.getvalue(), encoding="utf-8")


def convert_records(home: Home) -> None:
    """Move what commands of earlier versions decided to ``overrides/``; the records stay as ``<name>.converted``.

    The caller holds `warehouse.storage.locks.exclusive`.

    Raises:
        OverridesRejected, RecordDamaged: a file has errors; nothing is lost.
    """
    _convert(home, read_records(home), home.holds, home.accepted_payloads)


def convert_scenarios(home: Home) -> bool:
    """Move ``scenarios.yaml`` to ``overrides/scenarios.csv``, and return whether there was any.

    The caller holds `warehouse.storage.locks.exclusive`.

    Raises:
        OverridesRejected: a file has errors; nothing is changed.
    """
    is_there = home.scenarios.exists()
    problems: list[str] = []
    rows = read_scenarios_yaml(home.scenarios, problems) if is_there else []
    problems += _problems_of(rows, {**DECISIONS, **overridable_seeds()}) if rows else []
    if problems:
        raise OverridesRejected(problems)
    _convert(home, rows, home.scenarios)
    return is_there


def _convert(home: Home, rows: Iterable[OverrideRow], *files: Path) -> None:
    by_name: dict[str, list[Mapping[str, str]]] = {}
    for row in rows:
        by_name.setdefault(row.seed, []).append(row.cells)
    for name, cells in by_name.items():
        replace_rows(home, name, add=cells)
    for file in files:
        if file.exists():
            file.replace(file.with_name(f"{file.name}.converted"))


# --- the cells ---------------------------------------------------------------------------------------------------

Rule = tuple[str, str, str, str]
"""Column of the wrong cell, empty for the whole row; what is wrong; SQL condition of such rows; SQL of known names."""


def _problems_of(rows: list[OverrideRow], forms: Mapping[str, Form]) -> list[str]:
    """Return the errors in the cells: types, empty cells, values, patterns, references, repeated keys."""
    out: list[str] = []
    used = [form for name, form in forms.items() if any(row.seed == name for row in rows)]
    seeds = {seed for form in used for seed in (*form.reads, *(to for to, _, _ in form.references.values()))}
    with duckdb.connect() as db:
        for name in seeds:
            db.execute(
                f"create table {name} as select * from read_csv(?, header = true, all_varchar = true, nullstr = '')",
                [str(SEEDS_DIR / f"{name}.csv")],
            )
        for name, form in forms.items():
            columns = ", ".join(f'"{c}" varchar' for c in form.columns)
            db.execute(f"create table override_{name} (file varchar, line bigint, {columns})")
        for row in rows:
            values = [row.file, row.line, *(row.cells.get(c) for c in forms[row.seed].columns)]
            db.execute(f"insert into override_{row.seed} values ({', '.join('?' * len(values))})", values)
        for form in used:
            for column, text, condition, names in _rules(form, forms):
                wrong = f'"{column}"' if column else "null"
                bad = db.execute(
                    f"select file, line, {wrong} from override_{form.name} as o where {condition} order by all"
                ).fetchall()
                known = {name for (name,) in db.execute(names).fetchall()} if names and bad else set()
                for file, line, word in bad:
                    near = did_you_mean(word, known) if word else ""
                    cell = f'{column} is "{word}"' if word is not None else f"{column} is empty"
                    out.append(f"{file}, line {line}: {cell if column else ''}{text}{near}")
            out += _bad_patterns(db, form)
    return sorted(
        out, key=lambda text: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", text)]
    )


def _rules(form: Form, forms: Mapping[str, Form]) -> Iterator[Rule]:
    """Yield each rule of a form."""
    for column in form.required:
        yield column, ": it must have a value", f'"{column}" is null', ""
    for column, where in form.required_where.items():
        condition = f'"{column}" is null and {_typed(form, where)}'
        yield column, f": it must have a value where {where}", condition, ""
    for column, kind in form.columns.items():
        if kind != "varchar":
            condition = f'"{column}" is not null and try_cast("{column}" as {kind}) is null'
            yield column, f", not a value of type {kind}", condition, ""
    for column, values in form.accepted.items():
        allowed = ", ".join("'" + v.replace("'", "''") + "'" for v in values)
        condition = f'"{column}" is not null and lower("{column}") not in ({allowed})'
        yield column, f"; allowed: {', '.join(values)}.", condition, f"select unnest([{allowed}])"
    for column, (to, there, where) in form.references.items():
        names = f'select "{there}" from {to} where "{there}" is not null'
        if to in forms:
            names += f' union all select "{there}" from override_{to} where "{there}" is not null'
        condition = f" and {_typed(form, where)}" if where else ""
        yield (
            column,
            f", not a {there} of {to} or its overrides.",
            f'"{column}" is not null{condition} and "{column}" not in ({names})',
            names,
        )
    for text, condition in form.conditions.items():
        yield "", f"broken rule: {text}", f"not coalesce({condition}, true)", ""
    key = ", ".join(f'"{c}"' for c in form.key)
    yield (
        "",
        f"repeats the key ({', '.join(form.key)}) of an earlier line",
        f"(file, line) not in (select (arg_min(file, line), min(line)) from override_{form.name} group by {key})",
        "",
    )


def _typed(form: Form, where: str) -> str:
    """Return a condition of a seed's description, with casts for cells that are still text."""
    flags = [c for c, kind in form.columns.items() if kind == "boolean"]
    for column in flags:
        where = re.sub(rf"\b{column}\b", f'coalesce(try_cast("{column}" as boolean), false)', where)
    return f"({where})"


def _bad_patterns(db: duckdb.DuckDBPyConnection, form: Form) -> list[str]:
    """Return the errors of regular expressions that DuckDB cannot compile."""
    out = []
    for column in (c for c in form.columns if c.endswith(("pattern", "_regex"))):
        rows = db.execute(
            f'select file, line, "{column}" from override_{form.name} where "{column}" is not null'
        ).fetchall()
        for file, line, pattern in rows:
            try:
                db.execute("select regexp_matches('', ?)", [pattern]).fetchall()
            except duckdb.Error as e:
                reason = str(e).splitlines()[0]
                out.append(f"{file}, line {line}: {column} is not a valid regular expression ({reason})")
    return out
