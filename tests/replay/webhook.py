"""A receiver of alerts on 127.0.0.1: Apprise's JSON over HTTP."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Receiver:
    """Accepts POSTs of alerts at its `url`; a context manager.

    Attributes:
        taken: (status of the response, path, body) of each request.
        statuses: HTTP statuses of the next responses; 200 after them.
    """

    def __init__(self, path: str = "/hooks/accelmart") -> None:
        self.taken: list[tuple[int, str, dict]] = []
        self.statuses: list[int] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status = outer.statuses.pop(0) if outer.statuses else 200
                outer.taken.append((status, self.path, body))
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"json://127.0.0.1:{self._server.server_address[1]}{path}"

    def __enter__(self) -> Receiver:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def alerts(self) -> list[tuple[str, str]]:
        """Return (type, title) of every item of an accepted message, in order."""
        return [
            (body["type"], line.removeprefix("* "))
            for status, _, body in self.taken
            if status == 200
            for line in body["message"].splitlines()
            if line.startswith("* ")
        ]
