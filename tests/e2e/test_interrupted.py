"""A build that is interrupted ends its child processes and leaves no files of itself."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

ACCELMART = Path(sys.executable).with_name("accelmart")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_an_interrupted_build_ends_dbt_and_leaves_nothing(tmp_path, number, code):
    home = tmp_path / "home"
    process = subprocess.Popen(
        [ACCELMART, "build"],
        env={**os.environ, "ACCELMART_HOME": str(home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # a shell that starts a command in the background has it ignore Ctrl-C
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    deadline = time.monotonic() + 60
    while not (children := psutil.Process(process.pid).children(recursive=True)):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(number)
    assert process.wait(30) == code
    # where nothing reaps orphans, they stay in the process table
    _, alive = psutil.wait_procs(children, timeout=10)
    assert [child for child in alive if child.status() != psutil.STATUS_ZOMBIE] == []
    assert not (home / "accelmart.duckdb").exists() and not list((home / "builds").glob("*"))
