"""Collections of prices that are bundled: each a file of the form of `ingest.prices.dated_offers` in the snapshot.

They are listed in collections.csv. They were converted once, from files that upstream will not change or that were
read singly. What the conversion left out (estimates, shares of a GPU, prices that contradict each other) is stated in
docs/data.md.
"""

from __future__ import annotations

import csv
from functools import partial
from importlib.resources import files

from ingest.core.fetch_plan import nothing_to_fetch
from ingest.core.source import Source
from ingest.prices.dated_offers import read_dated_offers


def _read_collections() -> tuple[Source, ...]:
    table = files("ingest.prices").joinpath("collections.csv").read_text("utf-8")
    return tuple(
        Source(
            name=row["name"],
            title=row["title"],
            home_url=row["home_url"],
            licence=row["licence"],
            limit_bytes=8 << 20,
            plan=nothing_to_fetch,
            parse=partial(read_dated_offers, source=row["name"], source_url=row["home_url"]),
            rank=int(row["rank"]),
            polls_to_close=0,
            ships=True,
        )
        for row in csv.DictReader(table.splitlines())
    )


COLLECTIONS = _read_collections()

OWN_PRICES = Source(
    name="own-prices",
    title="Your own price files",
    home_url="https://github.com/accelmart/accelmart/blob/main/docs/how-to/add-your-own-prices.md",
    licence="yours",
    plan=nothing_to_fetch,
    parse=partial(read_dated_offers, source="own-prices", source_url=""),
    parser_version=3,
    rank=0,
    polls_to_close=0,
    has_dated_rows=True,
)
"""Prices that the user wrote down, in ``overrides/prices/*.csv`` of the data root."""
