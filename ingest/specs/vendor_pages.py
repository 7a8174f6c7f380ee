"""Sources that are a vendor's product pages: a page a key, read by its tables, refused when they are gone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bs4 import BeautifulSoup

from ingest.core.cadence import SPECIFICATIONS
from ingest.core.fetch_plan import Members, one_request_each
from ingest.core.html_page import open_page
from ingest.core.records import Parsed
from ingest.core.source import Source
from ingest.core.spec_value import SpecAccount, SpecValue
from ingest.specs.footnotes import keep_marks
from ingest.specs.reading import Reading, read_specs
from ingest.specs.tables import SpecTable, html_tables

AT_LEAST = 3
"""Figures without which a product page must have changed its layout."""

Pages = Mapping[str, tuple[str, str]]
"""Landing key → (URL, product the page is of where a table does not name one)."""


def vendor_source(
    *,
    name: str,
    title: str,
    home_url: str,
    pages: Pages,
    licence: str = "none stated: a public product page; specifications are facts",
    tables_of: Callable[[BeautifulSoup, str], Sequence[SpecTable]] = html_tables,
    link_is_bidirectional: bool | None = None,
) -> Source:
    """Return the source of a vendor's product pages; robots.txt is asked before each page.

    Args:
        name: of the source, as title, home_url and licence (see `Source`).
        title: see `Source`.
        home_url: see `Source`.
        pages: the pages, by landing key.
        licence: see `Source`.
        tables_of: the tables of a page, given the product it is of.
        link_is_bidirectional: what a link figure is where the words say nothing; None: not known.
    """

    def parse(members: Members, *, key: str) -> Parsed[SpecValue]:
        """Every figure of a page; a record is one cell. Raises `LayoutChanged` with fewer than `AT_LEAST`."""
        url, product = pages.get(key.partition("@")[0], (home_url, ""))
        page = open_page(members, url)
        keep_marks(page.soup)
        account = SpecAccount(url)
        how = Reading(source=name, url=url, member=page.member, link_is_bidirectional=link_is_bidirectional)
        read_specs(account, tables_of(page.soup, product), how)
        parsed = account.settle()
        if len(parsed.rows) < AT_LEAST:
            first = f" (first reject: {parsed.rejects[0].problem})" if parsed.rejects else ""
            raise page.changed(
                f"a table of specifications with at least {AT_LEAST} figures where {len(parsed.rows)} were read{first}"
            )
        return parsed

    return Source(
        dialect="specs",
        name=name,
        title=title,
        home_url=home_url,
        licence=licence,
        cadence=SPECIFICATIONS,
        limit_bytes=16 << 20,
        plan=one_request_each({key: url for key, (url, _) in pages.items()}),
        parse=parse,
        is_page=True,
        polls_to_close=0,
        parser_version=2,
    )
