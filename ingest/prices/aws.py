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
from datetime import UTC, datetime
from typing import Any, BinaryIO, cast

from ingest.core.errors import AccelmartError, PayloadRejected
from ingest.core.fetch_plan import Fetch, Members, Request
from ingest.core.records import Parsed
from ingest.core.source import Source
from ingest.prices.aws_csv import RECORD_START, csv_header, csv_records, problem_of_record, read_csv
from ingest.prices.aws_json import json_metadata, read_json
from ingest.prices.aws_offers import FETCH_AGAIN, HEAD_BYTES, NAME, AwsAccount
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


def _split_key(key: str) -> tuple[str, str | None]:
    """(region, archived version or None) of a key."""
    region, at, version = key.partition("@")
    if not _REGION.fullmatch(region) or (at and not re.fullmatch(r"[0-9]{14}", version)):
        raise AccelmartError(
            f"{key!r} is no key of an AWS price list. A key is a region (us-east-1) or a region and the 14 digits "
            "of an archived version (us-east-1@20240205184227)"
        )
    return region, version or None


def _is_json(head: bytes) -> bool:
    return head.removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"{"


def parse(members: Members, *, key: str) -> Parsed[PriceOffer]:
    """Offers of accelerator instances in a list, CSV or JSON; neither is ever in memory as a whole.

    A record is a rate (a line of the CSV, a price dimension of the JSON). The hourly rate and the upfront fee of a
    reservation make one offer: US$ per instance-hour, US$ once for 8,760 or 26,280 hours. Only rates of shared
    tenancy, Linux or Windows with its licence, without further software and for capacity that is used are offers.

    Args:
        members: the list, one file.
        key: region code; ``<region>@<version>`` for an archived version, whose time the offers then carry.

    Raises:
        PayloadRejected: not an EC2 price list, not the version the key says, or cut off.
        AccelmartError: the key is none.
    """
    region, version = _split_key(key)
    observed_at = None
    if version is not None:
        try:
            observed_at = datetime.strptime(version, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        except ValueError as e:
            raise AccelmartError(f"{key!r}: {version} is no time of the form YYYYMMDDhhmmss") from e
    parsed: Parsed[PriceOffer] = Parsed()
    for member, file in members:
        account = AwsAccount(member or key, "", observed_at, parsed)
        # any stream with readinto will do; typeshed asks for a raw one
        buffered = io.BufferedReader(cast(Any, file), HEAD_BYTES)
        try:
            head = buffered.peek(HEAD_BYTES)
            if head.startswith(codecs.BOM_UTF8):
                buffered.read(len(codecs.BOM_UTF8))
            form = "json" if _is_json(head) else "csv"
            account.source_url = index_url(region, version or "current", form)
            if form == "json":
                read_json(buffered, account, version)
            else:
                read_csv(buffered, account, version)
        finally:
            buffered.detach()
        account.settle_groups(member)
    return settled(parsed, key)


def check(file: BinaryIO) -> None:
    """Judge a landed list by its first and last 64 KiB: metadata, columns, a first and a whole last record.

    Args:
        file: open and seekable, at its start.

    Raises:
        PayloadRejected: not an EC2 price list, without records, or cut off.
    """
    where = "the AWS price list"
    head = file.read(HEAD_BYTES)
    size = file.seek(0, io.SEEK_END)
    file.seek(max(0, size - HEAD_BYTES))
    tail = file.read(HEAD_BYTES)
    if _is_json(head):
        json_metadata(head.removeprefix(codecs.BOM_UTF8), where)
        if not tail.rstrip().endswith(b"}"):
            raise PayloadRejected(payload=where, problem="its JSON is cut off", remedy=FETCH_AGAIN)
        return
    lines = io.StringIO(head.decode("utf-8", "replace").removeprefix("\ufeff"), newline="")
    records = csv_records(lines)
    header = csv_header(records, where)
    first = next(records, None)
    lines_at_end = list(io.StringIO(tail.decode("utf-8", "replace"), newline=""))
    starts = [i for i, line in enumerate(lines_at_end) if RECORD_START.match(line)]
    last = list(csv_records(lines_at_end[starts[-1] :])) if starts else []
    width = len(header.columns)
    for record, which in ((first, "first"), (last[-1] if last else None, "last")):
        row = record[1] if record else "there is none"
        if isinstance(row, str) or len(row) != width:
            raise PayloadRejected(
                payload=where,
                problem=f"its {which} record is not whole: {problem_of_record(row, width)}",
                remedy=FETCH_AGAIN,
            )


SOURCE = Source(
    name=NAME,
    title="AWS EC2 price list",
    home_url="https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/price-changes.html",
    licence="AWS Site Terms; published for information",
    licence_note="Prices from the AWS price list, which AWS publishes for informational purposes only.",
    # us-east-1 was 303 MB of CSV in July 2026
    limit_bytes=2 << 30,
    plan=plan,
    parse=parse,
    parser_version=2,
    check=check,
    optional=(REGIONS_VARIABLE,),
    ships=True,
)
