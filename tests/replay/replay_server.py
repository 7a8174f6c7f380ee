"""A local HTTP server that replays any number of upstreams, with or without faults, behind ACCELMART_MIRROR.

https://host/path?query arrives as /host/path?query. A route returns a `Reply`, or is a function of the request; faults
are set per host and path, and per request. `requests` records all requests.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlencode, urlsplit


@dataclass(frozen=True)
class Asked:
    """One received request; `url` is the public URL."""

    method: str
    host: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]  # lower-case names
    body: bytes
    url: str

    @property
    def json(self):
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    """One response. `etag` None means the digest of the body; "" means no ETag."""

    body: bytes = b""
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    etag: str | None = None
    is_gzip: bool = True

    @property
    def validator(self) -> str:
        return f'"{hashlib.sha256(self.body).hexdigest()[:16]}"' if self.etag is None else self.etag


Answer = Callable[[Asked], Reply]


def as_json(document: object, **more) -> Reply:
    return Reply(json.dumps(document).encode(), **more)


def page(html: str | bytes, **more) -> Reply:
    return Reply(
        html.encode() if isinstance(html, str) else html, content_type="text/html; charset=utf-8", **more
    )


@dataclass(frozen=True)
class Fault:
    """A fault: it skips the first `skip` requests and affects the next `times` (None: all).

    `spoil` changes the reply; `send` writes raw bytes instead of a valid response.
    """

    spoil: Callable[[Asked, Reply], Reply] | None = None
    send: Callable[[BaseHTTPRequestHandler, Reply], None] | None = None
    times: int | None = None
    skip: int = 0

    def once(self) -> Fault:
        return replace(self, times=1)

    def for_first(self, times: int) -> Fault:
        return replace(self, times=times)

    def after(self, skip: int) -> Fault:
        return replace(self, skip=skip)


def altered(change: Callable[[Asked, Reply], Reply]) -> Fault:
    return Fault(change)


def too_many_requests(retry_after: str = "1") -> Fault:
    reply = Reply(b"slow down", 429, "text/plain", {"Retry-After": retry_after}, etag="")
    return altered(lambda asked, _: reply)


def server_error(status: int = 500) -> Fault:
    return altered(lambda asked, _: Reply(b"<h1>Oops</h1>", status, "text/html", etag=""))


def refusal(status: int) -> Fault:
    """Return a permanent error status; the body repeats the request, including keys."""

    def spoil(asked: Asked, _: Reply) -> Reply:
        return as_json(
            {"url": asked.url, "headers": {**asked.headers}, "body": asked.body.decode()}, status=status
        )

    return altered(spoil)


def html_instead() -> Fault:
    """200 and a login page that repeats the URL."""
    body = "<!DOCTYPE html><title>Please log in</title><a href='/login?next={}'>log in</a>"
    return altered(lambda asked, _: page(body.format(asked.url)))


def not_json() -> Fault:
    return altered(lambda asked, reply: replace(reply, body=b"pardon?"))


def redirect_loop() -> Fault:
    return altered(lambda asked, _: Reply(b"", 302, "text/plain", {"Location": asked.url}, etag=""))


def changed_layout() -> Fault:
    """Replace a page by one that its parser does not know, and rename all keys of JSON."""

    def renamed(value: object) -> object:
        if isinstance(value, dict):
            return {f"new_{key}": renamed(inner) for key, inner in value.items()}
        return [renamed(inner) for inner in value] if isinstance(value, list) else value

    def spoil(asked: Asked, reply: Reply) -> Reply:
        if "html" in reply.content_type:
            return page("<!DOCTYPE html><html><body><main><div>A fresh new look.</div></main></body></html>")
        return replace(reply, body=json.dumps(renamed(json.loads(reply.body))).encode())

    return altered(spoil)


def endless_paging() -> Fault:
    """Always announce one more page by link, as Azure does."""

    def spoil(asked: Asked, reply: Reply) -> Reply:
        query = {**asked.query, "$skip": str(int(asked.query.get("$skip", "0")) + 1000)}
        link = {"NextPageLink": f"https://{asked.host}{asked.path}?{urlencode(query)}"}
        return replace(reply, body=json.dumps(json.loads(reply.body) | link).encode())

    return altered(spoil)


def reset_mid_body() -> Fault:
    """Send half of the body, then reset the connection."""

    def send(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        _send_head(handler, reply, len(reply.body))
        handler.wfile.write(reply.body[: len(reply.body) // 2])
        handler.wfile.flush()
        time.sleep(0.05)  # let the bytes arrive before the reset
        _tear_down(handler)

    return Fault(send=send)


def dropped() -> Fault:
    """Reset the connection without a response; `ReplayServer.down` refuses connections."""
    return Fault(send=lambda handler, _: _tear_down(handler))


def truncated_gzip() -> Fault:
    """Send half of the compressed bytes with a matching Content-Length."""

    def send(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        packed = gzip.compress(reply.body, mtime=0)
        packed = packed[: len(packed) // 2]
        _send_head(handler, reply, len(packed), "gzip")
        handler.wfile.write(packed)

    return Fault(send=send)


def _send_head(
    handler: BaseHTTPRequestHandler, reply: Reply, length: int, encoding: str | None = None
) -> None:
    handler.send_response(reply.status)
    handler.send_header("Content-Type", reply.content_type)
    for name, value in reply.headers.items():
        handler.send_header(name, value)
    if reply.validator and reply.status in (200, 304):
        handler.send_header("ETag", reply.validator)
    if encoding:
        handler.send_header("Content-Encoding", encoding)
    handler.send_header("Content-Length", str(length))
    handler.end_headers()


def _tear_down(handler: BaseHTTPRequestHandler) -> None:
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()
    handler.close_connection = True


class _Httpd(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self.defects: list[BaseException] = []
        super().__init__(address, handler)

    def handle_error(self, request: object, client_address: object) -> None:
        error = sys.exc_info()[1]
        if error and not isinstance(error, OSError):  # expected: many tests check that the client gives up
            self.defects.append(error)


class ReplayServer:
    """Upstreams by host; use it as a context manager, and its `url` as ACCELMART_MIRROR.

    Attributes:
        requests: all requests, in order.
    """

    def __init__(self, *, answers_head: bool = False) -> None:
        self._answers_head = answers_head  # most upstreams here expect a query
        self.requests: list[Asked] = []
        self._routes: dict[str, list[tuple[str, Reply | Answer]]] = {}
        self._faults: list[tuple[str, str, Fault, list[int]]] = []
        self._lock = threading.Lock()
        self._httpd: _Httpd | None = None
        self._port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> ReplayServer:
        self._start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop()

    @contextmanager
    def down(self) -> Iterator[None]:
        """Refuse connections."""
        self._stop()
        yield
        self._start()

    def on(self, url: str, reply: Reply | Answer) -> str:
        """Add a route for a public URL without its query; a trailing ``*`` matches every URL with that prefix."""
        parts = urlsplit(url)
        routes = self._routes.setdefault(parts.netloc, [])
        routes[:] = [(path, old) for path, old in routes if path != parts.path]
        routes.append((parts.path, reply))
        return url

    def fault(self, host: str, path_prefix: str, fault: Fault) -> None:
        """Add a fault; of several that match a request, the latest that is not used up applies.

        A fault of a whole host spares its /robots.txt, so that what is asked for is what goes wrong.
        """
        self._faults.append((host, path_prefix, fault, [0]))

    def heal(self) -> None:
        """Remove all faults."""
        self._faults.clear()

    def asked(self, host: str, path_prefix: str = "/") -> list[Asked]:
        """Return the requests to a host, in order."""
        return [a for a in self.requests if a.host == host and a.path.startswith(path_prefix)]

    def _start(self) -> None:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer._answer(self)

            def do_HEAD(self) -> None:
                if outer._answers_head:
                    outer._answer(self)
                else:
                    self.send_error(501)

            def do_POST(self) -> None:
                outer._answer(self)

            def log_message(self, *args: object) -> None:
                pass

        self._httpd = _Httpd(("127.0.0.1", self._port), Handler)
        self._port = self._httpd.server_address[1]
        self._thread = threading.Thread(
            target=self._httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    def _stop(self) -> None:
        assert self._httpd is not None
        self._httpd.shutdown()
        self._httpd.server_close()
        self._thread.join()
        assert not self._httpd.defects, f"a route or fault of the replay is wrong: {self._httpd.defects[0]!r}"

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        asked, fault = self._heard(handler)
        reply = self._reply(asked)
        if fault and fault.spoil:
            reply = fault.spoil(asked, reply)
        if fault and fault.send:
            fault.send(handler, reply)
            return
        if reply.status == 200 and reply.validator and asked.headers.get("if-none-match") == reply.validator:
            _send_head(handler, replace(reply, status=304), 0)
            return
        body, encoding = reply.body, None
        if reply.is_gzip and body and "gzip" in asked.headers.get("accept-encoding", ""):
            body, encoding = gzip.compress(body, 1, mtime=0), "gzip"
        _send_head(handler, reply, len(body), encoding)
        if asked.method != "HEAD":
            handler.wfile.write(body)

    def _heard(self, handler: BaseHTTPRequestHandler) -> tuple[Asked, Fault | None]:
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        parts = urlsplit(handler.path)
        host, _, path = parts.path.removeprefix("/").partition("/")
        with self._lock:
            asked = Asked(
                method=handler.command,
                host=host,
                path=f"/{path}",
                query=dict(parse_qsl(parts.query, keep_blank_values=True)),
                headers={name.lower(): value for name, value in handler.headers.items()},
                body=body,
                url=f"https://{host}/{path}{'?' if parts.query else ''}{parts.query}",
            )
            self.requests.append(asked)
            matching = None
            for of_host, prefix, fault, seen in self._faults:
                is_spared = asked.path == "/robots.txt" and prefix == "/"
                if host == of_host and asked.path.startswith(prefix) and not is_spared:
                    seen[0] += 1
                    if seen[0] > fault.skip and (fault.times is None or seen[0] <= fault.skip + fault.times):
                        matching = fault
        return asked, matching

    def _reply(self, asked: Asked) -> Reply:
        for path, reply in reversed(self._routes.get(asked.host, [])):
            if asked.path == path or (path.endswith("*") and asked.path.startswith(path[:-1])):
                return reply(asked) if callable(reply) else reply
        return Reply(b"not found", 404, "text/plain", etag="")
