"""AWS EC2 bulk price list, one file a region: on demand, reserved and Capacity Block prices of accelerator instances.

Upstream facts, checked 2026-09-10: CSV is five lines of metadata, a header (91 columns in 2025-09), one line a rate;
JSON is ``products`` then ``terms``. Prices are US$ per instance-hour; an upfront fee is a line of its own. Zero is
never a price (a Capacity Block is listed at 0), and the prefix of a usage type is no region.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ingest.core.errors import AccelmartError
from ingest.core.fetch_plan import Fetch, Members, Request
from ingest.core.records import Parsed
from ingest.core.source import Source
from ingest.prices.aws_csv import read_csv
from ingest.prices.aws_json import read_json
from ingest.prices.aws_offers import HEAD_BYTES, NAME, AwsAccount
from ingest.prices.offers import PriceOffer, settled

REGIONS_VARIABLE = "ACCELMART_AWS_REGIONS"

# The regions of the partition "aws" that have an EC2 list, and the GovCloud region that sells accelerators. China is
# another partition with lists of its own in CNY. A region without accelerators gives no offers, not an error.
REGIONS = (
    *("us-east-1", "us-east-2", "us-west-1", "us-west-2", "ca-central-1", "ca-west-1", "mx-central-1", "sa-east-1"),
    *("eu-central-1", "eu-central-2", "eu-north-1", "eu-south-1", "eu-south-2", "eu-west-1", "eu-west-2", "eu-west-3"),
    *("ap-east-1", "ap-east-2", "ap-northeast-1", "ap-northeast-2", "ap-northeast-3", "ap-south-1", "ap-south-2"),
    *("ap-southeast-1", "ap-southeast-2", "ap-southeast-3", "ap-southeast-4", "ap-southeast-5", "ap-southeast-6"),
    *("ap-southeast-7", "af-south-1", "il-central-1", "me-central-1", "me-south-1", "us-gov-west-1"),
)  # fmt: skip

_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-[0-9]+")
_OFFERS = "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2"


def index_url(region: str, version: str = "current", form: str = "csv") -> str:
    """Where the list of a region is.

    Args:
        region: code, such as ``us-east-1``.
        version: ``current``, or the 14 digits of an archived version.
        form: ``csv`` or ``json``.
    """
    return f"{_OFFERS}/{version}/{region}/index.{form}"


def plan(environment: Mapping[str, str]) -> Sequence[Fetch]:
    """One conditional GET a region.

    Args:
        environment: ``ACCELMART_AWS_REGIONS`` (region codes, comma separated) replaces the list `REGIONS`.

    Raises:
        AccelmartError: what stands there is no region code.
    """
    named = [
        part.strip().lower() for part in environment.get(REGIONS_VARIABLE, "").split(",") if part.strip()
    ]
    for region in named:
        if not _REGION.fullmatch(region):
            raise AccelmartError(
                f"{REGIONS_VARIABLE} names {region!r}, which is no AWS region code. "
                "Set it to codes such as us-east-1,eu-west-1, or unset it"
            )
    return [
        Fetch(key=region, first=Request(url=index_url(region)), content_type="text/csv")
        for region in dict.fromkeys(named or REGIONS)
    ]


def parse(members: Members, *, key: str) -> Parsed[PriceOffer]:
    """Offers of accelerator instances in a list, CSV or JSON; neither is ever in memory as a whole.

    A record is a rate (a line of the CSV, a price dimension of the JSON). The hourly rate and the upfront fee of a
    reservation make one offer: US$ per instance-hour, US$ once for 8,760 or 26,280 hours. Only rates of shared
    tenancy, Linux or Windows with its licence, without further software and for capacity that is used are offers.

    Args:
        members: the list, one file.
        key: region code; ``<region>@<version>`` for an archived version.

    Raises:
        PayloadRejected: not an EC2 price list, not the version the key says, or cut off.
    """
    region, _, version = key.partition("@")
    account = AwsAccount(payload=key)
    for member, file in members:
        # any stream with readinto will do; typeshed asks for a raw one
        buffered = io.BufferedReader(cast(Any, file), HEAD_BYTES)
        try:
            if buffered.peek(HEAD_BYTES).startswith(codecs.BOM_UTF8):
                buffered.read(len(codecs.BOM_UTF8))
            is_json = buffered.peek(HEAD_BYTES).lstrip()[:1] == b"{"
            account.source_url = index_url(region, version or "current", "json" if is_json else "csv")
            (read_json if is_json else read_csv)(buffered, account, version)
        finally:
            buffered.detach()
        account.settle_groups(member)
    return settled(account, key)


SOURCE = Source(
    name=NAME,
    title="AWS EC2 price list",
    home_url="https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/price-changes.html",
    licence="AWS Site Terms; published for information",
    # us-east-1 was 303 MB of CSV in July 2026
    limit_bytes=2 << 30,
    plan=plan,
    parse=parse,
    parser_version=2,
    may_have_no_rows=True,  # a region without accelerators
    ships=True,
)
