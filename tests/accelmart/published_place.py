"""A place that a warehouse is published at, made by hand, and a server of its files."""

import gzip
import hashlib
import json
import mimetypes
from contextlib import contextmanager

import duckdb
from replay_server import ReplayServer, Reply

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


@contextmanager
def serve(folder):
    """Serve the files of a folder, whole or by ranges of bytes; yield the server, where it is the host "place", and its URL."""

    def file_asked_for(asked):
        file = folder / asked.path.removeprefix("/")
        if not file.is_file():
            return Reply(status=404, etag="")
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        content = file.read_bytes()
        if "range" not in asked.headers:
            return Reply(content, content_type=kind)
        first, _, last = asked.headers["range"].removeprefix("bytes=").partition("-")
        part = content[int(first) : int(last) + 1 if last else None]
        where = f"bytes {first}-{int(first) + len(part) - 1}/{len(content)}"
        return Reply(part, 206, kind, {"Content-Range": where}, etag="", is_gzip=False)

    with ReplayServer(answers_head=True) as server:
        server.on("https://place/*", file_asked_for)
        yield server, f"{server.url}/place"
