"""Dagster behind its guard as one foreground process, which leaves nothing behind when it ends."""

from __future__ import annotations

import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from types import FrameType
from typing import NoReturn

import psutil
import uvicorn

from ingest.core.errors import AccelmartError
from orchestration.guard import Guard

PATIENCE_S = 2.0
"""Time for a clean end; what still runs then is killed, so that all ends within five seconds."""
DEVELOPMENT = ("dagster", "dev", "--module-name", "orchestration.definitions", "--log-level", "warning")
"""Webserver, daemon and code location."""
WEBSERVER = ("dagster-webserver", "--dagster-log-level", "warning", "--workspace")
"""The webserver alone; the path of its workspace follows."""


def run_ui(
    program: Sequence[str],
    listen: tuple[str, int],
    environment: dict[str, str],
    *,
    public: str = "",
    say: Callable[[str], None],
) -> int:
    """Run a webserver of Dagster behind the guard until it ends, or until Ctrl-C or SIGTERM; then end all processes.

    Args:
        program: `DEVELOPMENT`, or `WEBSERVER` with its workspace.
        listen: address and port of the guard.
        environment: variables of the processes.
        public: URL at which people open it, where that is not this machine.
        say: prints the address, once it answers.

    Returns:
        Exit code: 0 after Ctrl-C or SIGTERM.

    Raises:
        AccelmartError: the port cannot be used.
    """
    addresses = [f"http://{name}:{listen[1]}" for name in ("127.0.0.1", "localhost", "[::1]")]
    host, port = _own_address()
    guard = Guard(host, port, [*addresses, public] if public else addresses)
    name, *options = program
    with _served(guard, listen):
        signal.signal(signal.SIGTERM, _interrupt)
        process = subprocess.Popen(
            [Path(sys.executable).with_name(name), *options, "--host", host, "--port", str(port)],
            env=environment,
            start_new_session=True,  # Ctrl-C of a terminal reaches this process alone, which passes it on
        )
        try:
            while process.poll() is None and not guard.answers():
                time.sleep(0.3)
            if process.poll() is None:
                say(f"Dagster: {public or addresses[0]}")
            return process.wait()
        except KeyboardInterrupt:
            return 0
        finally:
            end_family(process.pid)


def _own_address() -> tuple[str, int]:
    """Return where Dagster itself listens: nowhere that a web page could guess, as far as the system allows."""
    parts = [secrets.randbelow(254) + 1 for _ in range(3)] if sys.platform == "linux" else [0, 0, 1]
    host = "127.{}.{}.{}".format(*parts)
    with socket.create_server((host, 0)) as free:
        return host, free.getsockname()[1]


@contextmanager
def _served(guard: Guard, listen: tuple[str, int]) -> Iterator[None]:
    """Serve the guard in a thread."""
    try:
        listening = socket.create_server(listen)
    except OSError as e:
        raise AccelmartError(
            f"port {listen[1]} of {listen[0]} cannot be used ({e.strerror}): choose another one with --port"
        ) from e
    config = uvicorn.Config(
        guard.application,
        log_level="warning",
        server_header=False,  # Dagster's own are passed on
        date_header=False,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(PATIENCE_S)
        listening.close()


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def end_family(pid: int) -> None:
    """Interrupt a process, and kill it and its descendants if they have not ended after `PATIENCE_S`."""
    with suppress(psutil.NoSuchProcess):
        parent = psutil.Process(pid)
        family = [parent, *parent.children(recursive=True)]
        parent.send_signal(signal.SIGINT)
        _, alive = psutil.wait_procs(family, timeout=PATIENCE_S)
        for process in alive:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(alive, timeout=1)
