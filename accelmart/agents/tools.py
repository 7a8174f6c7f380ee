"""What agents may ask: the questions of the package, with a short answer first, and two tools for everything else.

Arguments, types and descriptions of a question are those of its function (`accelmart.questions`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from accelmart.agents.access import Access
from accelmart.agents.summaries import summarise
from accelmart.choosing import choose
from accelmart.citing import CITATION_RULE, DERIVED, evidence
from accelmart.comparing import compare
from accelmart.errors import QuestionError
from accelmart.estimate import estimate_ownership, estimate_serving, estimate_training
from accelmart.published import Reader, Table
from accelmart.questions import Question, parameters_of
from accelmart.ranking import rank
from accelmart.tables import distinct

Answer = dict[str, Any]

QUESTIONS: dict[str, Question] = {
    q.__name__: q
    for q in (rank, choose, compare, estimate_training, estimate_serving, estimate_ownership, evidence)
}
DETAILS = "A summary; details=true gives all columns of at most `limit` rows. Units end the names of figures."

_ROWS = (
    "Rows of the warehouse. MLPerf results are official where they stand in fct_inference_result.result and "
    "fct_training_result.score_minutes; prices are observations; all else is derived by Accelmart and not verified by "
    "MLCommons."
)
_SUMMARY_BYTES = 2_000
_SHORT = "Derived by Accelmart from MLPerf results and observed prices; not verified by MLCommons."
_DERIVED_PRICED = f"{DERIVED} Prices are observed on the stated days, not quotes of today."
# what a question needs of the words searched for: each hit counts, names more than descriptions
_SEARCH = """
with words as (select unnest(string_split_regex(lower($words), '[^a-z0-9]+')) as word),

entries as (
    select 'table' as kind, table_name as name, null as of_table, null as unit, comment as description
    from duckdb_tables() where schema_name = 'main' and not internal
    union all
    select
        'column', column_name, table_name, nullif(regexp_extract(comment, '^\\[([^\\]]+)\\] ', 1), ''),
        regexp_replace(comment, '^\\[[^\\]]+\\] ', '')
    from duckdb_columns() where schema_name = 'main' and not internal
    union all
    select 'macro', function_name || '(' || array_to_string(parameters, ', ') || ')', null, null, comment
    from duckdb_functions() where schema_name = 'main' and not internal and function_type like '%macro'
)

select
    e.kind, e.name, e.of_table, e.unit, e.description,
    sum(if(contains(lower(e.name), w.word), 3, 0) + if(contains(lower(e.description), w.word), 1, 0)) as score
from entries as e, words as w
where w.word <> ''
group by all
having score > 0
order by score desc, kind desc, name, of_table
limit $most
"""


class Tools:
    """The tools; answers are JSON without nulls: summary, rows or figures, standing, generation, how to cite.

    Args:
        access: the warehouse.
    """

    def __init__(self, access: Access) -> None:
        self._access = access

    def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """Return the answer of a tool.

        Args:
            name: `search`, `query` or a question of `QUESTIONS`.
            arguments: of the tool.

        Raises:
            QuestionError: an argument cannot be used.
        """
        own: dict[str, Callable[..., Answer]] = {"search": self.search, "query": self.query}
        return own[name](**arguments) if name in own else self._ask(QUESTIONS[name], **arguments)

    def search(self, words: str, limit: int = 20) -> Answer:
        """Find tables, columns (with units) and SQL macros by words, best matches first. Use it before `query`.

        words: such as "cost output token" or "power accelerator". limit: 1 to 100 entries.
        """
        if not 1 <= limit <= 100 or not any(c.isalnum() for c in words):
            raise QuestionError("search needs words, and a limit between 1 and 100")
        with self._access.reader() as reader:
            table = reader.table(_SEARCH, {"words": words, "most": limit})
            return self._rows(reader, table, _ROWS)

    def query(self, sql: str, limit: int = 100) -> Answer:
        """Run one read-only SELECT (DuckDB SQL) on the warehouse.

        Tables need no schema. Units end the names of columns (_usd_per_output_mtok: US$ per million output tokens, _w,
        _gb: 1e9 bytes) and are in `units`. Public tables: fct_ (observations), dim_ (entities), mart_ (answers), ops_
        (operation). Of columns of one name the second is name_2. limit: 1 to 1000 rows. Statements that write, or read
        files or networks, are refused.
        """
        table, is_cut = self._access.query(sql, limit)
        with self._access.reader() as reader:
            return self._rows(reader, table, _ROWS, is_cut=is_cut)

    def dictionary(self) -> str:
        """Return the public tables, a line each, as text."""
        with self._access.reader() as reader:
            tables = reader.words(
                "select format('- `{}` {}', table_name, coalesce(comment, '')) from duckdb_tables() "
                "where schema_name = 'main' and not internal order by table_name"
            )
        return "# Tables\n\nColumns: accelmart://dictionary/<table>\n\n" + "\n".join(tables)

    def columns(self, table: str) -> str:
        """Return the columns of a public table with unit and meaning, as text."""
        with self._access.reader() as reader:
            columns = reader.words(
                "select format('- `{}` ({}) {}', column_name, data_type, coalesce(comment, '')) from duckdb_columns() "
                "where schema_name = 'main' and table_name = $table order by column_index",
                {"table": table},
            )
        return f"# {table}\n\n" + "\n".join(columns)

    def methodology(self) -> str:
        """Return the macros of the warehouse with what they compute, and the constants they use, as text."""
        with self._access.reader() as reader:
            macros = reader.words(
                """
                select format('- `{}({})` {}', function_name, array_to_string(any_value(parameters), ', '),
                    coalesce(any_value(comment), ''))
                from duckdb_functions()
                where schema_name = 'main' and not internal and function_type like '%macro'
                group by function_name order by function_name
                """
            )
        rules = (
            f"# Methodology\n\n{_DERIVED_PRICED} {CITATION_RULE}\n\n## Macros that compute the figures\n\n"
        )
        return rules + "\n".join(macros)

    def _ask(self, question: Question, *, details: bool = False, limit: int = 20, **asked: Any) -> Answer:
        """Ask a question of the package; return its summary, or its details."""
        most = self._access.limits.rows
        if not 1 <= limit <= most:
            raise QuestionError(f"limit is {limit}: it must be between 1 and {most}")
        asked = {
            n: _whole(v) if parameters_of(question)[n].annotation is int else v for n, v in asked.items()
        }
        with self._access.reader() as reader:
            answer = question(**asked, database=reader)
            if question is evidence:
                basis = _plain(asdict(answer))
                return {**basis, **self._head(reader, list(basis["record"]), answer.standing)}
            if not details:
                short = {"standing": _SHORT, "citation_rule": CITATION_RULE, **self._generation(reader)}
                return _bounded({**_plain(summarise(question.__name__, answer, asked, reader)), **short})
            if isinstance(answer, Table):
                shown = Table(answer.columns, answer.rows[:limit], answer.notes)
                return self._rows(reader, shown, _DERIVED_PRICED, is_cut=len(answer) > limit)
            return {
                **_plain(asdict(answer)),
                **self._head(reader, [*answer.inputs, *answer.figures], _DERIVED_PRICED),
            }

    def _rows(self, reader: Reader, table: Table, standing: str, *, is_cut: bool = False) -> Answer:
        head = self._head(reader, table.columns, standing)
        keys = zip(distinct(table.columns), table.columns, strict=True)
        units = {key: head["units"][name] for key, name in keys if name in head["units"]}
        rows = [_plain(record) for record in table.records()]
        notes = {"notes": list(table.notes)} if table.notes else {}
        return {"rows": rows, "has_more_rows": is_cut, **notes, **head, "units": units}

    def _head(self, reader: Reader, columns: list[str], standing: str) -> Answer:
        """Return what every answer carries: units of its columns, standing, how to cite, generation, day of prices."""
        units = reader.rows(
            """
            select column_name, mode(unit order by unit) as unit
            from (
                select column_name, nullif(regexp_extract(comment, '^\\[([^\\]]+)\\] ', 1), '') as unit
                from duckdb_columns() where schema_name = 'main' and list_contains($columns, column_name)
            )
            where unit is not null
            group by column_name
            """,
            {"columns": columns},
        )
        return {
            "units": {row["column_name"]: row["unit"] for row in units},
            "standing": standing,
            "citation_rule": CITATION_RULE,
            **self._generation(reader),
        }

    def _generation(self, reader: Reader) -> Answer:
        generation: Answer = _plain(
            reader.one(
                "select generation_id, built_at, newest_price_day() as prices_as_of from ops_generation"
            )
        )
        return generation


def _bounded(answer: Answer) -> Answer:
    """Return a summary without the rows that do not fit into `_SUMMARY_BYTES`."""
    while answer.get("rows") and len(as_json(answer).encode()) > _SUMMARY_BYTES:
        answer = {**answer, "rows": answer["rows"][:-1]}
    return answer


def as_json(answer: Answer) -> str:
    """Return an answer as the text that an agent reads."""
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: times in ISO 8601, decimals as numbers, no key without a value."""
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items() if v is not None}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, date | datetime):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    return str(value)
