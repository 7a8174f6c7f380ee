"""Offers, sources and payloads that tests make up: all that must be said of them, of which a test changes what matters."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, cast

import duckdb

from ingest.core.errors import PayloadRejected
from ingest.core.fetch import Origin, fetch_payload
from ingest.core.fetch_plan import Fetch
from ingest.core.landing import Landing
from ingest.core.payload import Evidence, Payload
from ingest.core.payloads import File, Verdict, parse
from ingest.core.source import Source
from ingest.prices.offers import PriceOffer


def make_offer(price: float = 1.0, **change: Any) -> PriceOffer:
    """Return an offer of one instance hour on demand."""
    given = {
        "source": "listed", "provider_published": "cloud", "instance_type": "gpu", "region": None, "pricing_model": "on_demand",
        "price_published": str(price), "price_unit": "instance_hour", "currency": "USD", "source_url": "https://prices.example/",
        "member": "", "record": "[0]",
    }  # fmt: skip
    return PriceOffer(price=price, **(given | change))


def make_source(**change: Any) -> Source:
    """Return a source, of which a test says at least how it is parsed."""
    given = {
        "name": "listed",
        "title": "Listed prices",
        "home_url": "https://prices.example/",
        "licence": "CC0-1.0",
    }
    return Source(**(given | change))


def store(
    landing: Landing,
    data: bytes | Iterable[bytes],
    *,
    rejected: PayloadRejected | None = None,
    fetched_at: datetime | None = None,
    **change: Any,
) -> Payload:
    """Land bytes, as if they were fetched now."""
    given = {
        "source": "src", "key": "k", "url": "https://example.org/a.json", "content_type": "application/json", "licence": "CC0-1.0",
    }  # fmt: skip
    blocks = [data] if isinstance(data, bytes) else data
    evidence = Evidence(**(given | change))
    return landing.store(blocks, evidence, rejected=rejected, fetched_at=fetched_at)


def fetch_one(landing: Landing, source: Source, wanted: Fetch | Origin, client: Any) -> Payload:
    """Download, parse and land one payload; return its record."""
    return fetch_payload(landing, source, wanted, client)[0]


def parse_bytes(source: Source, key: str, payload: bytes) -> Verdict:
    """Parse a payload as if it had been downloaded."""
    with tempfile.TemporaryFile() as file:
        file.write(payload)
        evidence = Evidence(source=source.name, key=key, url="", licence="", content_type="")
        return parse(File(source=source, evidence=evidence, content=cast(BinaryIO, file)))


def flip(landing: Landing, payload: Payload) -> Path:
    """Change one bit in the middle of a stored object, and return where it is."""
    path = Path(landing.address(payload))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    return path


def make_warehouse(path: Path, generation: str, previous: str | None = None, *statements: str) -> Path:
    """Make a file that is a warehouse as far as publication asks."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect(str(path)) as db:
        db.execute(
            "create table ops_generation as select ? as generation_id, ?::varchar as previous_generation_id, "
            "timestamptz '2026-01-01 00:00:00+00' as built_at, 'f' as input_fingerprint",
            [generation, previous],
        )
        for statement in statements:
            db.execute(statement)
    return path
