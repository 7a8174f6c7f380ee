"""The one HTTP client: identified, polite, bounded in size and time, and kept to public https addresses.

urllib3's `Retry` is the retry policy. It is applied to a whole download instead of being mounted on an adapter: a body
that breaks off deserves another try as much as a refused connection, every try waits for its turn at the host, and an
adapter would read the body of a "503" to its end, if it has one, before its next try.

Both libraries are imported when a server is asked: readers of a local file need neither.
"""

from __future__ import annotations

import gzip
import logging
import re
import socket
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from importlib import metadata
from multiprocessing import TimeoutError as NotInTimeError
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, TypeVar, cast
from urllib.parse import urljoin, urlsplit

from accelmart.errors import FetchFailed
from accelmart.hosts import LOCAL_HOSTS, MIRROR_VARIABLE, PRIVATE_HOSTS_VARIABLE, PrivateHosts, parse_mirror
from accelmart.urls import CHECK_URL, is_secret_name, public_url

if TYPE_CHECKING:
    import requests
    from urllib3.util import Retry

_T = TypeVar("_T")
_AGENT = f"accelmart/{metadata.version('accelmart')} (+https://github.com/accelmart/accelmart; {{}})"
_BLOCK_BYTES = 1 << 16
_MAX_REDIRECTS = 5
_MAY_PASS = frozenset({429, 500, 502, 503, 504})
LATER = "try again later; until then what was fetched last stays in use"
_REMEDIES = {
    **dict.fromkeys(_MAY_PASS, LATER),
    **dict.fromkeys((401, 407), "it wants credentials: give them, or take the source out"),
    **dict.fromkeys(
        (403, 451), "it refuses this client: check the source's terms, and set ACCELMART_CONTACT"
    ),
    **dict.fromkeys((404, 410), CHECK_URL),
}
# its debug lines repeat every URL, with what a user or a redirect put into the query
logging.getLogger("urllib3.connectionpool").setLevel(logging.INFO)


def retry_policy(**changes: Any) -> Retry:
    """Return how often, and after which pauses, a download is tried again.

    Args:
        changes: parameters of urllib3's ``Retry``; ``retry_after_max`` bounds what a server's Retry-After may ask for.
    """
    from urllib3.util import Retry

    # a server that cannot be reached is tried twice: nothing that it did needs time to pass
    usual = {
        "total": 4,
        "connect": 1,
        "backoff_factor": 1,
        "backoff_jitter": 1,
        "backoff_max": 60,
        "retry_after_max": 300,
    }
    return Retry(**usual | changes)


class NoAnswer(FetchFailed):
    """No whole answer came: no connection, silence, a body that broke off, or not in the time there was."""


class NoConnection(NoAnswer):
    """Its name cannot be resolved, or nothing listens there: not one byte was exchanged."""


class StatusRefused(FetchFailed):
    """The server answered with a status that is no success.

    Args:
        url: that was asked for, without credentials.
        problem: what happened.
        remedy: what to do.
        status: of the answer.
        limits: the headers about rate limits of the answer, by lower-case name.
    """

    def __init__(
        self, *, url: str, problem: str, remedy: str, status: int, limits: Mapping[str, str] | None = None
    ) -> None:
        self.status, self.limits = status, dict(limits or {})
        super().__init__(url=url, problem=problem, remedy=remedy)

    @property
    def may_pass(self) -> bool:
        """Whether the server has a passing trouble (429, 5xx)."""
        return self.status in _MAY_PASS


@dataclass(frozen=True)
class Download:
    """One answer.

    Attributes:
        status: 200 or 203, or 304 when upstream has nothing new (then `body` is empty).
        body: decoded, open at its start; closed when the download's context ends.
        is_over_limit: there was more; `body` holds one byte more than the limit.
        content_type: media type without parameters, or None.
        etag: validator for the next request, or None.
        last_modified: validator for the next request, or None.
    """

    status: int
    body: BinaryIO
    is_over_limit: bool
    content_type: str | None
    etag: str | None
    last_modified: str | None


class HttpClient:
    """Fetches over https; over http only from a mirror, and from private hosts that are named.

    Safe to share between threads: what is shared is the courtesy towards each host.

    Args:
        contact: how an upstream reaches the operator, in printable ASCII.
        connect_timeout_seconds: for a connection.
        read_timeout_seconds: without a byte.
        total_timeout_seconds: for one download: tries, waits, redirects, connections, headers and bodies.
        retry: how often and after which pauses a download is tried again; default: `retry_policy`.
        min_interval_seconds: between two requests to one host, this machine excepted. Less than a second is for a
            mirror of your own.
        mirror: base URL of a mirror of all upstreams, this machine excepted: https://host/path?query is requested at
            <mirror>/host/path?query. What is shown, kept and compared stays the public URL. Empty is none.
        private_hosts: hosts, addresses and networks to fetch from although their addresses are not public.

    Raises:
        ValueError: a mirror that is no http or https URL, or a private host that is no host, address or network.
    """

    def __init__(
        self,
        *,
        contact: str = "contact in README",
        connect_timeout_seconds: float = 10.0,
        read_timeout_seconds: float = 60.0,
        total_timeout_seconds: float = 3600.0,
        retry: Retry | None = None,
        min_interval_seconds: float = 1.0,
        mirror: str = "",
        private_hosts: Iterable[str] = (),
    ) -> None:
        self.user_agent = _AGENT.format(contact)
        self._timeouts = (connect_timeout_seconds, read_timeout_seconds)
        self._total_timeout_seconds = total_timeout_seconds
        self._retry = retry or retry_policy()
        self._min_interval_seconds = min_interval_seconds
        self._intervals = dict.fromkeys(LOCAL_HOSTS, 0.0)
        self._turns: dict[str, float] = {}
        self._turns_lock = threading.Lock()
        self._mirror = parse_mirror(mirror)
        self._private_hosts = PrivateHosts(private_hosts)

    def slow_down(self, host: str, seconds: float) -> None:
        """Leave at least so many seconds between two requests to a host from now on; a shorter time changes nothing."""
        with self._turns_lock:
            self._intervals[host] = max(self._intervals.get(host, self._min_interval_seconds), seconds)

    @contextmanager
    def download(
        self,
        url: str,
        *,
        limit_bytes: int,
        etag: str | None = None,
        last_modified: str | None = None,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
        folder: Path | None = None,
    ) -> Iterator[Download]:
        """Fetch one URL to a temporary file.

        Args:
            url: https.
            limit_bytes: decoded bytes; reading stops one byte later.
            etag: validator of what the caller holds, for a conditional request; no use with `json`.
            last_modified: another one.
            headers: to add, such as a key; not sent to another host, and a key not without TLS.
            json: body of a POST; None is a GET.
            folder: of the temporary file; None is the system's.

        Yields:
            The answer.

        Raises:
            FetchFailed: the source does not give it. `NoAnswer` and a passing `StatusRefused` are raised after the
                retries, anything else at once.
        """
        given = {"If-None-Match": etag, "If-Modified-Since": last_modified}
        conditions = {name: value for name, value in given.items() if value and json is None}

        def try_once() -> Download:
            body.seek(0)
            body.truncate()
            with self._answer(url, dict(headers or {}), conditions, json) as answer:
                return _received(public_url(url), answer, body, limit_bytes, bool(conditions))

        with tempfile.TemporaryFile(dir=folder) as body:
            answer = self._tried(url, try_once)
            body.seek(0)
            yield answer

    def reach(self, url: str) -> int:
        """Ask a server once whether it is there: one HEAD request, no key, no body, no second try.

        Args:
            url: its query is left out.

        Returns:
            Status. Any answer means that it was reached, by way of the mirror if there is one.

        Raises:
            FetchFailed: it did not answer (`NoAnswer`), or must not be asked.
        """
        asked = urlsplit(url)._replace(query="", fragment="").geturl()

        def ask() -> int:
            with self._session() as session, self._send(session, "HEAD", asked, {}, None) as answer:
                return answer.status_code

        return self._within(sum(self._timeouts), asked, ask)

    def _tried(self, url: str, try_once: Callable[[], Download]) -> Download:
        from urllib3.exceptions import ConnectTimeoutError, MaxRetryError

        deadline, retry = time.monotonic() + self._total_timeout_seconds, self._retry
        while True:
            try:
                return self._within(deadline - time.monotonic(), url, try_once)
            except (NoAnswer, StatusRefused) as failed:
                if isinstance(failed, StatusRefused) and not failed.may_pass:
                    raise
                # the class by which urllib3 knows that a connection failed
                error = ConnectTimeoutError(str(failed)) if isinstance(failed, NoConnection) else failed
                try:
                    retry = retry.increment(error=error)
                except MaxRetryError:
                    raise failed from None
                pause = _pause_seconds(retry, failed)
                if time.monotonic() + pause > deadline:
                    raise
            time.sleep(pause)

    def _within(self, seconds: float, url: str, do: Callable[[], _T]) -> _T:
        """Return what `do` returns; raise `NoAnswer` after so many seconds, however slowly a server drips.

        A read timeout starts again with each byte, and looking up a name has none. What was begun ends by itself,
        at its server's next pause.
        """
        with ThreadPool(1) as pool:
            try:
                return pool.apply_async(do).get(max(seconds, 0))
            except NotInTimeError:
                raise self._no_answer(url, f"not finished within {round(seconds, 1):g} s") from None

    @contextmanager
    def _answer(
        self, url: str, headers: dict[str, str], conditions: dict[str, str], json: Any
    ) -> Iterator[requests.Response]:
        """Yield the answer behind all redirects, each of which passes the checks of the first URL."""
        method, current = "GET" if json is None else "POST", url
        # a session for one download: sessions are not made for several threads, and keep cookies nobody asked for
        with self._session() as session:
            for _ in range(_MAX_REDIRECTS + 1):
                own = headers if _origin(current) == _origin(url) else {}
                with self._send(session, method, current, own | conditions, json) as answer:
                    target = session.get_redirect_target(answer)
                    if target is None:
                        yield answer
                        return
                current = urljoin(current, target)
                if answer.status_code not in (HTTPStatus.TEMPORARY_REDIRECT, HTTPStatus.PERMANENT_REDIRECT):
                    method, json = "GET", None  # as browsers do
        problem = f"more than {_MAX_REDIRECTS} redirects, the last one to {public_url(current)}"
        raise FetchFailed(url=public_url(url), problem=problem, remedy=CHECK_URL)

    def _session(self) -> requests.Session:
        import requests

        session = requests.Session()
        session.headers.update({"User-Agent": self.user_agent, "Accept-Encoding": "gzip"})
        return session

    def _send(
        self, session: requests.Session, method: str, url: str, headers: dict[str, str], json: Any
    ) -> requests.Response:
        """Send one request without following redirects, if it may be sent, at its turn."""
        import requests
        from urllib3.exceptions import HTTPError

        try:
            place = self._place_of(url)
            self._require_allowed(url, place, headers)
            self._wait_for_turn(urlsplit(url).hostname or "")
            return session.request(
                method,
                place,
                json=json,
                headers=headers,
                stream=True,
                allow_redirects=False,
                timeout=self._timeouts,
            )
        except socket.gaierror as error:
            problem = f"the name of its host cannot be resolved ({error.strerror})"
            raise self._no_answer(url, problem, NoConnection) from None
        except (requests.exceptions.InvalidHeader, UnicodeEncodeError):
            # the library's words would repeat the key
            problem = f"one of its headers ({', '.join(headers)}) has a character that cannot be sent"
            remedy = "look for a line end, a space or a quotation mark around the key in the environment"
            raise FetchFailed(url=public_url(url), problem=problem, remedy=remedy) from None
        except requests.exceptions.SSLError as error:
            problem = f"there is no trusted TLS connection to it ({_cause(error)})"
            remedy = (
                "check the address and this machine's clock; behind your own proxy, set REQUESTS_CA_BUNDLE"
            )
            raise FetchFailed(url=public_url(url), problem=problem, remedy=remedy) from None
        except (requests.ConnectionError, requests.Timeout) as error:
            raise self._no_answer(
                url, _cause(error), NoConnection if _is_unconnected(error) else NoAnswer
            ) from None
        except (requests.RequestException, HTTPError, ValueError) as error:
            # requests looks at the Location of a redirect even if it is not to follow it
            problem = f"it is no URL, or redirects to what is none ({_cause(error)})"
            raise FetchFailed(url=public_url(url), problem=problem, remedy=CHECK_URL) from None

    def _require_allowed(self, url: str, place: str, headers: Mapping[str, str]) -> None:
        """Raise `FetchFailed` for what is no URL, leads to where nothing is fetched from, or sends a key in clear."""
        from requests.utils import get_environ_proxies, select_proxy

        parts, at = urlsplit(url), urlsplit(place)
        is_http = at.scheme.lower() == "http"
        remedy = f"{CHECK_URL}; a server of your own is named in {PRIVATE_HOSTS_VARIABLE}"
        problem = ""
        if parts.scheme.lower() not in {"http", "https"} or not parts.hostname:
            problem, remedy = "not an http or https URL", "give a full URL: https://host/path"
        elif self._mirror and f"{place}/".startswith(f"{self._mirror}/"):
            problem = "" if place == url or parts.scheme.lower() == "https" else "it has no https:// address"
        else:
            proxy = select_proxy(place, get_environ_proxies(place))
            problem = self._private_hosts.refusal(place, is_proxied=proxy is not None)
        has_key = public_url(url) != url or any(map(is_secret_name, headers))
        if not problem and has_key and is_http and at.hostname not in LOCAL_HOSTS:
            problem = f"its key would be sent without encryption to {at.hostname}"
            remedy = f"give an https address (of the mirror: {MIRROR_VARIABLE}), or unset the key"
        if problem:
            raise FetchFailed(url=public_url(url), problem=problem, remedy=remedy)

    def _place_of(self, url: str) -> str:
        """Where a public URL is asked for: at its own host, or at the mirror."""
        parts = urlsplit(url)
        is_own = parts.hostname in LOCAL_HOSTS or f"{url}/".startswith(f"{self._mirror}/")
        if not self._mirror or is_own or not parts.hostname:
            return url
        usual = {"http": ":80", "https": ":443"}.get(parts.scheme.lower(), "")
        host = parts.netloc.rpartition("@")[2].lower().removesuffix(usual)
        return f"{self._mirror}/{host}{parts.path or '/'}" + (f"?{parts.query}" if parts.query else "")

    def _wait_for_turn(self, host: str) -> None:
        with self._turns_lock:
            turn = max(time.monotonic(), self._turns.get(host, 0.0))
            self._turns[host] = turn + self._intervals.get(host, self._min_interval_seconds)
        time.sleep(max(turn - time.monotonic(), 0))

    def _no_answer(self, url: str, problem: str, kind: type[NoAnswer] = NoAnswer) -> NoAnswer:
        place = self._place_of(url)
        mirror = f", at the mirror {public_url(self._mirror)}" if place != url else ""
        remedy = f"check the network and its proxy, or {LATER}"
        return kind(url=public_url(url), problem=problem + mirror, remedy=remedy)


def _received(
    shown: str, answer: requests.Response, body: IO[bytes], limit_bytes: int, is_conditional: bool
) -> Download:
    """Copy the body of a good answer; raise `StatusRefused` for any other."""
    status, headers = answer.status_code, answer.headers
    size = 0
    if status in {200, 203}:
        size = _copy_body(shown, answer, body, limit_bytes)
    elif status != HTTPStatus.NOT_MODIFIED or not is_conditional:
        # of the server's own words nothing is kept: they may repeat the request with its key
        phrase = HTTPStatus(status).phrase if status in set(HTTPStatus) else ""
        names = ("retry-after", "x-ratelimit-remaining", "x-ratelimit-reset")
        raise StatusRefused(
            url=shown,
            problem=f"the server answered {status} {phrase}".rstrip(),
            remedy=_REMEDIES.get(status, "look at the request: the source does not accept it as it is"),
            status=status,
            limits={name: headers[name] for name in names if name in headers},
        )
    content_type = headers.get("Content-Type", "").partition(";")[0].strip().lower()
    return Download(
        status=status,
        body=cast(BinaryIO, body),
        is_over_limit=size > limit_bytes,
        content_type=content_type or None,
        etag=headers.get("ETag"),
        last_modified=headers.get("Last-Modified"),
    )


def _copy_body(shown: str, answer: requests.Response, body: IO[bytes], limit_bytes: int) -> int:
    """Copy the decoded body, up to one byte over the limit, and return its size.

    urllib3 compares its length with Content-Length; `gzip`, unlike urllib3, notices that compressed data end too early.
    """
    from urllib3.exceptions import HTTPError

    encoding = answer.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in {"", "identity", "gzip", "x-gzip"}:
        problem = f"it came in the content encoding {encoding!r}, which was not asked for"
        raise FetchFailed(url=shown, problem=problem, remedy=CHECK_URL)
    stream = gzip.GzipFile(fileobj=answer.raw) if encoding.endswith("gzip") else answer.raw
    size = 0
    try:
        # whatever has come, at once: to fill a block can take a dripping server hours
        while size <= limit_bytes and (block := stream.read1(_BLOCK_BYTES)):
            size += body.write(block[: limit_bytes + 1 - size])
    except (HTTPError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise NoAnswer(url=shown, problem=f"the download broke off: {_cause(error)}", remedy=LATER) from None
    return size


def _pause_seconds(retry: Retry, failed: FetchFailed) -> float:
    from urllib3.exceptions import InvalidHeader

    if isinstance(failed, StatusRefused) and (wish := failed.limits.get("retry-after")):
        with suppress(InvalidHeader):  # an unreadable wish is no wish
            return max(retry.parse_retry_after(wish), 0.0)  # seconds or a date, at most retry_after_max
    return retry.get_backoff_time()


def _origin(url: str) -> list[str]:
    """Scheme and host as they are written: any other spelling is another host, and gets no key."""
    return url.split("/")[:3]


def _is_unconnected(error: Exception) -> bool:
    from urllib3.exceptions import ConnectTimeoutError, NewConnectionError

    reason = getattr(error.args[0], "reason", None) if error.args else None
    return isinstance(reason, ConnectTimeoutError | NewConnectionError)


def _cause(error: BaseException) -> str:
    """The innermost cause in words, without the URL that the libraries repeat; a server may have chosen them."""
    parts = [getattr(error, "reason", None), *error.args]
    if inner := next((part for part in parts if isinstance(part, Exception)), None):
        return _cause(inner)
    words = re.sub(r"[^ -~]+", " ", re.sub(r"^\w+\(.*?\): ", "", str(error)))[:200].strip()
    return public_url(words) or type(error).__name__
