"""Debian's real PostgreSQL server in a folder of its own, on a free port of this machine."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

BINARIES = max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)
PASSWORD = "pa:ss/wo@rd 1"  # characters that must be escaped in a URL


def as_server_user() -> list[str]:
    """Return the user to run PostgreSQL as: it refuses root, so `postgres` if that user exists."""
    if os.geteuid():
        return []
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]


@contextmanager
def postgres_server() -> Iterator[tuple[dict[str, str], Callable[[], None]]]:
    """Start a PostgreSQL server; yield settings for libpq, and a function that kills it and starts it again."""
    if BINARIES is None or not (BINARIES / "initdb").exists():
        pytest.skip("there is no PostgreSQL server in /usr/lib/postgresql (Debian package postgresql)")
    if not os.geteuid() and subprocess.run(["id", "postgres"], capture_output=True, check=False).returncode:
        pytest.skip("this is root, and there is no user postgres to run the server as")
    # a short path that the other user can read, unlike pytest's folders
    made = subprocess.check_output([*as_server_user(), "mktemp", "-d", "/tmp/accelmart-pg.XXXXXX"], text=True)
    folder = Path(made.strip())
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]

    def run(program: str, *arguments: object, **more: Any) -> None:
        done = subprocess.run(
            [*as_server_user(), BINARIES / program, *map(str, arguments)],
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
            timeout=180,
            **more,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    data, words, log = (folder / name for name in ("data", "password", "log"))
    subprocess.run(
        [*as_server_user(), "tee", words], input=PASSWORD, text=True, check=True, capture_output=True
    )
    options = f"-p {port} -c listen_addresses=127.0.0.1 -k {folder} -c fsync=off -c full_page_writes=off"
    settings = {
        "PGHOST": "127.0.0.1",
        "PGPORT": str(port),
        "PGUSER": "accelmart",
        "PGPASSWORD": PASSWORD,
        "PGDATABASE": "accelmart",
    }

    def start() -> None:
        # its output would keep our pipes open
        command = [
            *as_server_user(),
            BINARIES / "pg_ctl",
            "-D",
            data,
            "-l",
            log,
            "-w",
            "-o",
            options,
            "start",
        ]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(command, cwd="/", check=True, timeout=180, **quiet)

    def stop() -> None:
        run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")

    def restart() -> None:
        stop()
        start()

    try:
        new = ("-U", "accelmart", "--pwfile", words, "-A", "scram-sha-256", "--no-sync", "-E", "UTF8")
        run("initdb", "-D", data, *new)
        start()
        try:
            run("createdb", "accelmart", env={**os.environ, **settings})
            yield settings, restart
        finally:
            stop()
    finally:
        subprocess.run([*as_server_user(), "rm", "-r", folder], check=True)
