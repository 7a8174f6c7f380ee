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


class _Secrets:
    """The keys of one request, to be hidden wherever an upstream repeats them."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        parts = urlsplit(url)
        values = [value for name, value in parse_qsl(parts.query) if _is_secret(name)]
        values += [value.split()[-1] for name, value in headers.items() if _is_secret(name) and value.split()]
        values += [unquote(parts.password or "")]
        forms = {
            form
            for value in values
            if len(value) >= _MIN_SECRET_CHARS
            for form in (value, quote(value, safe=""), quote(value), value.replace("/", "\\/"))
        }
        longest_first = sorted(forms, key=len, reverse=True)
        self.found = False
        self.has_any = any(values)
        self._overlap = len(longest_first[0].encode()) - 1 if forms else 0
        self._forms = (
            re.compile(b"|".join(re.escape(form.encode()) for form in longest_first)) if forms else None
        )

    def hide(self, text: str) -> str:
        """The text without the keys."""
        if self._forms is None:
            return text
        return self._forms.sub(HIDDEN.encode(), text.encode("utf-8", "surrogateescape")).decode(
            "utf-8", "surrogateescape"
        )

    def hidden_in(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        """The same bytes without the keys, wherever one block ends and the next begins."""
        if self._forms is None:
            yield from blocks
            return
        rest = b""
        for block in blocks:
            text, count = self._forms.subn(HIDDEN.encode(), rest + block)
            self.found = self.found or count > 0
            whole = max(len(text) - self._overlap, 0)
            rest = text[whole:]
            yield text[:whole]
        yield rest


@dataclass(frozen=True)
class HttpRequest:
    """One request, as the caller wants it."""

    url: str
    shown: str
    headers: dict[str, str] = field(repr=False)
    conditions: dict[str, str]
    json: Any
    secrets: _Secrets = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name, value in self.headers.items():
            if not value.isascii() or not value.isprintable() or value != value.strip():
                raise FetchFailed(
                    url=self.shown,
                    problem=f"its header {name} has a character that cannot be sent",
                    remedy="look for a line end, a space or a quotation mark around the key in the environment",
                )
        object.__setattr__(self, "secrets", _Secrets(self.url, self.headers))

    @property
    def has_secrets(self) -> bool:
        """Whether a key is in the URL or in a header."""
        return self.secrets.has_any

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
