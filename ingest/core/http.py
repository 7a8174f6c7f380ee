"""The one HTTP client: identified, polite, bounded in size and patient with servers that are not.

Knows URLs and bytes, no columns. urllib3's `Retry` (2.x) is the retry policy, applied to the whole download, because a
body that breaks off half-way deserves another try as much as a refused connection. Requests, answers and the mirror of
a closed network have modules of their own.
"""

from __future__ import annotations

import logging
import re
import socket
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import partial
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeVar, cast
from urllib.parse import urlsplit, urlunsplit

import requests
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn
from urllib3.exceptions import HTTPError, InvalidHeader, MaxRetryError
from urllib3.util import Retry

from ingest.core.errors import FetchFailed
from ingest.core.hosts import ForbiddenAddressError, PrivateHosts
from ingest.core.http_mirror import LOCAL_HOSTS, MIRROR_VARIABLE, Mirror, checked_host, host_and_port
from ingest.core.http_request import HttpRequest, conditional_headers, user_agent
from ingest.core.http_response import TRY_LATER, Download, TriesUsedUp, TryAgain, status_failure
from ingest.core.payload import Payload
from ingest.core.urls import CHECK_URL, public_url

PRIVATE_HOSTS_VARIABLE = "ACCELMART_PRIVATE_HOSTS"
_T = TypeVar("_T")
# its debug lines repeat every URL with the keys in it, and no filter knows all the forms a redirect gives them
logging.getLogger("urllib3.connectionpool").setLevel(logging.INFO)

_RETRY_STATUSES = frozenset({429, 500, 502, 503, 504})
_BODY_STATUSES = frozenset({200, 203})
_KEEPS_METHOD = frozenset({307, 308})
_READ_BYTES = 1 << 16
# more than caches that do not state an Age keep an answer; less than a clock that was never set is wrong by
_CLOCK_TOLERANCE = timedelta(days=1)


class HttpClient:
    """Fetches over http and https.

    Safe to share between threads: what is shared is the courtesy towards each host.

    Args:
        contact: how an upstream reaches the operator, for the User-Agent; default ACCELMART_CONTACT.
        connect_timeout_seconds: for a connection.
        read_timeout_seconds: without a byte.
        total_timeout_seconds: for one download: tries, waits, redirects, connections, headers and bodies.
        retries: further tries after the first.
        backoff_seconds: the second retry waits twice this, the third four times, and so on.
        backoff_jitter_seconds: up to this is added at random, so that clients do not come back in step.
        backoff_max_seconds: longest such wait.
        retry_after_max_seconds: longest wait a server's Retry-After is granted.
        max_redirects: more is a loop.
        min_interval_seconds: between two requests to one host, this machine excepted. Less than a second is for a
            mirror of your own.
        host_intervals_seconds: other intervals for single hosts.
        mirror: base URL of a mirror of all upstreams, this machine excepted; empty is none. Its address need not be
            public.
        private_hosts: hosts, addresses and networks to fetch from although their addresses are not public.
        spool_dir: for bodies on their way; default the system's temporary folder.
        sleep: waits; for tests.
        clock: monotonic seconds; for tests.

    Raises:
        ValueError: for a contact that cannot stand in a header, a mirror that is no http or https URL, or a private
            host that is no host, address or network.
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
        min_interval_seconds: float = 1.0,
        host_intervals_seconds: Mapping[str, float] | None = None,
        mirror: str = "",
        private_hosts: Iterable[str] = (),
        spool_dir: Path | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.user_agent = user_agent(contact)
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
        self._min_interval_seconds = min_interval_seconds
        self._host_intervals_seconds = dict.fromkeys(LOCAL_HOSTS, 0.0) | dict(host_intervals_seconds or {})
        self._mirror = Mirror(mirror)
        self._private_hosts = PrivateHosts([*private_hosts, *self._mirror.hosts])
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
            The answer.

        Raises:
            FetchFailed: when the source does not give it, at once or after the retries, or repeats a key of the
                request in its answer; `StatusRefused` when it answers with a status that no retry helps.
        """
        shown = public_url(url)
        checked_host(url, shown)
        conditions = conditional_headers(previous) | ({"If-None-Match": etag} if etag else {})
        asked = HttpRequest(url, shown, dict(headers or {}), {} if json is not None else conditions, json)
        with tempfile.TemporaryFile(dir=self._spool_dir) as body:
            try:
                answer = self._tried(asked, body, limit_bytes)
            except FetchFailed as failed:
                failed.url, failed.problem = asked.hide_keys(failed.url), asked.hide_keys(failed.problem)
                failed.args = (asked.hide_keys(str(failed)),)
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
            return _within(sum(self._timeouts), partial(self._reach_once, asked))
        except (TryAgain, TimeoutError) as error:
            problem = str(error) or f"no data for {self._timeouts[1]:g} s"
            raise FetchFailed(
                url=public_url(asked),
                problem=f"no answer: {problem}{self._mirror.note(asked)}",
                remedy=f"check the network, its proxy and name resolution; a mirror is named by {MIRROR_VARIABLE}",
            ) from None

    def _reach_once(self, url: str) -> tuple[int, str | None]:
        with (
            self._session() as session,
            self._send(session, "HEAD", url, {"User-Agent": self.user_agent}, None) as answer,
        ):
            return answer.status_code, answer.headers.get("Date")

    def _tried(self, asked: HttpRequest, body: IO[bytes], limit_bytes: int) -> Download:
        deadline = self._clock() + self._total_timeout_seconds
        retry = self._retry
        while True:
            body.seek(0)
            body.truncate()
            try:
                return _within(deadline - self._clock(), partial(self._try_once, asked, body, limit_bytes))
            except TimeoutError:
                raise self._too_slow(asked.shown) from None
            except TryAgain as again:
                try:
                    retry = retry.increment(asked.method, asked.shown, error=again)
                except MaxRetryError:
                    tries = len(retry.history) + 1
                    problem = f"{again} ({tries} tries{self._mirror.note(asked.url)})"
                    if again.status is None:
                        raise FetchFailed(url=asked.shown, problem=problem, remedy=TRY_LATER) from None
                    raise TriesUsedUp(
                        url=asked.shown,
                        problem=problem,
                        remedy=TRY_LATER,
                        status=again.status,
                        limits=again.limits,
                    ) from None
                pause = _pause_seconds(retry, again.retry_after)
                if self._clock() + pause > deadline:
                    raise self._too_slow(asked.shown) from None
                self._sleep(pause)

    def _try_once(self, asked: HttpRequest, body: IO[bytes], limit_bytes: int) -> Download:
        current, method, data = asked.url, asked.method, asked.json
        # a session for one download: sessions are not made for several threads, and keep cookies nobody asked for
        with self._session() as session:
            for _ in range(self._max_redirects + 1):
                host = checked_host(current, asked.shown)
                self._wait_for_turn(host)
                is_same_host = host_and_port(current) == host_and_port(asked.url)
                own = asked.headers if is_same_host else {}
                if asked.has_keys and (own or current == asked.url):
                    self._refuse_in_clear(current)
                response = self._send(session, method, current, {**own, **asked.conditions}, data)
                with response:
                    target = session.get_redirect_target(response)
                    if target is None:
                        return self._answer(asked, response, body, limit_bytes)
                    current = self._mirror.redirect_target(current, target)
                    if response.status_code not in _KEEPS_METHOD:
                        method, data = "GET", None  # as browsers do
        raise FetchFailed(
            url=asked.shown,
            problem=f"more than {self._max_redirects} redirects, the last one to {public_url(current)}",
            remedy=CHECK_URL,
        )

    def _session(self) -> requests.Session:
        session = requests.Session()
        session.headers["User-Agent"] = self.user_agent
        session.headers["Accept-Encoding"] = "gzip"
        return session

    def _refuse_in_clear(self, url: str) -> None:
        """Raise `FetchFailed` if a key would go to another machine without TLS."""
        place = urlsplit(self._mirror.place_of(url))
        if place.scheme.lower() == "http" and place.hostname not in LOCAL_HOSTS:
            raise FetchFailed(
                url=public_url(url),
                problem=f"its key would be sent without encryption{self._mirror.note(url)}",
                remedy=f"give an https address (of the mirror: {MIRROR_VARIABLE}), or unset the key",
            )

    def _send(
        self, session: requests.Session, method: str, url: str, headers: dict[str, str], data: Any
    ) -> requests.Response:
        place = self._mirror.place_of(url)
        try:
            proxy = requests.utils.select_proxy(place, requests.utils.get_environ_proxies(place))
            self._private_hosts.require_allowed(place, is_proxied=proxy is not None)
            # redirects by hand: each hop has to pass the same checks as the first URL
            return session.request(
                method,
                place,
                json=data,
                headers=headers,
                stream=True,
                allow_redirects=False,
                timeout=self._timeouts,
            )
        except ForbiddenAddressError as error:
            raise FetchFailed(
                url=public_url(url),
                problem=f"{error}, so nothing is fetched from there",
                remedy=f"if it is a server of your own, name it in {PRIVATE_HOSTS_VARIABLE}; if not, report the "
                "redirect or the name's address to the source",
            ) from None
        except socket.gaierror as error:
            raise TryAgain(f"the name of its host cannot be resolved ({error.strerror})") from None
        except requests.exceptions.SSLError as error:
            if "CERTIFICATE_VERIFY_FAILED" in str(error):
                raise FetchFailed(
                    url=public_url(url),
                    problem="its TLS certificate is not trusted",
                    remedy="check the address and this machine's clock; behind your own proxy, set REQUESTS_CA_BUNDLE",
                ) from None
            raise TryAgain(self._describe(error)) from None
        except (requests.ConnectionError, requests.Timeout) as error:
            raise TryAgain(self._describe(error)) from None
        except requests.RequestException as error:
            raise FetchFailed(url=public_url(url), problem=self._describe(error), remedy=CHECK_URL) from None
        except ValueError as error:
            # requests looks at the Location of a redirect even if it is not to follow it
            problem = f"it redirects to what is no URL ({error})"
            raise FetchFailed(url=public_url(url), problem=problem, remedy=CHECK_URL) from None

    def _answer(
        self,
        asked: HttpRequest,
        response: requests.Response,
        body: IO[bytes],
        limit_bytes: int,
    ) -> Download:
        status = response.status_code
        _require_right_clock(asked.shown, response)
        if status in _RETRY_STATUSES:
            raise TryAgain(f"the server answered {status} {response.reason}", response)
        size = 0
        if status in _BODY_STATUSES:
            size = self._read_body(asked, response, body, limit_bytes)
        elif status != 304 or not asked.conditions:
            # what stands in the body of a refusal (the request with its keys, often) is never kept
            raise status_failure(asked.shown, response)
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
        asked: HttpRequest,
        response: requests.Response,
        body: IO[bytes],
        limit_bytes: int,
    ) -> int:
        """Copy the decoded body, up to one byte over the limit; urllib3 compares its length with Content-Length."""
        encoding = response.headers.get("Content-Encoding", "").strip().lower()
        if encoding not in {"", "identity", "gzip", "x-gzip"}:
            raise FetchFailed(
                url=asked.shown,
                problem=f"it came in the content encoding {encoding!r}, which was not asked for",
                remedy=CHECK_URL,
            )
        size = 0
        declared = response.headers.get("Content-Length", "")
        with _progress(asked.shown, int(declared) if declared.isdecimal() else None) as advance:

            def blocks() -> Iterator[bytes]:
                # whatever has come, at once: a block of 64 KiB can take a dripping server hours
                while block := response.raw.read1(_READ_BYTES, decode_content=False):
                    advance(len(block))
                    yield block

            decoded = _gunzipped(blocks()) if encoding.endswith("gzip") else blocks()
            try:
                for block in asked.refuse_keys(decoded):
                    kept = block[: limit_bytes + 1 - size]
                    body.write(kept)
                    size += len(kept)
                    if size > limit_bytes:
                        break
            except (HTTPError, zlib.error) as error:
                raise TryAgain(f"the download broke off: {self._describe(error)}") from None
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
            url=shown, problem=f"not finished within {self._total_timeout_seconds:g} s", remedy=TRY_LATER
        )

    def _describe(self, error: Exception) -> str:
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


def _within(seconds: float, do: Callable[[], _T]) -> _T:
    """Return what `do` returns; raise TimeoutError after so many seconds, however slowly a server drips.

    A read timeout starts again with each byte. What was begun ends by itself, at its server's next pause.
    """
    result: Future[_T] = Future()

    def run() -> None:
        try:
            result.set_result(do())
        except BaseException as error:  # noqa: BLE001  # raised again where it is waited for
            result.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return result.result(timeout=max(seconds, 0))


def _require_right_clock(shown: str, response: requests.Response) -> None:
    """Refuse an answer that this machine would date into the future: its time becomes the time of observations."""
    try:
        served_at = parsedate_to_datetime(response.headers.get("Date", ""))
        age_s = int(response.headers.get("Age", "0"))
        ahead = datetime.now(UTC) - served_at.astimezone(UTC) - timedelta(seconds=age_s)
    except (ValueError, OverflowError):
        return
    if ahead > _CLOCK_TOLERANCE:
        raise FetchFailed(
            url=shown,
            problem=f"this machine's clock is {ahead.days} days ahead of the server's ({served_at:%Y-%m-%d %H:%M} UTC)",
            remedy="correct the clock; if it is right, the server's is wrong: report it to the source",
        )


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


def _pause_seconds(retry: Retry, retry_after: str | None) -> float:
    if retry_after:
        try:
            # both forms, seconds and HTTP date, capped by retry_after_max
            return max(retry.parse_retry_after(retry_after), 0.0)
        except InvalidHeader:
            pass  # an unreadable wish is no wish
    return retry.get_backoff_time()


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
