"""A real HTTP server on this machine that plays any number of upstreams, well or badly, behind ACCELMART_MIRROR.

https://host/path?query arrives as /host/path?query. What a route answers is a `Reply`, or a function of the request;
faults are ordered per host and path, and per request. Everything asked is kept in `requests`.
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
    """One request as it came in; `url` is the public one."""

    number: int  # of its host, from 1
    method: str
    host: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]  # lower-case names
    body: bytes
    at: float  # monotonic seconds
    url: str

    @property
    def json(self):
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    """One answer. Without an `etag` of its own it has the digest of its body; "" is none."""

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


def with_bearer(
    key: str, reply: Reply | Answer, header: str = "authorization", scheme: str = "Bearer "
) -> Answer:
    """The reply for those who know the key; the others are told, with everything they sent, that they do not."""

    def answer(asked: Asked) -> Reply:
        if asked.headers.get(header) != scheme + key:
            return _unauthorised(asked)
        return reply(asked) if callable(reply) else reply

    return answer


def with_query_key(key: str, reply: Reply | Answer, name: str = "key") -> Answer:
    """The same for a key in the query."""

    def answer(asked: Asked) -> Reply:
        if asked.query.get(name) != key:
            return _unauthorised(asked)
        return reply(asked) if callable(reply) else reply

    return answer


def _unauthorised(asked: Asked) -> Reply:
    told = {
        "error": "unauthorised",
        "url": asked.url,
        "headers": dict(asked.headers),
        "body": asked.body.decode(),
    }
    return as_json(told, status=401)


@dataclass(frozen=True)
class Fault:
    """What goes wrong, for which requests: the first `skip` are spared, then `times` suffer (None: all).

    `spoil` may change the reply; `send` writes something else than HTTP should be.
    """

    name: str
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


def too_many_requests(retry_after: str = "1") -> Fault:
    reply = Reply(b"slow down", 429, "text/plain", {"Retry-After": retry_after}, etag="")
    return Fault("429 with Retry-After", lambda asked, _: reply)


def server_error(status: int = 500) -> Fault:
    return Fault(f"{status}", lambda asked, _: Reply(b"<h1>Oops</h1>", status, "text/html", etag=""))


def refusal(status: int) -> Fault:
    """A status no retry helps, whose body repeats all that was asked, keys included."""
    return Fault(f"{status}", lambda asked, _: replace(_unauthorised(asked), status=status))


def html_instead() -> Fault:
    """200 and a login page that repeats the URL."""

    def spoil(asked: Asked, _: Reply) -> Reply:
        return page(
            f"<!DOCTYPE html><title>Please log in</title><a href='/login?next={asked.url}'>log in</a>"
        )

    return Fault("HTML in place of data", spoil)


def not_json() -> Fault:
    return Fault("no JSON", lambda asked, reply: replace(reply, body=b"pardon?"))


def redirect_loop() -> Fault:
    return Fault(
        "redirect loop", lambda asked, _: Reply(b"", 302, "text/plain", {"Location": asked.url}, etag="")
    )


def changed_layout() -> Fault:
    """A page without anything its parser knows; JSON whose keys all have other names."""

    def renamed(value: object) -> object:
        if isinstance(value, dict):
            return {f"new_{key}": renamed(inner) for key, inner in value.items()}
        return [renamed(inner) for inner in value] if isinstance(value, list) else value

    def spoil(asked: Asked, reply: Reply) -> Reply:
        if "html" in reply.content_type:
            return page("<!DOCTYPE html><html><body><main><div>A fresh new look.</div></main></body></html>")
        try:
            return replace(reply, body=json.dumps(renamed(json.loads(reply.body))).encode())
        except ValueError:
            header, _, rest = reply.body.partition(b"\n")
            return replace(reply, body=header.upper()[::-1] + b"\n" + rest)

    return Fault("changed layout", spoil)


def endless_paging() -> Fault:
    """Always one more page, in the ways of the upstreams that have pages: a link, a token, a page that is full."""

    def spoil(asked: Asked, reply: Reply) -> Reply:
        document = json.loads(reply.body)
        if "NextPageLink" in document:
            query = {**asked.query, "$skip": str(int(asked.query.get("$skip", "0")) + 1000)}
            document["NextPageLink"] = f"https://{asked.host}{asked.path}?{urlencode(query)}"
        elif "nextPageToken" in document:
            document["nextPageToken"] = f"at-{1000 + asked.number}"
        else:
            (servers,) = (value for value in document.values() if isinstance(value, dict))
            more = int(asked.query["per_page"]) - len(servers)
            servers |= {
                f"M{asked.query['page']}-{i}": {"gpu": None, "hourly_price": 1.0} for i in range(more)
            }
        return replace(reply, body=json.dumps(document).encode())

    return Fault("endless paging", spoil)


def altered(change: Callable[[Asked, Reply], Reply]) -> Fault:
    return Fault("altered", change)


def reset_mid_body() -> Fault:
    """Half of the body, then the connection is torn down."""

    def send(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        _send_head(handler, reply, len(reply.body))
        handler.wfile.write(reply.body[: len(reply.body) // 2])
        handler.wfile.flush()
        time.sleep(0.05)  # let what was sent arrive before the reset overtakes it
        _tear_down(handler)

    return Fault("reset mid-body", send=send)


def dropped() -> Fault:
    """The connection is torn down without an answer; `ReplayServer.down` refuses connections altogether."""
    return Fault("dropped", send=lambda handler, _: _tear_down(handler))


def truncated_gzip() -> Fault:
    """Half of the compressed bytes, with a Content-Length that is right for them."""

    def send(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        packed = gzip.compress(reply.body, mtime=0)
        packed = packed[: len(packed) // 2]
        _send_head(handler, reply, len(packed), "gzip")
        handler.wfile.write(packed)

    return Fault("truncated gzip", send=send)


def slow_drip(pause_seconds: float = 0.05) -> Fault:
    """One byte, a pause, one byte: never silent for long and never done."""

    def send(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        _send_head(handler, reply, len(reply.body))
        for position in range(len(reply.body)):
            handler.wfile.write(reply.body[position : position + 1])
            handler.wfile.flush()
            if handler.server.stopping.wait(pause_seconds):  # type: ignore[attr-defined]
                return

    return Fault("slow drip", send=send)


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
        self.stopping = threading.Event()
        self.defects: list[BaseException] = []
        super().__init__(address, handler)

    def handle_error(self, request: object, client_address: object) -> None:
        error = sys.exc_info()[1]
        if error and not isinstance(error, OSError):  # a client that gives up is what many tests are about
            self.defects.append(error)


class ReplayServer:
    """Upstreams by host; use it as a context manager, and its `url` as ACCELMART_MIRROR.

    Attributes:
        requests: everything asked, in order.
        keys: environment variables with the keys its routes ask for.
    """

    def __init__(self) -> None:
        self.requests: list[Asked] = []
        self.keys: dict[str, str] = {}
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
        """Nobody listens: connections are refused."""
        self._stop()
        yield
        self._start()

    def on(self, url: str, reply: Reply | Answer) -> str:
        """Answer a public URL without its query; one that ends in ``*`` stands for all that begin like it."""
        parts = urlsplit(url)
        routes = self._routes.setdefault(parts.netloc, [])
        routes[:] = [(path, old) for path, old in routes if path != parts.path]
        routes.append((parts.path, reply))
        return url

    def fault(self, host: str, path_prefix: str, fault: Fault) -> None:
        """Let something go wrong; the latest fault that fits a request and is not used up counts."""
        self._faults.append((host, path_prefix, fault, [0]))

    def heal(self) -> None:
        """Take all faults away."""
        self._faults.clear()

    def asked(self, host: str, path_prefix: str = "/") -> list[Asked]:
        """The requests to a host, in order."""
        return [a for a in self.requests if a.host == host and a.path.startswith(path_prefix)]

    @property
    def hosts(self) -> list[str]:
        return sorted(self._routes)

    def _start(self) -> None:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer._answer(self)

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
        self._httpd.stopping.set()
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
        handler.wfile.write(body)

    def _heard(self, handler: BaseHTTPRequestHandler) -> tuple[Asked, Fault | None]:
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        parts = urlsplit(handler.path)
        host, _, path = parts.path.removeprefix("/").partition("/")
        with self._lock:
            asked = Asked(
                number=len(self.asked(host)) + 1,
                method=handler.command,
                host=host,
                path=f"/{path}",
                query=dict(parse_qsl(parts.query, keep_blank_values=True)),
                headers={name.lower(): value for name, value in handler.headers.items()},
                body=body,
                at=time.monotonic(),
                url=f"https://{host}/{path}{'?' if parts.query else ''}{parts.query}",
            )
            self.requests.append(asked)
            found = None
            for of_host, prefix, fault, seen in self._faults:
                if host == of_host and asked.path.startswith(prefix):
                    seen[0] += 1
                    if seen[0] > fault.skip and (fault.times is None or seen[0] <= fault.skip + fault.times):
                        found = fault
        return asked, found

    def _reply(self, asked: Asked) -> Reply:
        for path, reply in reversed(self._routes.get(asked.host, [])):
            if asked.path == path or (path.endswith("*") and asked.path.startswith(path[:-1])):
                return reply(asked) if callable(reply) else reply
        return Reply(b"not found", 404, "text/plain", etag="")
