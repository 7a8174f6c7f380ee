"""Names, rules and models that are data: tables beside these modules, and seeds of the dbt project."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

SEEDS = Path(__file__).resolve().parents[2] / "dbt_project" / "seeds"


def read_table(name: str, folder: Path = Path(__file__).parent) -> list[dict[str, str]]:
    """Return the rows of a table, by the names of its columns.

    Args:
        name: of the CSV file.
        folder: where it is; `SEEDS` for one that models of the dbt project read too.
    """
    return list(csv.DictReader((folder / name).read_text("utf-8").splitlines()))


@cache
def dialects_by_form() -> dict[str, tuple[str, int]]:
    """Return dialect → (form of a round, preference among dialects of one payload: the lowest first); a seed."""
    return {
        row["dialect"]: (row["form"], number)
        for number, row in enumerate(read_table("mlperf_forms.csv", SEEDS))
    }
