"""AWS Neuron documentation: pages of Trainium and Inferentia, chips and instances, reStructuredText (CC-BY-SA-4.0).

Upstream facts (August 2026): a chip's page has its figures in a grid table of sentences (``380 INT8 TOPS, 190
FP16/BF16/cFP8/TF32 TFLOPS``), later ones in a list-table, and compares it with the chip before. Sparse rates are no
doubling of one format (Trainium2: 2,563 for four formats, about 4 × BF16 and 2 × FP8), so they are used only where no
dense rate stands. An instance's page (``…-arch``) has whole instances: its count of chips divides them; its link
figures are of the instance's wiring (1,024 inside and 256 between instances make the 1,280 of the chip), and are not
read. Memory is printed in GiB, bandwidth sometimes in GiB/sec where the chip's is GB/s. The Trn1 page's table has a
column more than heads and is not fetched: the page does not show which head is missing.
"""

from __future__ import annotations

import re

from ingest.core.cadence import SPECIFICATIONS
from ingest.core.errors import PayloadRejected
from ingest.core.fetch_plan import Members, one_request_each
from ingest.core.records import Parsed
from ingest.core.source import Source
from ingest.core.spec_value import SpecAccount, SpecValue
from ingest.specs.reading import Reading, read_specs
from ingest.specs.rst_tables import read_rst, rst_tables

PAGES = (
    *("trainium", "trainium2", "trainium3", "inferentia", "inferentia2"),
    # not trn1-arch, whose table cannot be read (see above): the chip's page, trainium, has its figures
    *("trn2-arch", "trn3-arch", "inf2-arch"),
)
RAW = "https://raw.githubusercontent.com/aws-neuron/aws-neuron-sdk/master/about-neuron/arch/neuron-hardware/"
HOME = "https://awsdocs-neuron.readthedocs-hosted.com/en/latest/about-neuron/arch/"


def parse(members: Members, *, key: str) -> Parsed[SpecValue]:
    """Figures of chips and instances. A record is one cell, or one rate of a sentence.

    Raises:
        PayloadRejected: the page has no table.
    """
    page_key = key.partition("@")[0]
    url = f"{HOME}neuron-hardware/{page_key}.html"
    account = SpecAccount(url)
    for member, file in members:
        page = read_rst(file.read().decode("utf-8", errors="replace"))
        if not page.tables:
            raise PayloadRejected(
                payload=member or url,
                problem=f"no table can be read on the page {page.title!r} {' '.join(page.problems)}".rstrip(),
                remedy="fetch it again; if it stays so, compare it with ingest/specs/neuron.py",
            )
        product = re.sub(r"(?i)\s+architecture$", "", page.title)
        is_instance = page_key.endswith("-arch")
        tables = [
            table.turned() if head and head[0][0].lower().startswith("instance") else table
            for table, (head, _) in zip(rst_tables(page, product), page.tables, strict=True)
        ]
        read_specs(account, tables, Reading(source="neuron", url=url, member=member, links=not is_instance))
    return account.settle()


SOURCE = Source(
    dialect="specs",
    name="neuron",
    title="AWS Neuron documentation: Trainium and Inferentia",
    home_url=HOME,
    licence="CC-BY-SA-4.0",
    cadence=SPECIFICATIONS,
    limit_bytes=4 << 20,
    plan=one_request_each({page: f"{RAW}{page}.rst" for page in PAGES}, "text/x-rst"),
    parse=parse,
    polls_to_close=0,
    parser_version=2,
)
