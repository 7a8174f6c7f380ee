"""Checks on whole payloads, each with the bad input that makes it fail."""

from __future__ import annotations

import gzip
import io
import json

import pytest
from local_server import size_of

from ingest.core.errors import PayloadRejected
from ingest.core.payload_checks import json_document, text


def problem_of(check, data: bytes) -> str | None:
    try:
        check(io.BytesIO(data))
    except PayloadRejected as rejected:
        assert rejected.remedy
        return rejected.problem
    return None


@pytest.mark.parametrize("data", [b"[0]", b' {"a": [1, 2.5, null, "\xc3\xa4"]}\n', b"\xef\xbb\xbf[1]"])
def test_good_json_passes(data):
    assert problem_of(json_document(), data) is None


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "it is an empty file"),
        (b"[]", "it is an empty JSON array: it holds no entry"),
        (b"\xef\xbb\xbf { }\n", "it is an empty JSON object: it holds no entry"),
        (b" \n\t", "it is 3 bytes of white space"),
        (b"<!DOCTYPE html><html><title>Sign\n in</title>", 'an HTML page titled "Sign in" in place of JSON'),
        (b"\n <html><body>503", "an HTML page in place of JSON"),
        (b"\xef\xbb\xbf<!doctype HTML>", "an HTML page in place of JSON"),
        (gzip.compress(b"[]"), "it is gzip data, not text"),
        (b"version https://git-lfs.github.com/spec/v1\n", "a git-lfs pointer"),
        (json.dumps([1]).encode("utf-16"), "it is encoded in UTF-16, not utf-8"),
        (b'["\xe4"]', "it is not utf-8: byte 2 is 0xe4"),
        (
            b'{"a": [1, 2',
            "its JSON is truncated: Expecting ',' delimiter at line 1 column 12 (character 11 of 11)",
        ),
        (b'[{"a": "b', "its JSON is truncated: Unterminated string starting at at line 1 column 8"),
        (b'[\n  {"a" 1}\n]', "it is not JSON: Expecting ':' delimiter at line 2 column 8"),
        (b"[1] trailing", "it is not JSON: Extra data at line 1 column 5"),
        (b"[" * 200_000, "its JSON cannot be read (RecursionError"),
        (b"[" + b"9" * 5000 + b"]", "its JSON cannot be read (ValueError"),
    ],
    ids=size_of,
)
def test_bad_json_is_told_apart(data, problem):
    assert problem in problem_of(json_document(), data)


@pytest.mark.parametrize(
    ("expect", "data", "problem"),
    [
        (list, b'{"error": 1}', "a JSON object, not array"),
        (dict, b"[]", "a JSON array, not object"),
        ((dict, list), b"null", "a JSON null, not object or array"),
        (int, b"true", "a JSON boolean, not number"),
        (list, b'"x"', "a JSON string, not array"),
    ],
    ids=size_of,
)
def test_another_top_level_is_rejected(expect, data, problem):
    assert problem in problem_of(json_document(expect), data)


def test_the_message_names_the_payload():
    with pytest.raises(PayloadRejected, match=r"^prices\.json: it is an empty file\. To fix: fetch it again"):
        json_document(name="prices.json")(io.BytesIO(b""))


@pytest.mark.parametrize("data", [b"a,b\n", "ä".encode() * 100_000, b"x" + "ä".encode() * 100_000, b"<html>"])
def test_good_text_passes(data):
    assert problem_of(text(), data) is None


def test_text_may_be_in_another_encoding():
    assert problem_of(text("latin-1"), b"\xe4") is None
    assert "it is not ascii: byte 0 is 0xe4" in problem_of(text("ascii"), b"\xe4")


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "an empty file"),
        (b"\xef\xbb\xbf \n", "5 bytes of white space"),
        (b"a" * 70_000 + b"\xff" + b"a" * 10, "byte 70000 is 0xff"),
        (b"a" * 65_535 + b"\xc3", "byte 65535 is 0xc3"),
        (b"a" * 65_535 + b"\xc3(", "byte 65535 is 0xc3"),
        (b"a\0b", "zero bytes"),
        (b"PK\x03\x04...", "a zip archive"),
    ],
    ids=size_of,
)
def test_bad_text_is_told_apart(data, problem):
    assert problem in problem_of(text(), data)


def test_html_in_place_of_csv_is_rejected_where_it_is_not_wanted():
    assert "an HTML page in place of text" in problem_of(text(html=False), b"<html>oops")
    assert problem_of(text(html=False), b"a,b\n<html>") is None
