"""How every question's command prints its answer, from one description of it.

By default at most `MOST_LINES` lines: a sentence, a table of at most six columns, what to know about it, the age of the
prices. ``--explain`` prints all columns of the short form, reasons and evidence, ``--all`` all rows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from accelmart.cli.output import MOST_LINES, line_width, print_narrow, print_table, say, say_all
from accelmart.cli.texts import ShortNames, Text, figure, fill, filled, wrapped
from accelmart.columns import FOOTNOTES
from accelmart.published import Reader, Row, Table

# sentences below the short table, and how long each may be
_MOST_NOTES, _NOTE_LINES = 3, 2
# rows of a table of an explanation, and of those that are explained in sentences
_EXPLAINED_ROWS, _IN_WORDS = 20, 3
_LEAST_ROWS = 3
_DERIVED = "Derived here from MLPerf results and prices; not verified by MLCommons. All columns: --format csv or json."
_AGE = "select newest_price_day() as newest, price_current_days() as current_days"


@dataclass(frozen=True)
class Part:
    """A table of an explanation.

    Args:
        columns: names and headings, see `accelmart.columns`; without any there are sentences alone.
        title: a line above.
        where: which rows.
        each: sentences on each of the first rows.
        all_in_words: whether there are sentences on every row.
        most: rows without ``--all``; 0 is all.
    """

    columns: Mapping[str, str]
    title: Text = ""
    where: Callable[[Row], bool] = bool
    each: tuple[Text, ...] = ()
    all_in_words: bool = False
    most: int = _EXPLAINED_ROWS


@dataclass(frozen=True)
class Reasons:
    """Why rows are excluded: a line a reason, with their number ``n`` and their ``lowest`` value.

    Args:
        column: of the reason.
        value: column of the value.
        text: template.
    """

    column: str
    value: str
    text: str


@dataclass(frozen=True)
class Description:
    """What a command prints of an answer; texts are templates, see `accelmart.cli.texts`.

    Args:
        sentence: the answer; over the first row, the arguments, and the second row as ``next_…``.
        columns: of the short table: headings and templates.
        refusal: the sentence where no row answers, over the first row of all.
        where: which rows answer.
        order: of those rows in the short table; default: as they are.
        notes: range and assumptions.
        beside: a statement whose first row adds values to the texts; its parameters are values of the first row.
        parts: tables of the explanation.
        reasons: of rows without a rank.
        closing: sentences at the end of the explanation.
    """

    sentence: Text
    columns: Mapping[str, Text]
    refusal: Text = ""
    where: Callable[[Row], bool] = bool
    order: Callable[[Row], Any] | None = None
    notes: tuple[Text, ...] = ()
    beside: str = ""
    parts: tuple[Part, ...] = ()
    reasons: Reasons | None = None
    closing: tuple[Text, ...] = ()


def is_known(name: str) -> Callable[[Row], bool]:
    """Return a condition: the value of a row is not null."""
    return lambda row: row[name] is not None


@dataclass(frozen=True)
class Answered:
    """An answer with its question.

    Args:
        rows: of the answer.
        notes: sentences on it.
        asked: arguments.
        reader: the warehouse.
        more: sentences of the explanation.
    """

    rows: list[Row]
    notes: tuple[str, ...]
    asked: Row
    reader: Reader
    more: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Texts:
    """Texts of an answer: sentence, notes and age with their values."""

    sentence: str
    notes: list[str]
    age: str
    values: Row
    short: ShortNames


def show(description: Description, answer: Answered, *, explain: bool, every_row: bool) -> bool:
    """Print an answer; return whether a row answers."""
    answering = [row for row in answer.rows if description.where(row)]
    if description.order:
        answering.sort(key=description.order)
    values = _values(description, answering or answer.rows, answer)
    sentence = fill(description.sentence if answering else description.refusal, values)
    day, days, newer = _age(answer, values)
    age = f"Prices of {day}, {days} days old.{newer}"
    short = ShortNames(answer.reader)
    sentence = short(sentence)
    texts = _Texts(sentence[:1].upper() + sentence[1:], filled(description.notes, values), age, values, short)
    if explain:
        _show_explanation(description, answer, texts, every_row)
    else:
        _show_short(description, answering, answer, texts, every_row)
    return bool(answering)


def _values(description: Description, rows: list[Row], answer: Answered) -> Row:
    """Return the values of texts: arguments, first row, second row, what the statement beside adds."""
    values = answer.asked | {f"asked_{name}": value for name, value in answer.asked.items()}
    if rows:
        known = {name: value for name, value in rows[0].items() if value is not None}
        values |= known | {"standings": _counted(rows)}
        values |= {f"next_{name}": value for name, value in (rows[1] if len(rows) > 1 else {}).items()}
    if description.beside and rows:
        names = set(re.findall(r"\$(\w+)", description.beside))
        values |= answer.reader.one(description.beside, {name: values.get(name) for name in names})
    return values


def _counted(rows: list[Row]) -> str | None:
    """Return how many rows have each standing."""
    counts = Counter(row["standing"] for row in rows if row.get("standing"))
    return ", ".join(f"{standing.replace('_', ' ')} {n}" for standing, n in counts.most_common()) or None


def _show_short(
    description: Description, answering: list[Row], answer: Answered, texts: _Texts, every_row: bool
) -> None:
    width, short = line_width(), texts.short
    head = wrapped(texts.sentence, width) if texts.sentence else []
    cells = [tuple(short(fill(text, row)) for text in description.columns.values()) for row in answering]
    cells = [row for row in cells if row[0]]
    room = MOST_LINES - len(head) - len(wrapped(f"{texts.age}{_more(len(cells), every_row)}", width))
    n_table = min(len(cells), _LEAST_ROWS) + 1 if cells else 0
    below: list[str] = []
    read_as = (text.partition(" is read as ") for text in map(short, answer.notes))
    known = ["".join(parts) for parts in read_as if parts[0] != parts[2]]
    notes = [lines for text in known if len(lines := wrapped(text, width)) <= _NOTE_LINES]
    notes += [_cut(wrapped(short(text), width), width) for text in texts.notes]
    for lines in notes[:_MOST_NOTES]:
        below += lines if n_table + len(below) + len(lines) <= room else []
    shown = cells if every_row else cells[: max(room - len(below) - 1, 1)]
    for line in head:
        say(line)
    if shown:
        headings = [short(fill(text, texts.values)) for text in description.columns]
        print_narrow(headings, shown, width)
    for line in [*below, *wrapped(f"{texts.age}{_more(len(cells) - len(shown), every_row)}", width)]:
        say(line)


def _cut(lines: list[str], width: int) -> list[str]:
    """Return at most so many lines as a note may have."""
    if len(lines) <= _NOTE_LINES:
        return lines
    last = lines[_NOTE_LINES - 1][: width - 2].rpartition(" ")[0]
    return [*lines[: _NOTE_LINES - 1], f"{last} …"]


def _more(n_rows: int, every_row: bool) -> str:
    more = f" {n_rows:,} more row{'s' if n_rows != 1 else ''}: --all." if n_rows and not every_row else ""
    return f"{more} Reasons, evidence: --explain."


def _show_explanation(description: Description, answer: Answered, texts: _Texts, every_row: bool) -> None:
    if texts.sentence:
        say_all(texts.sentence, "")
    for part in description.parts:
        rows = [row for row in answer.rows if part.where(row)]
        if not rows:
            continue
        if title := fill(part.title, texts.values | rows[0]):
            say(title)
        if part.columns:
            show_columns(rows, part.columns, 0 if every_row else part.most)
        for text in dict.fromkeys(
            line
            for row in (rows if part.all_in_words else rows[:_IN_WORDS])
            for line in filled(part.each, texts.values | row)
        ):
            say_all(text)
        say("")
    say_all(
        *_reasons(description.reasons, answer.rows),
        *answer.notes,
        *(note for note in texts.notes if not any(note in sentence for sentence in answer.more)),
        *answer.more,
        *filled(description.closing, texts.values),
        _price_days(answer, texts.values),
        _DERIVED,
    )


def _reasons(reasons: Reasons | None, rows: list[Row]) -> list[str]:
    if reasons is None:
        return []
    lines = []
    counts = Counter(row.get(reasons.column) for row in rows)
    for why, n in counts.most_common():
        if why is None:
            continue
        known = [row[reasons.value] for row in rows if row.get(reasons.column) == why]
        lowest = min((value for value in known if value is not None), default=None)
        lines.append(
            fill((reasons.text, "not counted: {n} x: {reason}"), {"n": n, "lowest": lowest, "reason": why})
        )
    return lines


def _age(answer: Answered, values: Row) -> tuple[date, int, str]:
    """Return the day of prices, how many days that is before today, and where newer ones are if that is too long."""
    known = answer.reader.one(_AGE)
    as_of = values.get("price_as_of") or values.get("as_of") or known["newest"]
    day = as_of if isinstance(as_of, date) else date.fromisoformat(as_of)
    days = (datetime.now(UTC).date() - day).days
    is_old = day == known["newest"] and days > known["current_days"]
    return day, days, " OLD: newer ones by accelmart refresh or pull." if is_old else ""


def _price_days(answer: Answered, values: Row) -> str:
    day, days, newer = _age(answer, values)
    rows = [row for row in answer.rows if not (row.get("rank_reason") or row.get("reason"))]
    days_of = (
        [row[n] for row in rows if row.get(n)] for n in ("price_seen_on", "oldest_price_on", "seen_on")
    )
    seen = next(filter(None, days_of), [])
    used = f"; oldest price used: {min(seen)} ({(day - min(seen)).days} days before)" if seen else ""
    return f"Prices as of {day} ({days} days before today){used}.{newer}"


def show_columns(rows: list[Row], columns: Mapping[str, str], limit: int = 0) -> None:
    """Print some columns of rows, at most `limit` (0 is all), and the notes on sizes and sites as footnotes."""
    shown = rows[: limit or None]
    notes = [row[name] for row in shown for name in columns if name in FOOTNOTES and row[name] is not None]
    marks = {text: f"[{n}]" for n, text in enumerate(dict.fromkeys(notes), 1)}
    cells = [tuple(_cell(name, row, marks) for name in columns) for row in shown]
    numbers = {columns[name] for name in columns if any(isinstance(row[name], int | float) for row in shown)}
    print_table(Table(list(columns.values()), cells), right=numbers)
    if len(rows) > len(shown):
        say(f"{len(rows) - len(shown)} more: --all")
    for text, mark in marks.items():
        say(f"{mark} {text}")


def _cell(name: str, row: Row, marks: dict[Any, str]) -> str | None:
    if name == "release" and row.get("is_round_incomplete"):
        return f"{row['release']} (in part)"
    return marks.get(row[name]) if name in FOOTNOTES else figure(row[name])
