"""The column dictionary, a dbt seed: what the columns of the warehouse mean."""

from __future__ import annotations

import csv

from warehouse.home import DBT_PROJECT_DIR


def column_meanings() -> dict[tuple[str, str], str]:
    """Return the comment of a column, `[unit] description`, by column and table.

    The table is empty for the meaning that holds where a table has none of its own.
    """
    meanings = {}
    with (DBT_PROJECT_DIR / "seeds/column_dictionary.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            unit = f"[{row['unit']}] " if row["unit"] else ""
            for table in row["tables"].split() or [""]:
                meanings[row["column_name"], table] = unit + row["description"]
    return meanings
