"""A real HTTP server on this machine, whose answers a test writes byte for byte."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from accelmart.http import HttpClient

# servers of tests have private addresses, which nothing is fetched from unless it is allowed
LocalClient = partial(HttpClient, private_hosts=["127.0.0.1", "localhost"])

Answer = Callable[[BaseHTTPRequestHandler], None]


class LocalServer:
    """Routes to lists of answers; each request takes the next one, the last one stays."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str]]] = []
        self._routes: dict[str, list[Answer]] = {}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                outer.requests.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
                answers = outer._routes.get(path)
                if not answers:
                    self.send_error(404)
                else:
                    (answers.pop(0) if len(answers) > 1 else answers[0])(self)

            def log_message(self, *args: object) -> None:
                pass

        self.httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.httpd.server_address[1]

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def on(self, path: str, *answers: Answer) -> str:
        """Set the answers of a path, return its URL."""
        self._routes[path] = list(answers)
        return self.url(path)

    def paths(self) -> list[str]:
        return [path for path, _ in self.requests]


def answer(status: int = 200, body: bytes = b"", length: int | None = None, **headers: str) -> Answer:
    """One answer; `length` is a Content-Length that may lie; header names have _ for -."""

    def send(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body) if length is None else length))
        handler.end_headers()
        handler.wfile.write(body)

    return send


def size_of(value: object) -> str | None:
    """A parameter's id that does not change with the clock in a gzip header."""
    return f"{len(value)} bytes" if isinstance(value, bytes) else None
