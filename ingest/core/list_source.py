"""What a source of lists (prices, specifications) is: a fetch plan and a pure parser, with the licence of the data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.core.cadence import PRICES, Cadence
from ingest.core.fetch_plan import Fetch
from ingest.core.payload import Check
from ingest.core.records import Parsed


@dataclass(frozen=True, kw_only=True)
class ListSource:
    """One upstream that publishes a list, of prices or of specifications.

    Args:
        name: on the command line, in marts, in file names: lower-case letters, digits, ``-``.
        title: what it is, for people.
        home_url: where a person looks at it.
        licence: licence or terms of what comes.
        licence_note: what must be said with figures from it; it goes into NOTICE when facts are shipped.
        limit_bytes: a larger answer (or chain of answers) is quarantined.
        parser_version: raise it whenever the same bytes would give other rows.
        plan: what to fetch, given the environment (for keys). Pure. Empty for what comes with the code only.
        parse: rows of a payload: its files, and the key it was landed under. Pure: no network, no clock.
        check: judges a landed file before it comes into force; None: it must parse and give at least one row.
        needs: environment variables without which the source is not asked.
        optional: environment variables it uses when they are there.
        polls_to_close: an offer not seen in so many polls in a row is withdrawn; 0: absence says nothing.
        has_dated_rows: rows of a polled list may name the moment they are of (`PriceOffer.observed_at`).
        ships: its facts may be shipped with the code (NOTICE says whose they are).
        cadence: how often it is asked.
        rank: among sources that tell one price equally recently: 1 the seller's own list, 2 a catalog made
            from it by program, 3 collected by people, 4 aggregated.
    """

    name: str
    title: str
    home_url: str
    licence: str
    licence_note: str = ""
    limit_bytes: int = 64 << 20
    parser_version: int = 1
    plan: Callable[[Mapping[str, str]], Sequence[Fetch]]
    parse: Callable[..., Parsed[Any]]  # parse(members: Members, *, key: str)
    check: Check | None = None
    needs: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    polls_to_close: int = 3
    cadence: Cadence = PRICES
    has_dated_rows: bool = False
    rank: int = 1
    ships: bool = False
