"""The tables beside these modules: names, rules and models that are data."""

from __future__ import annotations

import csv
from importlib.resources import files


def read_table(name: str) -> list[dict[str, str]]:
    """Return the rows of a table, by the names of its columns.

    Args:
        name: of the CSV file in this folder.
    """
    return list(csv.DictReader(files("ingest.mlperf").joinpath(name).read_text("utf-8").splitlines()))
