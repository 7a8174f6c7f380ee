"""The one HTTP client: identified, polite, bounded in size and patient with servers that are not.

Knows URLs and bytes, no columns. urllib3's `Retry` (2.x) is the retry policy, applied to the whole download, because a
body that breaks off half-way deserves another try as much as a refused connection.

In a closed network ACCELMART_MIRROR names a mirror of the upstreams: https://host/path?query is then asked at
<mirror>/host/path?query. What is shown, kept and compared stays the public URL.
"""

from __future__ import annotations

import logging
import math
import os
import re
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import IO, Any, BinaryIO, cast
from urllib.parse import parse_qsl, quote, unquote, urljoin, urlsplit, urlunsplit

import requests
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn
from urllib3.exceptions import HTTPError, InvalidHeader, MaxRetryError
from urllib3.util import Retry

from ingest.errors import FetchFailed
from ingest.landing import Check, Landing, Payload
from ingest.urls import HIDDEN, public_url

log = logging.getLogger(__name__)
# its debug lines repeat every URL with the keys in it, and no filter knows all the forms a redirect gives them
logging.getLogger("urllib3.connectionpool").setLevel(logging.INFO)

PROJECT_URL = "https://github.com/accelmart/accelmart"
CONTACT_VARIABLE = "ACCELMART_CONTACT"
INTERVAL_VARIABLE = "ACCELMART_REQUEST_INTERVAL"
MIRROR_VARIABLE = "ACCELMART_MIRROR"

_RETRY_STATUSES = frozenset({429, 500, 502, 503, 504})
_BODY_STATUSES = frozenset({200, 203})
_LOCAL_HOSTS = frozenset({"127.0.0.1", "::1", "localhost"})
_KEEPS_METHOD = frozenset({307, 308})
_READ_BYTES = 1 << 16
_MIN_SECRET_CHARS = 8  # what is shorter occurs by chance
_LATER = "try again later; until then the last good payload stays in force"
_CHECK_URL = "open the URL in a browser; if the source has moved, correct its fetch plan"


@dataclass(frozen=True)
class Download:
    """One answer.

    Attributes:
        url: as asked for, without credentials.
        status: 200 or 203, or 304 when upstream has nothing new (then `body` is empty).
        body: decoded, open at its start; closed when the download's context ends.
        bytes: size of `body`.
        is_over_limit: there was more; `body` holds one byte more than the limit.
        content_type: media type without parameters, or None.
        etag: validator for the next request, or None.
        last_modified: validator for the next request, or None.
    """

    url: str
    status: int
    body: BinaryIO
    bytes: int
    is_over_limit: bool
    content_type: str | None
    etag: str | None
    last_modified: str | None


class StatusRefused(FetchFailed):
    """The server answered, with a status that no retry helps.

    Args:
        url: that was asked for, without credentials.
        problem: what happened.
        remedy: what to do.
        status: of the answer.
        limits: what the answer says of rate limits: its headers by lower-case name.
    """

    def __init__(
        self, *, url: str, problem: str, remedy: str, status: int, limits: Mapping[str, str] | None = None
    ) -> None:
        self.status = status
        self.limits = dict(limits or {})
        super().__init__(url=url, problem=problem, remedy=remedy)


class TriesUsedUp(FetchFailed):
    """The server answered with a passing trouble (429, 5xx), and did so at every try.

    Args:
        url: that was asked for, without credentials.
        problem: what happened.
        remedy: what to do.
        status: of the last answer.
        limits: what that answer says of rate limits: its headers by lower-case name.
    """

    def __init__(
        self, *, url: str, problem: str, remedy: str, status: int, limits: Mapping[str, str]
    ) -> None:
        self.status = status
        self.limits = dict(limits)
        super().__init__(url=url, problem=problem, remedy=remedy)


class _TryAgain(Exception):
    """A signal to the retry loop, never seen outside."""

    def __init__(self, problem: str, answer: requests.Response | None = None) -> None:
        super().__init__(problem)
        self.status = answer.status_code if answer is not None else None
        self.limits = _limits(answer.headers) if answer is not None else {}

    @property
    def retry_after(self) -> str | None:
        return self.limits.get("retry-after")


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
class _Asked:
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
    def method(self) -> str:
        return "GET" if self.json is None else "POST"


class _Mirror:
    """Where public URLs are really asked: at themselves, or at a mirror of the upstreams."""

    def __init__(self, base: str) -> None:
        self.base = base.strip().rstrip("/")
        try:
            self._parts = urlsplit(self.base)
            is_url = self._parts.scheme in {"http", "https"} and bool(self._parts.hostname)
        except ValueError:
            is_url = False
        if self.base and not (is_url and not self._parts.query and not self._parts.fragment):
            raise ValueError(
                f"mirror {public_url(base)!r}: give http(s)://host[:port][/path], or nothing ({MIRROR_VARIABLE})"
            )

    def place_of(self, url: str) -> str:
        """The URL to send a request for a public URL to."""
        parts = urlsplit(url)
        if not self.base or parts.hostname in _LOCAL_HOSTS or parts.netloc == self._parts.netloc:
            return url
        user, at, _ = parts.netloc.rpartition("@")
        return urlunsplit(
            (
                self._parts.scheme,
                user + at + self._parts.netloc if at else self._parts.netloc,
                f"{self._parts.path}/{_host_and_port(url)}{parts.path or '/'}",
                parts.query,
                "",
            )
        )

    def redirect_target(self, url: str, location: str) -> str:
        """Where a redirect of a public URL leads: a public URL again, or the mirror itself."""
        asked = self.place_of(url)
        if asked == url:
            return redirect_target(url, location)
        parts, prefix = urlsplit(location), self._parts.path + "/"
        if not parts.netloc:
            # upstream's own path, unless the mirror wrote it
            if not parts.path.startswith(f"{prefix}{_host_and_port(url)}/"):
                return redirect_target(url, location)
            parts = urlsplit(urljoin(asked, location))
        if parts.netloc != self._parts.netloc:
            return redirect_target(url, location)
        host, slash, path = parts.path.removeprefix(prefix).partition("/")
        if not (parts.path.startswith(prefix) and slash and "." in host):
            return urlunsplit(parts)
        return urlunsplit((urlsplit(url).scheme, host, f"/{path}", parts.query, ""))

    def note(self, url: str) -> str:
        """For messages: that not the upstream itself was asked."""
        return f", at the mirror {public_url(self.base)}" if self.place_of(url) != url else ""


class HttpClient:
    """Fetches over http and https.

    Safe to share between threads: what is shared is the courtesy towards each host.

    Args:
        contact: how an upstream reaches the operator, for the User-Agent; default ACCELMART_CONTACT.
        connect_timeout_seconds: for a connection.
        read_timeout_seconds: without a byte.
        total_timeout_seconds: for one download, tries and waits included; looked at between blocks of 64 KiB.
        retries: further tries after the first.
        backoff_seconds: the second retry waits twice this, the third four times, and so on.
        backoff_jitter_seconds: up to this is added at random, so that clients do not come back in step.
        backoff_max_seconds: longest such wait.
        retry_after_max_seconds: longest wait a server's Retry-After is granted.
        max_redirects: more is a loop.
        min_interval_seconds: between two requests to one host, this machine excepted; default
            ACCELMART_REQUEST_INTERVAL, else 1. Less than a second is for a mirror of your own.
        host_intervals_seconds: other intervals for single hosts.
        mirror: base URL of a mirror of all upstreams, this machine excepted; default ACCELMART_MIRROR.
        spool_dir: for bodies on their way; default the system's temporary folder.
        sleep: waits; for tests.
        clock: monotonic seconds; for tests.

    Raises:
        ValueError: for a contact that cannot stand in a header, a mirror that is no http or https URL, or an
            interval that is no number of seconds.
    """

    def __init__(
        self,
        *,
        contact: str | None = None,
        connect_timeout_seconds: float = 10.0,
        read_timeout_seconds: float = 60.0,
        total_timeout_seconds: float = 3600.0,
        retries: int = 4,
        backoff_seconds: float = 1.0,
        backoff_jitter_seconds: float = 1.0,
        backoff_max_seconds: float = 60.0,
        retry_after_max_seconds: int = 300,
        max_redirects: int = 5,
        min_interval_seconds: float | None = None,
        host_intervals_seconds: Mapping[str, float] | None = None,
        mirror: str | None = None,
        spool_dir: Path | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.user_agent = _user_agent(contact)
        self._timeouts = (connect_timeout_seconds, read_timeout_seconds)
        self._total_timeout_seconds = total_timeout_seconds
        self._retry = Retry(
            total=retries,
            backoff_factor=backoff_seconds,
            backoff_jitter=backoff_jitter_seconds,
            backoff_max=backoff_max_seconds,
            retry_after_max=retry_after_max_seconds,
        )
        self._max_redirects = max_redirects
        self._min_interval_seconds = _interval() if min_interval_seconds is None else min_interval_seconds
        self._host_intervals_seconds = dict.fromkeys(_LOCAL_HOSTS, 0.0) | dict(host_intervals_seconds or {})
        self._mirror = _Mirror(os.environ.get(MIRROR_VARIABLE, "") if mirror is None else mirror)
        self._spool_dir = spool_dir
        self._sleep = sleep
        self._clock = clock
        self._asked: dict[str, float] = {}
        self._turns_lock = threading.Lock()

    def slow_down(self, host: str, seconds: float) -> None:
        """Leave at least so many seconds between two requests to a host from now on.

        Args:
            host: name without port.
            seconds: a shorter time than the one in force changes nothing.
        """
        with self._turns_lock:
            self._host_intervals_seconds[host] = max(self._interval_seconds(host), seconds)

    @contextmanager
    def download(
        self,
        url: str,
        *,
        limit_bytes: int,
        previous: Payload | None = None,
        etag: str | None = None,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
    ) -> Iterator[Download]:
        """Fetch one URL to a temporary file.

        Args:
            url: http or https.
            limit_bytes: decoded bytes; reading stops one byte later.
            previous: the payload in force, for a conditional request; no use with `json`.
            etag: validator of what the caller holds, where it is no payload; no use with `json`.
            headers: to add; not passed on to another host by a redirect.
            json: body of a POST; None is a GET.

        Yields:
            The answer. Should it repeat a key of the request (in a header or a key-like query value), ``***`` stands
            in its place.

        Raises:
            FetchFailed: when the source does not give it, at once or after the retries; `StatusRefused` when it
                answers with a status that no retry helps.
        """
        shown = public_url(url)
        _checked_host(url, shown)
        conditions = _conditions(previous) | ({"If-None-Match": etag} if etag else {})
        asked = _Asked(url, shown, dict(headers or {}), {} if json is not None else conditions, json)
        with tempfile.TemporaryFile(dir=self._spool_dir) as body:
            try:
                answer = self._tried(asked, body, limit_bytes)
            except FetchFailed as failed:
                failed.url, failed.problem = (
                    asked.secrets.hide(failed.url),
                    asked.secrets.hide(failed.problem),
                )
                failed.args = (asked.secrets.hide(str(failed)),)
                raise
            body.seek(0)
            yield answer

    def reach(self, url: str) -> tuple[int, str | None]:
        """Ask a server once whether it is there: one HEAD request, no key, no body, no second try.

        Args:
            url: its query is left out.

        Returns:
            Status, and the Date header if there is one. Any answer means that it was reached, by way of the mirror
            if there is one.

        Raises:
            FetchFailed: no answer.
        """
        asked = urlunsplit(urlsplit(url)._replace(query="", fragment=""))
        try:
            with (
                requests.Session() as session,
                self._send(session, "HEAD", asked, {"User-Agent": self.user_agent}, None) as answer,
            ):
                return answer.status_code, answer.headers.get("Date")
        except _TryAgain as problem:
            raise FetchFailed(
                url=public_url(asked),
                problem=f"no answer: {problem}{self._mirror.note(asked)}",
                remedy=f"check the network, its proxy and name resolution; a mirror is named by {MIRROR_VARIABLE}",
            ) from None

    def _tried(self, asked: _Asked, body: IO[bytes], limit_bytes: int) -> Download:
        deadline = self._clock() + self._total_timeout_seconds
        retry = self._retry
        while True:
            body.seek(0)
            body.truncate()
            try:
                return self._try_once(asked, body, limit_bytes, deadline)
            except _TryAgain as again:
                try:
                    retry = retry.increment(asked.method, asked.shown, error=again)
                except MaxRetryError:
                    tries = len(retry.history) + 1
                    problem = f"{again} ({tries} tries{self._mirror.note(asked.url)})"
                    if again.status is None:
                        raise FetchFailed(url=asked.shown, problem=problem, remedy=_LATER) from None
                    raise TriesUsedUp(
                        url=asked.shown,
                        problem=problem,
                        remedy=_LATER,
                        status=again.status,
                        limits=again.limits,
                    ) from None
                pause = _pause_seconds(retry, again.retry_after)
                if self._clock() + pause > deadline:
                    raise self._too_slow(asked.shown) from None
                self._sleep(pause)

    def _try_once(self, asked: _Asked, body: IO[bytes], limit_bytes: int, deadline: float) -> Download:
        current, method, data = asked.url, asked.method, asked.json
        # a session for one download: sessions are not made for several threads, and keep cookies nobody asked for
        with requests.Session() as session:
            session.headers["User-Agent"] = self.user_agent
            session.headers["Accept-Encoding"] = "gzip"
            for _ in range(self._max_redirects + 1):
                host = _checked_host(current, asked.shown)
                self._wait_for_turn(host)
                own = asked.headers if host == urlsplit(asked.url).hostname else {}
                response = self._send(session, method, current, {**own, **asked.conditions}, data)
                with response:
                    target = session.get_redirect_target(response)
                    if target is None:
                        return self._answer(asked, response, body, limit_bytes, deadline)
                    current = self._mirror.redirect_target(current, target)
                    if response.status_code not in _KEEPS_METHOD:
                        method, data = "GET", None  # as browsers do
        raise FetchFailed(
            url=asked.shown,
            problem=f"more than {self._max_redirects} redirects, the last one to {public_url(current)}",
            remedy=_CHECK_URL,
        )

    def _send(
        self, session: requests.Session, method: str, url: str, headers: dict[str, str], data: Any
    ) -> requests.Response:
        try:
            # redirects by hand: each hop has to pass the same checks as the first URL
            return session.request(
                method,
                self._mirror.place_of(url),
                json=data,
                headers=headers,
                stream=True,
                allow_redirects=False,
                timeout=self._timeouts,
            )
        except requests.exceptions.SSLError as error:
            if "CERTIFICATE_VERIFY_FAILED" in str(error):
                raise FetchFailed(
                    url=public_url(url),
                    problem="its TLS certificate is not trusted",
                    remedy="check the address and this machine's clock; behind your own proxy, set REQUESTS_CA_BUNDLE",
                ) from None
            raise _TryAgain(self._told(error)) from None
        except (requests.ConnectionError, requests.Timeout) as error:
            raise _TryAgain(self._told(error)) from None
        except requests.RequestException as error:
            raise FetchFailed(url=public_url(url), problem=self._told(error), remedy=_CHECK_URL) from None

    def _answer(
        self, asked: _Asked, response: requests.Response, body: IO[bytes], limit_bytes: int, deadline: float
    ) -> Download:
        status = response.status_code
        if status in _RETRY_STATUSES:
            raise _TryAgain(f"the server answered {status} {response.reason}", response)
        size = 0
        if status in _BODY_STATUSES:
            size = self._read_body(asked, response, body, limit_bytes, deadline)
        elif status != 304 or not asked.conditions:
            # what stands in the body of a refusal (the request with its keys, often) is never kept
            raise _status_failure(asked.shown, response)
        content_type = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        return Download(
            url=asked.shown,
            status=status,
            body=cast(BinaryIO, body),
            bytes=size,
            is_over_limit=size > limit_bytes,
            content_type=content_type or None,
            etag=response.headers.get("ETag"),
            last_modified=response.headers.get("Last-Modified"),
        )

    def _read_body(
        self,
        asked: _Asked,
        response: requests.Response,
        body: IO[bytes],
        limit_bytes: int,
        deadline: float,
    ) -> int:
        """Copy the decoded body, up to one byte over the limit; urllib3 compares its length with Content-Length."""
        encoding = response.headers.get("Content-Encoding", "").strip().lower()
        if encoding not in {"", "identity", "gzip", "x-gzip"}:
            raise FetchFailed(
                url=asked.shown,
                problem=f"it came in the content encoding {encoding!r}, which was not asked for",
                remedy=_CHECK_URL,
            )
        size = 0
        declared = response.headers.get("Content-Length", "")
        with _progress(asked.shown, int(declared) if declared.isdecimal() else None) as advance:

            def blocks() -> Iterator[bytes]:
                # whatever has come, at once: a block of 64 KiB can take a dripping server hours
                while block := response.raw.read1(_READ_BYTES, decode_content=False):
                    advance(len(block))
                    if self._clock() > deadline:
                        raise self._too_slow(asked.shown)
                    yield block

            decoded = _gunzipped(blocks()) if encoding.endswith("gzip") else blocks()
            try:
                for block in asked.secrets.hidden_in(decoded):
                    kept = block[: limit_bytes + 1 - size]
                    body.write(kept)
                    size += len(kept)
                    if size > limit_bytes:
                        break
            except (HTTPError, zlib.error) as error:
                raise _TryAgain(f"the download broke off: {self._told(error)}") from None
        if asked.secrets.found:
            log.warning(
                "%s: the answer repeats the key it was asked with; %s is kept in its place",
                asked.shown,
                HIDDEN,
            )
        return size

    def _interval_seconds(self, host: str) -> float:
        return self._host_intervals_seconds.get(host, self._min_interval_seconds)

    def _wait_for_turn(self, host: str) -> None:
        with self._turns_lock:
            now = self._clock()
            turn = max(now, self._asked[host] + self._interval_seconds(host)) if host in self._asked else now
            self._asked[host] = turn
        if turn > now:
            self._sleep(turn - now)

    def _too_slow(self, shown: str) -> FetchFailed:
        return FetchFailed(
            url=shown, problem=f"not finished within {self._total_timeout_seconds:g} s", remedy=_LATER
        )

    def _told(self, error: Exception) -> str:
        """What happened, without the URL (and its secrets) that the libraries repeat."""
        if isinstance(error, requests.ConnectTimeout):
            return f"no connection within {self._timeouts[0]:g} s"
        cause = error
        while True:
            inner = [getattr(cause, "reason", None), *cause.args]
            deeper = next((part for part in inner if isinstance(part, Exception)), None)
            if deeper is None:
                break
            cause = deeper
        if isinstance(error, requests.Timeout) or "timed out" in str(cause).lower():
            return f"no data for {self._timeouts[1]:g} s"
        return public_url(re.sub(r"^\w+\(.*?\): ", "", str(cause))) or type(cause).__name__


def fetch_to_landing(
    landing: Landing,
    source: str,
    key: str,
    url: str,
    *,
    client: HttpClient,
    licence: str,
    limit_bytes: int,
    check: Check | None = None,
    content_type: str | None = None,
    headers: Mapping[str, str] | None = None,
    json: Any = None,
    details: dict[str, Any] | None = None,
    fetched_at: datetime | None = None,
) -> Payload:
    """Fetch one URL into the landing zone, asking only for what is new.

    Args:
        landing: where to.
        source: upstream name.
        key: what of the upstream.
        url: http or https.
        client: to fetch with.
        licence: of the data.
        limit_bytes: decoded size; more is quarantined.
        check: raises `PayloadRejected` for a payload that must not come into force.
        content_type: instead of what the server says.
        headers: to add to the request.
        json: body of a POST, which is always answered in full; None is a GET.
        details: JSON-serialisable facts to keep.
        fetched_at: aware time; default now.

    Returns:
        The new manifest record; its `outcome` says whether the payload came into force.

    Raises:
        FetchFailed: when the source does not give it; the last good payload stays in force.
    """
    previous = reusable(landing, source, key, url)
    with client.download(
        url, limit_bytes=limit_bytes, previous=previous, headers=headers, json=json
    ) as answer:
        if answer.status == 304 and previous is not None:
            return landing.unchanged(
                previous,
                etag=answer.etag,
                last_modified=answer.last_modified,
                details=details,
                fetched_at=fetched_at,
            )
        return landing.store(
            answer.body,
            source=source,
            key=key,
            url=url,
            content_type=content_type or answer.content_type or "application/octet-stream",
            licence=licence,
            limit_bytes=limit_bytes,
            check=check,
            http_status=answer.status,
            etag=answer.etag,
            last_modified=answer.last_modified,
            details=details,
            fetched_at=fetched_at,
        )


def reusable(landing: Landing, source: str, key: str, url: str) -> Payload | None:
    """The payload in force, if a "not modified" would be true of it.

    Args:
        landing: to look in.
        source: upstream name.
        key: what of the upstream.
        url: that is about to be asked.

    Returns:
        None when there is none, it came from another URL (whose validators mean nothing here), or its object is
        damaged and has to be fetched in full.
    """
    last = landing.latest(source, key)
    if last is None or last.url != public_url(url) or not (last.etag or last.last_modified):
        return None
    return last if landing.intact(last) else None


def redirect_target(url: str, location: str) -> str:
    """Where a redirect leads, if it may.

    Args:
        url: that answered.
        location: its Location header.

    Returns:
        The absolute URL.

    Raises:
        FetchFailed: when it leaves http and https, or falls from https to http.
    """
    target = urljoin(url, location)
    scheme = urlsplit(target).scheme.lower()
    if scheme not in {"http", "https"}:
        problem = f"it redirects to {public_url(target)}, which is neither http nor https"
    elif scheme == "http" and urlsplit(url).scheme.lower() == "https":
        problem = f"it redirects from https down to {public_url(target)}"
    else:
        return target
    raise FetchFailed(url=public_url(url), problem=problem, remedy=_CHECK_URL)


def _checked_host(url: str, shown: str) -> str:
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError as error:
        raise FetchFailed(url=shown, problem=f"not a URL ({error})", remedy=_CHECK_URL) from None
    if parts.scheme.lower() not in {"http", "https"} or not host:
        raise FetchFailed(
            url=shown, problem="not an http or https URL", remedy="give a full URL: https://host/path"
        )
    return host


def _host_and_port(url: str) -> str:
    """Host and port of a URL as a mirror names its folders: a port only where it is not the usual one."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2].lower()
    usual = {"http": ":80", "https": ":443"}.get(parts.scheme.lower(), "")
    return host.removesuffix(usual).removesuffix(":")


def _is_secret(name: str) -> bool:
    """Whether the value of a query parameter or header is a key; a place in a list of pages is none."""
    if re.search(r"(?i)page|next|cursor|continu", name):
        return False
    return HIDDEN in public_url(f"?{name}=value") or name.lower() in {"authorization", "cookie"}


def _gunzipped(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Decompressed blocks of bounded size.

    Raises:
        zlib.error: for what is no gzip, and (unlike urllib3) for gzip that ends too early: half a list is no list.
    """
    decoder, has_data = zlib.decompressobj(wbits=31), False
    for block in blocks:
        while block:
            has_data = True
            yield decoder.decompress(block, _READ_BYTES)
            block = decoder.unconsumed_tail
            if decoder.eof:
                block = decoder.unused_data.lstrip(b"\0")  # another member, or padding
                decoder = zlib.decompressobj(wbits=31) if block else decoder
    yield decoder.flush()
    if has_data and not decoder.eof:
        raise zlib.error("its gzip data is cut short")


def _conditions(previous: Payload | None) -> dict[str, str]:
    if previous is None:
        return {}
    pairs = {"If-None-Match": previous.etag, "If-Modified-Since": previous.last_modified}
    return {name: value for name, value in pairs.items() if value}


def _pause_seconds(retry: Retry, retry_after: str | None) -> float:
    if retry_after:
        try:
            # both forms, seconds and HTTP date, capped by retry_after_max
            return max(retry.parse_retry_after(retry_after), 0.0)
        except InvalidHeader:
            pass  # an unreadable wish is no wish
    return retry.get_backoff_time()


def _status_failure(shown: str, response: requests.Response) -> StatusRefused:
    status = response.status_code
    if status in {401, 407}:
        remedy = "it wants credentials: give them, or take the source out"
    elif status == 403 and response.headers.get("X-RateLimit-Remaining") == "0":
        remedy = "the rate limit of this host is used up: fetch less often, or authenticate"
    elif status in {403, 451}:
        remedy = (
            f"it refuses this client: check the source's terms and robots.txt, and set {CONTACT_VARIABLE}"
        )
    elif status in {404, 410}:
        remedy = _CHECK_URL
    else:
        remedy = "look at the request: the source does not accept it as it is"
    return StatusRefused(
        url=shown,
        problem=f"the server answered {status} {response.reason or ''}".rstrip(),
        remedy=remedy,
        status=status,
        limits=_limits(response.headers),
    )


def _limits(headers: Mapping[str, str]) -> dict[str, str]:
    # no others: an upstream may repeat a key in them
    lower = {name.lower(): value for name, value in headers.items()}
    return {name: value for name, value in lower.items() if name.startswith(("retry-after", "x-ratelimit-"))}


def _interval() -> float:
    word = os.environ.get(INTERVAL_VARIABLE) or "1"
    try:
        seconds = float(word)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < math.inf:
        raise ValueError(
            f"{INTERVAL_VARIABLE}={word!r}: give seconds between two requests to a host, such as 1"
        )
    return seconds


def _user_agent(contact: str | None) -> str:
    contact = contact or os.environ.get(CONTACT_VARIABLE) or "contact in README"
    if not contact.isascii() or not contact.isprintable():
        raise ValueError(
            f"contact {contact!r}: use printable ASCII, e.g. an e-mail address ({CONTACT_VARIABLE})"
        )
    try:
        version = metadata.version("accelmart")
    except metadata.PackageNotFoundError:
        version = "0"
    return f"accelmart/{version} (+{PROJECT_URL}; {contact})"


@contextmanager
def _progress(label: str, total_bytes: int | None) -> Iterator[Callable[[int], None]]:
    """A progress bar for people; nothing at all in logs and pipes."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label[-60:], total=total_bytes)
        yield lambda count: bar.advance(task, count)
