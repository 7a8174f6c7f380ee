"""What a source is: what to fetch, how to read it, and whose data it is. All sources share it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.core.cadence import PRICES, Cadence
from ingest.core.fetch_plan import Fetch, Members, nothing_to_fetch
from ingest.core.records import Parsed
from ingest.core.trees import TreeLimits
from ingest.core.untrusted_text import clean_records

OFF_VARIABLE = "ACCELMART_SOURCES_OFF"
_ROOM_BYTES = 64 << 20  # headers and padding of the members of a tar


@dataclass(frozen=True)
class Part:
    """What a payload gives of one MLPerf round in one dialect; a list gives one part.

    Attributes:
        release: MLPerf round; empty for a list and for records of no readable round.
        dialect: form of the records; each form has one kind of row.
        parsed: rows, rejects and the account of every record.
        source: registered source of the records, where it is another one than that of the payload: the archive of a
            round describes its systems too.
        key: what the records would be landed under, where `source` is given.
    """

    release: str
    dialect: str
    parsed: Parsed[Any]
    source: str = ""
    key: str = ""


@dataclass(frozen=True, kw_only=True)
class Source:
    """One upstream.

    A list (prices, specifications, measured serving) is fetched by its `plan`. A tree (a results repository) is fetched
    from its `repository`, and only the files that match `patterns` are kept.

    Attributes:
        name: on the command line, in marts, in file names: lower-case letters, digits, ``-``.
        title: what it is, for people.
        home_url: where a person looks at it.
        licence: licence or terms of the data.
        limit_bytes: a larger answer (or chain of answers) is quarantined; a larger file is left out of its tree.
        parser_version: raise it whenever the same bytes would give other rows: it is part of the cache key.
        dialect: of the one part of a list.
        plan: what to fetch, given the environment (for keys). Pure. Empty for what is landed from files.
        repository: address of the repository that is published under a key; None for a list.
        patterns: which files of a tree are kept; empty: all.
        tree_limit_bytes: a larger tree, read through for the files that are kept, is quarantined.
        has_releases: whether a payload is of one MLPerf round, which is its key.
        parse: from the files of a payload and the key it was landed under to its rows (a list) or its parts. Pure: no
            network, no clock, no database.
        is_page: whether its payloads are pages for people: robots.txt is asked first, and HTML is what is expected.
        may_have_no_rows: whether a list is good whose records are all out of scope or rejected.
        needs: environment variables without which the source is not fetched.
        needs_because: why it is not asked without them, where that is another reason than a key.
        polls_to_close: an offer absent from so many polls in a row is withdrawn; 0: absence says nothing.
        has_dated_rows: rows of a polled list may name the moment they hold for (`PriceOffer.observed_at`).
        also_gives: names of sources whose parts its payloads give too.
        ships: whether its facts may be shipped with the code (NOTICE says whose they are).
        cadence: how often it is fetched.
        rank: among sources that state one price equally recently: 1 the seller's own list, 2 a catalog made
            from it by program, 3 collected by people, 4 aggregated.
    """

    name: str
    title: str
    home_url: str
    licence: str
    limit_bytes: int = 64 << 20
    parser_version: int = 1
    dialect: str = "prices"
    plan: Callable[[Mapping[str, str]], Sequence[Fetch]] = nothing_to_fetch
    repository: Callable[[str], str] | None = None
    patterns: tuple[str, ...] = ()
    tree_limit_bytes: int = 0
    has_releases: bool = False
    parse: Callable[..., Parsed[Any] | list[Part]]  # parse(members: Members, *, key: str)
    is_page: bool = False
    may_have_no_rows: bool = False
    needs: tuple[str, ...] = ()
    needs_because: str = ""
    polls_to_close: int = 3
    cadence: Cadence = PRICES
    has_dated_rows: bool = False
    also_gives: tuple[str, ...] = ()
    rank: int = 1
    ships: bool = False

    def parts(self, members: Members, *, key: str) -> list[Part]:
        """Return the parts of a payload, their text without control characters and invisible ones.

        Args:
            members: the files of the payload, as (name, open binary file); a lone file has the name "".
            key: what the payload was landed under; the round, for a source with rounds.

        Raises:
            PayloadRejected: the payload is not what the source publishes.
            NotARelease: the key names no round, and the source has rounds.
        """
        parsed = self.parse(members, key=key)
        parts = [Part("", self.dialect, parsed)] if isinstance(parsed, Parsed) else parsed
        for part in parts:
            clean_records(part.parsed)
        return parts

    def rows(self, members: Members, *, key: str) -> Parsed[Any]:
        """Return the one part of a list; see `parts`."""
        (part,) = self.parts(members, key=key)
        return part.parsed

    def address(self, key: str) -> str:
        """Return where the payload of a key is published: its repository, or the page of a list."""
        return self.repository(key) if self.repository else self.home_url

    @property
    def tree_limits(self) -> TreeLimits:
        """How large a tree, or a tar of the answers of a list, may be, and each file in it."""
        packed = 2 * self.limit_bytes + _ROOM_BYTES
        return TreeLimits(max_member_bytes=self.limit_bytes, max_total_bytes=self.tree_limit_bytes or packed)


def plan_of(source: Source, environment: Mapping[str, str]) -> tuple[list[Fetch], str | None]:
    """Return what to fetch of a source, or why nothing.

    Args:
        source: a registered source of a list.
        environment: for keys; white space around them is taken off, an empty one is none.

    Returns:
        The fetches and None, or none and the reason.
    """
    given = {name: value.strip() for name, value in environment.items() if value.strip()}
    if source.name in given.get(OFF_VARIABLE, "").replace(",", " ").split():
        return [], f"{source.title} is switched off ({OFF_VARIABLE})"
    if missing := [name for name in source.needs if name not in given]:
        if source.needs_because:
            return [], f"{source.title} is not asked: {source.needs_because}"
        return [], f"{source.title} is not asked without a key: set {' and '.join(missing)}"
    fetches = list(source.plan(given))
    if not fetches:
        return [], f"{source.title} is not fetched: its payloads are landed from files"
    return fetches, None
