"""Dagster's webserver and daemon as one foreground process, which leaves nothing behind when it ends."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

import psutil

PATIENCE_S = 2.0
"""Time for a clean end; what still runs then is killed, so that all ends within five seconds."""


def run_ui(port: int, environment: dict[str, str]) -> int:
    """Run `dagster dev` on 127.0.0.1 until it ends, or until Ctrl-C or SIGTERM; then end all of its processes.

    Args:
        port: of the webserver.
        environment: variables of the processes.

    Returns:
        Exit code: 0 after Ctrl-C or SIGTERM.
    """
    signal.signal(signal.SIGTERM, _interrupt)
    dagster = str(Path(sys.executable).with_name("dagster"))
    process = subprocess.Popen(
        [dagster, "dev", "-m", "orchestration.definitions", "-h", "127.0.0.1", "-p", str(port)],
        env=environment,
        start_new_session=True,  # Ctrl-C of a terminal reaches this process alone, which passes it on
    )
    try:
        return process.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        end_family(process.pid)


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
