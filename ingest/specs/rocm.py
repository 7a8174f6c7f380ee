"""AMD's table of accelerators in the ROCm documentation: reStructuredText, list-tables in tabs, MIT.

Upstream facts (December 2024 to 2026): a tab a family (Instinct, Radeon PRO, Radeon, APUs), a product a row, units in
the heads; until 2026 the page was called ``gpu-arch-specs`` and its first column "Model", now "Name". Of what we
compare it has the memory only, as ``VRAM (GiB)``: the same 192 that AMD's product page prints as ``192 GB``.
"""

from __future__ import annotations

from ingest.core.cadence import SPECIFICATIONS
from ingest.core.errors import PayloadRejected
from ingest.core.fetch_plan import Members, one_request_each
from ingest.core.records import Parsed
from ingest.core.source import Source
from ingest.core.spec_value import SpecAccount, SpecValue
from ingest.specs.reading import Reading, read_specs
from ingest.specs.rst_tables import read_rst, rst_tables

URL = "https://rocm.docs.amd.com/en/latest/_sources/reference/gpu-specs.rst"
HOME = "https://rocm.docs.amd.com/en/latest/reference/gpu-specs.html"


def parse(members: Members, *, key: str) -> Parsed[SpecValue]:
    """Memory of every AMD part of the tables. A record is one cell.

    Raises:
        PayloadRejected: no table with a column of memory.
    """
    account = SpecAccount(HOME)
    for member, file in members:
        page = read_rst(file.read().decode("utf-8", errors="replace"))
        tables = [t.turned() for t in rst_tables(page) if any("VRAM" in p for p in t.products)]
        if not tables:
            raise PayloadRejected(
                payload=member or URL,
                problem=f"no table with a column 'VRAM' on the page {page.title!r}",
                remedy="fetch it again; if it stays so, compare it with ingest/specs/rocm.py",
            )
        read_specs(account, tables, Reading(source="rocm", url=HOME, member=member))
    return account.settle()


SOURCE = Source(
    dialect="specs",
    name="rocm",
    title="AMD ROCm documentation: accelerator and GPU hardware specifications",
    home_url=HOME,
    licence="MIT",
    cadence=SPECIFICATIONS,
    limit_bytes=4 << 20,
    # under the key of its old name: it is the same table
    plan=one_request_each({"gpu-arch-specs": URL}, "text/x-rst"),
    parse=parse,
    ships=True,
    polls_to_close=0,
)
