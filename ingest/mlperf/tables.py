"""The tables beside these modules: names, rules and models that are data."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files


def read_table(name: str) -> list[dict[str, str]]:
    """Return the rows of a table, by the names of its columns.

    Args:
        name: of the CSV file in this folder.
    """
    return list(csv.DictReader(files("ingest.mlperf").joinpath(name).read_text("utf-8").splitlines()))


@cache
def dialects_by_form() -> dict[str, tuple[str, int]]:
    """Return dialect → (form of a round, preference among dialects of one payload: the lowest first) (forms.csv)."""
    return {row["dialect"]: (row["form"], number) for number, row in enumerate(read_table("forms.csv"))}
