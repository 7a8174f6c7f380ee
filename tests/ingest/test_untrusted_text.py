"""Control characters and marks of direction in upstream's text: left out at parse, and counted in the account."""

from __future__ import annotations

import io
import json

import pytest
from made import make_source
from test_plan import offer_row
from test_source import ENTRY

from ingest.core.records import Parsed
from ingest.core.source import Source
from ingest.core.untrusted_text import clean_records, clean_text
from ingest.mlperf.registry import MLPERF_INFERENCE, MLPERF_SOURCES

HOSTILE = (
    *("\0", "\x1b[2J", "\x07", "\r", "\x7f", "\x9b31m"),
    *("\u202e", "\u2066", "\u200f", "\u061c", "\u2028", "\ud800"),
)


@pytest.mark.parametrize("text", HOSTILE)
def test_what_forges_or_hides_is_left_out(text):
    clean = clean_text(f"H100{text} SXM")
    assert clean.replace("[2J", "").replace("31m", "") == "H100 SXM"


@pytest.mark.parametrize(
    "text", ["H100 SXM", "two\nlines", "a\tb", "Zürich – ½", "深圳", "no\u00a0break", "👩\u200d🔧", ""]
)
def test_what_people_write_stays(text):
    assert clean_text(text) == text


def source_of(*rows) -> Source:
    def parse(members, *, key):
        return Parsed(list(rows), records_in=len(rows)).checked(key)

    return make_source(parse=parse)


def test_every_source_is_cleaned_where_its_payloads_are_parsed():
    rows = [offer_row("gpu1", 1.0, "a", "[0]"), offer_row("\x1b]0;gpu2\x07", 2.0, "a", "[1]")]
    parsed = source_of(*rows).rows([], key="all").checked("all")
    assert [row.instance_type for row in parsed.rows] == ["gpu1", "]0;gpu2"]
    (remark,) = parsed.remarks
    assert (remark.payload, remark.record) == ("a", "[1]")
    assert "control characters are left out of 1 rows; here of instance_type" in remark.problem


def test_a_name_that_hides_its_difference_is_a_duplicate_and_the_true_one_stays():
    true, forged = offer_row("gpu", 1.0, "a", "[1]"), offer_row("gp\u202eu", 9.0, "a", "[0]")
    parsed = source_of(forged, true).rows([], key="all").checked("all")
    assert (parsed.rows, parsed.duplicates, len(parsed.remarks)) == ([true], 1, 1)
    assert forged.offer_id != true.offer_id


def test_rejects_and_remarks_are_cleaned():
    parsed = Parsed(payload="f\x1b[31m", remedy="look")
    parsed.read(1)
    parsed.reject("r\n1", "bad \0 name")
    parsed.remark("r2", "odd \u202e name")
    clean_records(parsed).checked("f")
    assert [(r.payload, r.record, r.problem) for r in (*parsed.rejects, *parsed.remarks)] == [
        ("f[31m", "r\n1", "bad  name"),
        ("f[31m", "r2", "odd  name"),
    ]


def test_a_clean_account_is_untouched():
    row = offer_row("two\nlines", 1.0, "a", "[0]")
    parsed = source_of(row).rows([], key="all")
    assert parsed.rows[0] is row and parsed.remarks == []


def test_results_of_a_round_are_cleaned_too():
    entry = ENTRY | {"Submitter": "AM\u202eD\0", "Platform": "box\x1b[2J_x8"}
    body = json.dumps([ENTRY | {"Location": "elsewhere"}, entry]).encode()
    members = [("summary_results.json", io.BytesIO(body))]
    (part,) = MLPERF_SOURCES[MLPERF_INFERENCE].parts(members, key="v5.1")
    assert [(r.submitter, r.platform) for r in part.parsed.checked("x").rows] == [
        ("AMD", "box_x8"),
        ("AMD", "box[2J_x8"),
    ]
    assert len(part.parsed.remarks) == 1
