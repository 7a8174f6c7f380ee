"""Control characters, marks of direction and characters without width in upstream's text: left out at parse, and counted in the account."""

from __future__ import annotations

from dataclasses import replace

import pytest
from made import make_source
from test_plan import offer_row

from ingest.core.records import Parsed
from ingest.core.source import Source
from ingest.core.untrusted_text import clean_records, clean_text

HOSTILE = (
    "\0",
    "\x1b[2J",
    "\r",
    "\x7f",
    "\x9b31m",
    "\u202e",
    "\u2066",
    "\u200f",
    "\u061c",
    "\u2028",
    "\ud800",
    "\u200b",
    "\u200c",
    "\u200d",
    "\u2060",
    "\ufeff",
    "\u00ad",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_what_forges_or_hides_is_left_out(text):
    clean = clean_text(f"H100{text} SXM")
    assert clean.replace("[2J", "").replace("31m", "") == "H100 SXM"


@pytest.mark.parametrize(
    "text", ["two\nlines", "a\tb", "Zürich – ½", "深圳", "no\u00a0break", "3\u202f000", ""]
)
def test_what_people_write_stays(text):
    assert clean_text(text) == text


def source_of(*rows) -> Source:
    def parse(members, *, key):
        return Parsed(list(rows), records_in=len(rows)).checked(key)

    return make_source(parse=parse)


@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\u00ad"])
def test_a_name_that_hides_its_difference_is_a_duplicate_and_the_true_one_stays(hidden):
    true, forged = offer_row("gpu", 1.0, "a", "[1]"), offer_row(f"gp{hidden}u", 9.0, "a", "[0]")
    parsed = source_of(forged, true).rows([], key="all").checked("all")
    assert (parsed.rows, parsed.duplicates) == ([true], 1)
    assert [(r.payload, r.record) for r in parsed.warnings] == [("a", "[0]")]
    assert forged.offer_id != true.offer_id
    twice = source_of(forged, replace(forged, record="[2]")).rows([], key="all").checked("all")
    assert ([row.offer_id for row in twice.rows], twice.duplicates) == ([true.offer_id], 1)


def test_rejects_and_warnings_are_cleaned():
    parsed = Parsed(payload="f\x1b[31m", remedy="look")
    parsed.read(1)
    parsed.reject("r\n1", "bad \0 name")
    parsed.warn("r2", "odd \u202e name")
    parsed.warn("r3", "plain", payload="g")
    clean_records(parsed).checked("f")
    found = [(r.payload, r.record, r.problem) for r in (*parsed.rejects, *parsed.warnings)]
    assert found == [("f[31m", "r\n1", "bad  name"), ("f[31m", "r2", "odd  name"), ("g", "r3", "plain")]
