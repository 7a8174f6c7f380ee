"""How agents are answered: a summary or the details, with units, standing, generation and how to cite."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from accelmart.agents.access import Access
from accelmart.agents.summaries import summarise
from accelmart.citing import CITATION_RULE, DERIVED
from accelmart.errors import QuestionError
from accelmart.estimate import Estimate
from accelmart.published import Reader, Table
from accelmart.tables import distinct

Answer = dict[str, Any]

ROWS = (
    "Rows of the warehouse. MLPerf results are official where they stand in fct_inference_result.result and "
    "fct_training_result.score_minutes; prices are observations; all else is derived by Accelmart and not verified by "
    "MLCommons."
)
_SUMMARY_BYTES = 2_000
_SHORT = "Derived by Accelmart from MLPerf results and observed prices; not verified by MLCommons."
_DERIVED_PRICED = f"{DERIVED} Prices are observed on the stated days, not quotes of today."


class Answers:
    """What the tools share; answers are JSON without nulls.

    Args:
        access: the warehouse.
    """

    def __init__(self, access: Access) -> None:
        self._access = access

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

    def _answer(
        self, question: Callable[..., Table | Estimate], details: bool, limit: int, **asked: Any
    ) -> Answer:
        """Ask a question of the package; return its summary, or its details."""
        most = self._access.limits.rows
        if not 1 <= limit <= most:
            raise QuestionError(f"limit is {limit}: it must be between 1 and {most}")
        asked = {name: value for name, value in asked.items() if value is not None}
        with self._access.reader() as reader:
            answer = question(**asked, database=reader)
            if not details:
                short = {"standing": _SHORT, "citation_rule": CITATION_RULE, **self._generation(reader)}
                return _bounded({**plain(summarise(question.__name__, answer, asked, reader)), **short})
            if isinstance(answer, Table):
                shown = Table(answer.columns, answer.rows[:limit], answer.notes)
                return self._rows(reader, shown, _DERIVED_PRICED, is_cut=len(answer) > limit)
            return {
                **plain(asdict(answer)),
                **self._head(reader, [*answer.inputs, *answer.figures], _DERIVED_PRICED),
            }

    def _rows(self, reader: Reader, table: Table, standing: str, *, is_cut: bool = False) -> Answer:
        head = self._head(reader, table.columns, standing)
        keys = zip(distinct(table.columns), table.columns, strict=True)
        units = {key: head["units"][name] for key, name in keys if name in head["units"]}
        rows = [plain(record) for record in table.records()]
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
        generation: Answer = plain(
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


def plain(value: Any) -> Any:
    """Return a value as JSON has it: times in ISO 8601, decimals as numbers, no key without a value."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items() if v is not None}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, date | datetime):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    return str(value)
