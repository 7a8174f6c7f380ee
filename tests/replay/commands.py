"""Run a command and keep its output, also where processes that it started outlive it."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from os import PathLike
from tempfile import TemporaryFile
from typing import Any


def run_command(
    arguments: Sequence[str | PathLike[str]], *, timeout: float, **more: Any
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, at most `timeout` seconds, and return its output as text.

    The output goes to files: a pipe would be read until the last process that holds it has ended, even after the time
    is up.
    """
    with TemporaryFile("w+", encoding="utf-8") as out, TemporaryFile("w+", encoding="utf-8") as err:
        done = subprocess.run(
            arguments, stdout=out, stderr=err, text=True, timeout=timeout, check=False, **more
        )
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read())
    return subprocess.CompletedProcess(arguments, done.returncode, *texts)
