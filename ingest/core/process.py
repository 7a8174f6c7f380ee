"""End a process without taking it apart."""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress
from typing import NoReturn


def end_process(code: int) -> NoReturn:
    """End this process after its exit handlers, and leave its memory to the operating system.

    With Dagster or dbt loaded the interpreter takes a second to free what they hold, object by object.

    Args:
        code: exit code.
    """
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nobody reads it any more
            stream.flush()
    os._exit(code)
