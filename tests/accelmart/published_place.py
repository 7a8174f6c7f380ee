"""A place that a warehouse is published at, made by hand, and a real HTTP server of a folder with ETags."""

import gzip
import hashlib
import json
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import duckdb

WATTS = {"20260101T000000-aaaaaa": 700, "20260202T000000-bbbbbb": 1000}
FIRST, SECOND = WATTS


def write_warehouse(path, generation_id):
    """A file with what a build leaves at least; the figures are made up."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect(str(path)) as db:
        db.execute("create table part as select 'h100' as accelerator_id, ? as tdp_w", [WATTS[generation_id]])
        db.execute("create table ops_generation as select ? as generation_id", [generation_id])
    return path


def write_place(folder, generation_id, compressed=False):
    """Publish a generation in a folder as `accelmart publish` does; the earlier one is removed."""
    for old in folder.glob("generations/*/*"):
        old.unlink()
    path = f"generations/{generation_id}/accelmart.duckdb"
    content = write_warehouse(folder / path, generation_id).read_bytes()
    stated = {"path": path, "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    if compressed:
        stated["gzip"] = f"{path}.gz"
        (folder / stated["gzip"]).write_bytes(gzip.compress(content))
    (folder / "latest.json").write_text(json.dumps({"generation_id": generation_id, "database": stated}))
    return folder


class Served:
    """A folder behind HTTP.

    Attributes:
        url: of the folder.
        requests: (path, status) of each request.
        faults: statuses (or "cut": half of the body) of the next requests for files that end so.
        before: called with the path before an answer.
    """

    def __init__(self):
        self.requests, self.faults, self.url = [], {}, ""
        self.before = lambda path: None


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, served, *args, **kwargs):
        self.served = served
        super().__init__(*args, **kwargs)

    def do_GET(self):
        self.served.before(self.path)
        file = self.translate_path(self.path)
        ending = self.path.rpartition(".")[2]
        fault = self.served.faults.get(ending, [])
        fault = fault.pop(0) if fault else 0
        if isinstance(fault, int) and fault:
            return self._answer(fault, b"")
        try:
            with open(file, "rb") as opened:
                content = opened.read()
        except OSError:
            return self._answer(404, b"")
        etag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
        if self.headers.get("If-None-Match") == etag:
            return self._answer(304, b"")
        return self._answer(200, content, etag, cut=fault == "cut")

    def _answer(self, status, content, etag=None, cut=False):
        self.served.requests.append((self.path, status))
        self.send_response(status)
        if etag:
            self.send_header("ETag", etag)
        if status != 304:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if cut else content)
        self.close_connection = cut

    def log_message(self, *args):
        pass


class _Server(ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """A client that closes its connection early is no error of the server."""


@contextmanager
def serve(folder):
    """Serve a folder on this machine; yield what it is asked for."""
    served = Served()
    with _Server(("127.0.0.1", 0), partial(_Handler, served, directory=str(folder))) as server:
        served.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()
