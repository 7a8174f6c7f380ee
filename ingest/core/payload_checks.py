"""Checks on a whole payload before it comes into force: is it the kind of thing that was asked for?

Cheap and general; what a single record must look like is the business of its parser.
"""

from __future__ import annotations

import codecs
import json
import re
from typing import BinaryIO

from ingest.core.errors import PayloadRejected
from ingest.core.payload import Check

_LOOK_AT_SOURCE = (
    "open its URL in a browser; if the source has moved or changed its format, change its fetch plan"
)
_FETCH_AGAIN = "fetch it again; the download did not finish, or the source published half a file"
_JSON_NAMES = {dict: "object", list: "array", str: "string", int: "number", float: "number", bool: "boolean"}
_BINARY_STARTS = {
    b"\x1f\x8b": "gzip data",
    b"PK\x03\x04": "a zip archive",
    b"%PDF": "a PDF document",
    b"PAR1": "a Parquet file",
    b"version https://git-lfs": "a git-lfs pointer without its content",
}
_BLOCK_BYTES = 1 << 16


def json_document(
    expect: type | tuple[type, ...] = (dict, list), *, name: str = "payload", encoding: str = "utf-8"
) -> Check:
    """A check for one whole JSON document.

    Args:
        expect: the Python type(s) the top level must have.
        name: for messages.
        encoding: of the text; a UTF-8 byte order mark is accepted.

    Returns:
        A check that rejects an empty file, HTML and other things in place of JSON, wrong encoding, truncated or
        malformed JSON, another top-level type, and a list or object without an entry.
    """
    types = expect if isinstance(expect, tuple) else (expect,)

    def check(file: BinaryIO) -> None:
        text = _decoded(file.read(), encoding, name)
        _refuse_html(text, name, "JSON")
        try:
            document = json.loads(text)
        except json.JSONDecodeError as error:
            raise _bad_json(text, error, name) from None
        except (ValueError, RecursionError) as error:
            raise PayloadRejected(
                payload=name,
                problem=f"its JSON cannot be read ({type(error).__name__}: {error})",
                remedy=_LOOK_AT_SOURCE,
            ) from None
        # bool is an int to Python, not to JSON
        if not isinstance(document, types) or (isinstance(document, bool) and bool not in types):
            wanted = " or ".join(dict.fromkeys(_JSON_NAMES.get(t, t.__name__) for t in types))
            actual = _JSON_NAMES.get(type(document), "null")
            raise PayloadRejected(
                payload=name,
                problem=f"its top level is a JSON {actual}, not {wanted}: it begins with {_start_of(text)}",
                remedy=_LOOK_AT_SOURCE,
            )
        if document in ([], {}):
            raise PayloadRejected(
                payload=name,
                problem=f"it is an empty JSON {_JSON_NAMES[type(document)]}: it holds no entry",
                remedy=_LOOK_AT_SOURCE,
            )

    return check


def text(encoding: str = "utf-8", *, html: bool = True, name: str = "payload") -> Check:
    """A check for text.

    Args:
        encoding: it must be in.
        html: whether HTML will do; False for CSV and the like, where HTML is an error page.
        name: for messages.

    Returns:
        A check that rejects an empty file, bytes that are not text in this encoding, and unwanted HTML.
    """

    def check(file: BinaryIO) -> None:
        decoder = codecs.getincrementaldecoder(encoding)()
        position, is_blank = 0, True
        while True:
            block = file.read(_BLOCK_BYTES)
            if position == 0:
                _refuse_binary(block, name)
            try:
                part = decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                # the decoder holds back the unfinished character of the block before
                held = len(error.object) - len(block)
                raise _bad_encoding(error, position - held, encoding, name) from None
            if position == 0 and not html:
                _refuse_html(part, name, "text")
            if "\0" in part:
                raise PayloadRejected(
                    payload=name,
                    problem=f"it has zero bytes (near byte {position}), so it is no {encoding} text",
                    remedy=_LOOK_AT_SOURCE,
                )
            is_blank = is_blank and not part.strip("\ufeff \t\r\n")
            position += len(block)
            if not block:
                break
        if is_blank:
            raise _empty(name, position)

    return check


def _decoded(data: bytes, encoding: str, name: str) -> str:
    if not data.strip():
        raise _empty(name, len(data))
    _refuse_binary(data, name)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise PayloadRejected(
            payload=name, problem=f"it is encoded in UTF-16, not {encoding}", remedy=_LOOK_AT_SOURCE
        )
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise _bad_encoding(error, 0, encoding, name) from None


def _bad_encoding(error: UnicodeDecodeError, offset: int, encoding: str, name: str) -> PayloadRejected:
    byte = error.object[error.start : error.start + 1].hex()
    return PayloadRejected(
        payload=name,
        problem=f"it is not {encoding}: byte {offset + error.start} is 0x{byte} ({error.reason})",
        remedy="look at the encoding the source declares; if it has changed, change it in the fetch plan",
    )


def _refuse_binary(data: bytes, name: str) -> None:
    for start, what in _BINARY_STARTS.items():
        if data.startswith(start):
            raise PayloadRejected(payload=name, problem=f"it is {what}, not text", remedy=_LOOK_AT_SOURCE)


def _refuse_html(text: str, name: str, wanted: str) -> None:
    start = text.lstrip("\ufeff \t\r\n")[:4096]
    if not re.match(r"(?i)<(!doctype html|html|head|body|!--)", start):
        return
    title = re.search(r"(?is)<title[^>]*>(.*?)</title>", start)
    headed = f' titled "{" ".join(title[1].split())[:80]}"' if title else ""
    raise PayloadRejected(
        payload=name,
        problem=f"it is an HTML page{headed} in place of {wanted}",
        remedy="open its URL in a browser: usually an error, login or maintenance page; fetch again later or "
        "correct the URL",
    )


def _bad_json(text: str, error: json.JSONDecodeError, name: str) -> PayloadRejected:
    at = f"line {error.lineno} column {error.colno} (character {error.pos} of {len(text)})"
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        return PayloadRejected(
            payload=name, problem=f"its JSON is truncated: {error.msg} at {at}", remedy=_FETCH_AGAIN
        )
    near = _start_of(text[max(0, error.pos - 20) :])
    return PayloadRejected(
        payload=name, problem=f"it is not JSON: {error.msg} at {at}, near {near}", remedy=_LOOK_AT_SOURCE
    )


def _start_of(text: str) -> str:
    return repr(text[:60])


def _empty(name: str, size: int) -> PayloadRejected:
    content = "an empty file" if size == 0 else f"{size} bytes of white space"
    return PayloadRejected(payload=name, problem=f"it is {content}", remedy=_FETCH_AGAIN)
