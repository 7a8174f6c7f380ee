"""A source of whole JSON documents, for tests of the way a payload takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from made import make_source

from ingest.core.json_document import read_json
from ingest.core.records import Parsed
from ingest.core.source import Source


@dataclass
class Document:
    """A document that could be read."""

    member: str


def parse_documents(members, *, key) -> Parsed[Any]:
    """One row for each member, which must be JSON."""
    rows = []
    for member, file in members:
        read_json(file.read(), member)
        rows.append(Document(member))
    return Parsed(rows, records_in=len(rows))


def json_source(**change: Any) -> Source:
    """Return the source, with some of its attributes changed."""
    return make_source(**({"name": "src", "title": "Source", "parse": parse_documents} | change))
