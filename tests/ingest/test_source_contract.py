"""What holds of every source: a bad record costs itself alone and is named, nothing is lost, and no other file is read.

Records are set into a payload between good ones and damaged one at a time (`source_samples`). What must come out follows
from the undamaged payload: the rows of the other records, unchanged. Whole payloads are damaged byte by byte.
"""

from __future__ import annotations

import codecs
import dataclasses
import io
import re
from contextlib import nullcontext
from dataclasses import replace
from functools import cache, reduce
from operator import getitem
from typing import Any

import pytest
from made import parse_bytes
from source_samples import ABSENT, DROP, SAMPLES, Sample, changed

from ingest.core.errors import LayoutChanged, PayloadRejected
from ingest.core.fetch import Origin, fetch_payload
from ingest.core.fetch_plan import Fetch, nothing_to_fetch
from ingest.core.payloads import rejecting_failures
from ingest.core.records import Parsed
from ingest.core.source import plan_of
from ingest.prices.collected import COLLECTIONS, OWN_PRICES
from ingest.prices.token_lists import TOKEN_SOURCES
from ingest.registry import LIST_SOURCES, SOURCES

NEW = "Nowhere-9000"
HOSTILE = "\x1b[2J\u202e"
OTHER_TERMS = {r"(?i)\bhour(?:s|ly)?\b|\bhrs?\b": "month", r"\bUSD\b|\$": "EUR"}
TREES = {"mlperf-inference", "mlperf-training"}
"""Repositories, read file by file: tests/ingest/mlperf."""
OF_ROUNDS = {
    *(
        "mlperf-inference-collection",
        "mlperf-training-collection",
        "mlperf-training-read-singly",
        "mlperf-systems",
    ),
}
"""Parts of a round: tests/ingest/mlperf."""

OF_TABLES = {*TOKEN_SOURCES, "inferencex-points"}
"""Tables that are read once: tests/ingest/prices/test_token_lists.py, tests/ingest/serving/test_inferencex_points.py."""

RECORDED = {name: sample for name, sample in SAMPLES.items() if sample.records}


def read(name: str, files: dict[str, bytes]) -> Parsed[Any]:
    members = [(member, io.BytesIO(body)) for member, body in files.items()]
    return LIST_SOURCES[name].rows(members, key=SAMPLES[name].key)


def whole(name: str) -> dict[str, bytes]:
    files = SAMPLES[name].build(list(SAMPLES[name].records))
    if not files:
        pytest.skip("the real payload is not there")
    return files


@cache
def good_of(name: str) -> Parsed[Any]:
    return read(name, whole(name))


def rows_of(parsed: Parsed[Any], *marks: str) -> list[Any]:
    return [row for row in parsed.rows if any(mark in row.record for mark in marks)]


def second(name: str, record: Any) -> Parsed[Any]:
    """The account of the payload with another second record; that nothing else of it changes is asserted here."""
    sample, good = SAMPLES[name], good_of(name)
    parsed = read(name, sample.build([sample.records[0], record, sample.records[2]]))
    assert parsed.is_balanced and all(rows_of(good, mark) for mark in sample.marks)
    mine = (sample.marks[1], NEW)
    others, others_before = ([r for r in p.rows if r not in rows_of(p, *mine)] for p in (parsed, good))
    assert others == others_before
    return parsed


def is_named(parsed: Parsed[Any], sample: Sample, name: str) -> bool:
    """Whether the rejects are those of the second record alone, each with its file and what to do."""
    good = {(r.record, r.problem) for r in good_of(name).rejects}
    new = [r for r in parsed.rejects if (r.record, r.problem) not in good]
    marks = (sample.marks[1], "[1]")
    return len(new) == (sample.n_rejects or max(len(new), 1)) and all(
        r.payload and r.remedy and any(m in r.record for m in marks) for r in new
    )


def _cases(kind):
    for name, sample in RECORDED.items():
        for change in kind(sample):
            words = ",".join(
                f"{path}={'absent' if v is DROP else ascii(v)[:24]}" for path, v in change.items()
            )
            yield pytest.param(name, change, id=f"{name}-{words}")


def _bad(sample: Sample):
    yield from ({sample.price: value} for value in sample.no_price if sample.price)
    yield from ({path: value} for path in sample.required for value in ABSENT)
    yield from sample.bad
    yield from ({(): value} for value in sample.junk if not sample.is_keyed)
    yield from ({(1,): value} for value in sample.junk if sample.is_keyed)


def test_every_source_has_a_sample():
    collections = {source.name for source in COLLECTIONS}
    assert set(SOURCES) == SAMPLES.keys() | collections | TREES | OF_ROUNDS | OF_TABLES
    # collections are files of the form of a user's own
    assert {source.parse.func for source in COLLECTIONS} == {OWN_PRICES.parse.func}


@pytest.mark.parametrize(("name", "change"), _cases(_bad))
def test_a_bad_record_is_named_and_its_neighbours_survive(name, change):
    sample = SAMPLES[name]
    parsed = second(name, changed(sample.records[1], change))
    good = rows_of(good_of(name), sample.marks[1])
    assert len(rows_of(parsed, sample.marks[1])) < len(good)
    assert is_named(parsed, sample, name), parsed.rejects


@pytest.mark.parametrize(("name", "change"), _cases(lambda sample: ({path: NEW} for path in sample.names)))
def test_an_unknown_name_does_not_block(name, change):
    sample, good = SAMPLES[name], good_of(name)
    parsed = second(name, changed(sample.records[1], change))
    assert len(parsed.rows) == len(good.rows) and len(parsed.rejects) == len(good.rejects)
    assert any(NEW in str(value) for row in parsed.rows for value in dataclasses.asdict(row).values())


@pytest.mark.parametrize("name", [name for name, sample in RECORDED.items() if sample.names])
def test_control_characters_are_left_out_and_warned_of(name):
    sample = SAMPLES[name]
    for path in sample.names:
        value = reduce(getitem, path, sample.records[1])
        hostile = changed(sample.records[1], {path: f"{value}{HOSTILE}"})
        parsed = read(name, sample.build([sample.records[0], hostile]))
        assert parsed.is_balanced and len(parsed.rows) + len(parsed.rejects) > 1
        texts = [str(v) for row in parsed.rows for v in dataclasses.asdict(row).values()]
        assert not [t for t in [*texts, *map(str, parsed.rejects)] if set(t) & {"\x1b", "\u202e"}]
        assert parsed.warnings or parsed.rejects


@pytest.mark.parametrize("name", [name for name, sample in RECORDED.items() if sample.price])
def test_a_repeated_record_counts_once(name):
    sample, good = SAMPLES[name], good_of(name)
    files = sample.build([*sample.records, sample.records[1]])
    if sample.is_keyed:  # one of two entries of a name would be lost unseen
        with pytest.raises(PayloadRejected):
            read(name, files)
        return
    parsed = read(name, files)
    of_one = good.records_in - read(name, sample.build([sample.records[0], sample.records[2]])).records_in
    assert parsed.is_balanced
    assert len(parsed.rows) == len(good.rows) and len(parsed.rejects) == len(good.rejects)
    gone = parsed.duplicates + parsed.merged - good.duplicates - good.merged
    assert gone + sum(parsed.exclusions.values()) - sum(good.exclusions.values()) == of_one > 0


@pytest.mark.parametrize("name", [name for name, sample in RECORDED.items() if sample.other_price])
def test_two_prices_of_one_offer_are_none(name):
    sample, good = SAMPLES[name], good_of(name)
    other = changed(sample.records[1], {sample.price: sample.other_price})
    parsed = read(name, sample.build([*sample.records, other]))
    assert parsed.is_balanced
    for mark in (sample.marks[0], sample.marks[2]):
        assert rows_of(parsed, mark) == rows_of(good, mark)
    assert len(parsed.rows) == len(good.rows) - 1 and len(parsed.rejects) == len(good.rejects) + 2


OTHER_FILES = {
    "empty": b"",
    "zeros": b"\0" * 600,
    "html": b"<!doctype html><html><title>503</title><body><h1>Just a moment...</h1></body></html>",
    "words": b"404: Not Found",
    "error": b'{"error": {"code": 403, "message": "no"}, "success": false}',
    "list": b"[]",
    "object": b"{}",
    "null": b"null",
    "number": b"1e999",
    "digits": b"9" * 6000,
    "nested lists": b"[" * 100_000,
    "nested objects": b'{"a":' * 100_000,
    "nested page": b"<div>" * 20_000,
    "broken page": b"<p><![if IE]><![foo",
    "binary": b"\x00\xff\xfe\x80",
    "zip": b"PK\x03\x04 no zip",
}


@pytest.mark.parametrize("what", OTHER_FILES)
@pytest.mark.parametrize("name", SAMPLES)
def test_another_file_in_its_place_is_refused(name, what):
    files = whole(name)
    body = OTHER_FILES[what]
    for member in files:
        damaged = files | {member: body}
        if SAMPLES[name].is_page:
            with pytest.raises(LayoutChanged) as changed_layout:
                read(name, damaged)
            assert changed_layout.value.url and changed_layout.value.expected
            continue
        gate = rejecting_failures(name) if "nested" in what else None
        assert not _rows_or_refusal(name, damaged, gate)
        if len(files) == 1:
            refused = parse_bytes(LIST_SOURCES[name], SAMPLES[name].key, body)
            assert refused.rejected.remedy and not refused.parts


def _rows_or_refusal(name: str, files: dict[str, bytes], gate: Any = None) -> list[Any]:
    """The rows, none where the payload is refused; any other error, unless the gate takes it, fails the test."""
    try:
        with gate or nullcontext():
            parsed = read(name, files)
    except PayloadRejected:
        return []
    assert parsed.is_balanced
    return parsed.rows


# name of the file: how a browser writes the page into it
SAVED = {
    "page.html": lambda body: b"<!-- saved from url=(0027)https://prices.example/ -->\n" + body,
    "page.htm": lambda body: codecs.BOM_UTF8 + body,
    "page": lambda body: body.decode().encode("utf-16"),
    "old.htm": lambda body: (
        b'<meta charset="windows-1252">' + body.decode().encode("cp1252", "xmlcharrefreplace")
    ),
}


@pytest.mark.parametrize("file", SAVED)
@pytest.mark.parametrize("name", [name for name, sample in SAMPLES.items() if sample.is_page])
def test_a_saved_page_is_landed_as_the_page(name, file, landing, tmp_path):
    (body,) = whole(name).values()
    (tmp_path / file).write_bytes(SAVED[file](body))
    source, key = LIST_SOURCES[name], SAMPLES[name].key
    page = Origin(key=key, place=tmp_path / file, checkouts=tmp_path)
    payload, (part,) = fetch_payload(landing, source, page, None)
    assert payload.outcome == "landed" and landing.latest(name, key) == payload
    assert part.parsed.rows == good_of(name).rows
    (tmp_path / "login.html").write_bytes(b"<html><title>Log in</title><p>$2.49</p></html>")
    with pytest.raises(LayoutChanged, match="Log in"):
        fetch_payload(landing, source, replace(page, place=tmp_path / "login.html"), None)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_cut_payload_is_refused_or_gives_no_other_row(name):
    files, is_page = whole(name), SAMPLES[name].is_page
    for member, body in files.items():
        for cut in range(0, len(body) - 1, max(1, len(body) // (6 if is_page else 25))):
            rows = _rows_or_refusal(name, files | {member: body[:cut]})
            # a line cut within a figure looks like a whole line with a smaller figure
            last = f"line {body[:cut].count(bytes([10])) + 1}"
            others = [r for r in rows if r not in good_of(name).rows and not r.record.startswith(last)]
            assert is_page or others == []


@pytest.mark.parametrize("name", SAMPLES)
def test_another_encoding_is_refused_or_read_alike(name):
    files = whole(name)
    good = good_of(name).rows
    for member, body in files.items():
        try:
            text = body.decode("utf-8-sig")
        except UnicodeDecodeError:  # an archive
            continue
        assert _rows_or_refusal(name, files | {member: text.encode("utf-16")}) in ([], good)
        if member != "version":
            assert _rows_or_refusal(name, files | {member: b"\xef\xbb\xbf" + text.encode()}) == good


SECRET = "s3cret-of-a-test"
KEYS = {
    "gcp-billing-catalog": "GCP_API_KEY",
    "lambda-api": "LAMBDA_API_KEY",
    "runpod": "RUNPOD_API_KEY",
    "vast": "VAST_API_KEY",
}
LISTS = {name: source for name, source in SOURCES.items() if source.plan is not nothing_to_fetch}


def _plan(name: str) -> list[Fetch]:
    source = LISTS[name]
    return list(source.plan(dict.fromkeys(source.needs, "1") | dict.fromkeys(KEYS.values(), SECRET)))


@pytest.mark.parametrize("name", LISTS)
def test_a_plan_asks_for_each_key_once_over_tls_and_keeps_secrets_in_headers(name):
    """Of a page for people it asks robots.txt first."""
    fetches = _plan(name)
    assert LISTS[name].is_page is SAMPLES[name].is_page
    assert fetches and len({fetch.key for fetch in fetches}) == len(fetches)
    for fetch in fetches:
        assert fetch.first.url.startswith("https://") and fetch.key == fetch.key.lower()
        assert SECRET not in fetch.first.url + str(fetch.first.json) + repr(fetch)
        assert fetch.max_requests > 1 or fetch.follow is None
    if name in KEYS:
        assert all(SECRET in " ".join(fetch.first.headers.values()) for fetch in fetches)
    if LISTS[name].needs:
        assert plan_of(LISTS[name], {})[0] == []


# the chains of inferencex ask the same requests whatever the answers are
FOLLOWED = [n for n in LISTS if n != "inferencex" and any(f.follow for f in _plan(n))]


@pytest.mark.parametrize("name", FOLLOWED)
@pytest.mark.parametrize("what", ["html", "error", "list", "object", "null"])
def test_a_chain_stops_at_an_answer_that_is_none(name, what):
    for fetch in _plan(name):
        if fetch.follow:
            with pytest.raises(PayloadRejected) as refused:
                fetch.follow(fetch.first, OTHER_FILES[what])
            assert refused.value.remedy and SECRET not in str(refused.value)


def _with_words():
    """Price sources whose payloads name the period or the currency, with the payload in which these are others."""
    for name, sample in SAMPLES.items():
        for words, other in OTHER_TERMS.items() if LIST_SOURCES[name].dialect == "prices" else ():
            files = sample.build(list(sample.records))
            replaced = {m: re.sub(words, other, body.decode("latin-1")) for m, body in files.items()}
            changed_files = {m: text.encode("latin-1") for m, text in replaced.items()}
            if changed_files != files:
                yield pytest.param(name, changed_files, id=f"{name}-{other}")


@pytest.mark.parametrize(("name", "files"), _with_words())
def test_no_price_of_another_period_or_currency_is_read_as_before(name, files):
    try:
        rows = read(name, files).rows
    except (LayoutChanged, PayloadRejected):
        return
    assert not [row for row in rows if row in good_of(name).rows]
