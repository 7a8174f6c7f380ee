"""One HTTP request as the caller wants it: address, headers, identification, and the keys that must not be repeated."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from ingest.core.errors import FetchFailed
from ingest.core.payload import Payload
from ingest.core.urls import HIDDEN, public_url

PROJECT_URL = "https://github.com/accelmart/accelmart"
CONTACT_VARIABLE = "ACCELMART_CONTACT"
_MIN_SECRET_CHARS = 8  # what is shorter occurs by chance


def _keys(url: str, headers: Mapping[str, str]) -> list[str]:
    """Return the keys in the query, in the headers and in the password of a request."""
    parts = urlsplit(url)
    values = [value for name, value in parse_qsl(parts.query) if _is_secret(name)]
    values += [value.split()[-1] for name, value in headers.items() if _is_secret(name) and value.split()]
    return [value for value in (*values, unquote(parts.password or "")) if value]


@dataclass(frozen=True)
class HttpRequest:
    """One request, as the caller wants it."""

    url: str
    shown: str
    headers: dict[str, str] = field(repr=False)
    conditions: dict[str, str]
    json: Any
    has_keys: bool = field(init=False)
    forms_of_keys: frozenset[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name, value in self.headers.items():
            if not value.isascii() or not value.isprintable() or value != value.strip():
                raise FetchFailed(
                    url=self.shown,
                    problem=f"its header {name} has a character that cannot be sent",
                    remedy="look for a line end, a space or a quotation mark around the key in the environment",
                )
        keys = _keys(self.url, self.headers)
        forms = {
            form
            for key in keys
            if len(key) >= _MIN_SECRET_CHARS
            for form in (key, quote(key, safe=""), quote(key), key.replace("/", "\\/"))
        }
        object.__setattr__(self, "has_keys", bool(keys))
        object.__setattr__(self, "forms_of_keys", frozenset(forms))

    def hide_keys(self, text: str) -> str:
        """Return a message without the keys."""
        for form in sorted(self.forms_of_keys, key=len, reverse=True):
            text = text.replace(form, HIDDEN)
        return text

    def refuse_keys(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the blocks of an answer; raise `FetchFailed` where they repeat a key, which is then kept nowhere."""
        forms = [form.encode() for form in self.forms_of_keys]
        longest = max(map(len, forms), default=0)
        seen = b""
        for block in blocks:
            seen = seen[-longest:] + block if longest else b""
            if any(form in seen for form in forms):
                raise FetchFailed(
                    url=self.shown,
                    problem="the answer repeats the key it was asked with",
                    remedy="nothing of it is kept; report it to the source, or unset the key",
                )
            yield block

    @property
    def method(self) -> str:
        """POST where there is a body, else GET."""
        return "GET" if self.json is None else "POST"


def _is_secret(name: str) -> bool:
    """Whether the value of a query parameter or header is a key; a place in a list of pages is none."""
    if re.search(r"(?i)page|next|cursor|continu", name):
        return False
    return HIDDEN in public_url(f"?{name}=value") or name.lower() in {"authorization", "cookie"}


def conditional_headers(previous: Payload | None) -> dict[str, str]:
    """Headers of a conditional request: the validators of the payload in force, if any."""
    if previous is None:
        return {}
    pairs = {"If-None-Match": previous.etag, "If-Modified-Since": previous.last_modified}
    return {name: value for name, value in pairs.items() if value}


def user_agent(contact: str | None) -> str:
    """The User-Agent header; raise ValueError for a contact that is not printable ASCII."""
    contact = contact or "contact in README"
    if not contact.isascii() or not contact.isprintable():
        raise ValueError(
            f"contact {contact!r}: use printable ASCII, e.g. an e-mail address ({CONTACT_VARIABLE})"
        )
    try:
        version = metadata.version("accelmart")
    except metadata.PackageNotFoundError:
        version = "0"
    return f"accelmart/{version} (+{PROJECT_URL}; {contact})"
