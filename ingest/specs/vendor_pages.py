"""What the parsers of vendors' product pages share: a page a key, read by its tables, refused when they are gone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bs4 import BeautifulSoup

from ingest.core.fetch_plan import Fetch, Members, Request
from ingest.core.html_page import open_page
from ingest.core.records import Parsed
from ingest.core.spec_value import SpecAccount, SpecValue
from ingest.specs.footnotes import keep_marks
from ingest.specs.reading import Reading, read_specs
from ingest.specs.tables import SpecTable, html_tables

LICENCE = "none stated: a public product page; specifications are facts"
AT_LEAST = 3
"""Figures without which a product page must have changed its layout."""

Pages = Mapping[str, tuple[str, str]]
"""Landing key → (URL, product the page is of where a table does not name one)."""


def plan_of(pages: Pages) -> Callable[[Mapping[str, str]], Sequence[Fetch]]:
    """A page a key; robots.txt is asked first."""

    def plan(environment: Mapping[str, str]) -> Sequence[Fetch]:
        return [Fetch(key=key, first=Request(url=url), is_page=True) for key, (url, _) in pages.items()]

    return plan


def parse_page(
    members: Members,
    *,
    key: str,
    source: str,
    pages: Pages,
    home_url: str,
    tables_of: Callable[[BeautifulSoup, str], Sequence[SpecTable]] = html_tables,
    link_is_bidirectional: bool | None = None,
) -> Parsed[SpecValue]:
    """Every figure of a product page. A record is one cell.

    Raises:
        LayoutChanged: fewer than `AT_LEAST` figures were found.
        PayloadRejected: it is no page.
    """
    url, product = pages.get(key.partition("@")[0], (home_url, ""))
    page = open_page(members, url)
    keep_marks(page.soup)
    account = SpecAccount(url)
    tables = tables_of(page.soup, product)
    how = Reading(source=source, url=url, member=page.member, link_is_bidirectional=link_is_bidirectional)
    read_specs(account, tables, how)
    parsed = account.settle()
    if len(parsed.rows) < AT_LEAST:
        first = f" (first reject: {parsed.rejects[0].problem})" if parsed.rejects else ""
        raise page.changed(
            f"a table of specifications with at least {AT_LEAST} figures where {len(parsed.rows)} were read{first}"
        )
    return parsed
