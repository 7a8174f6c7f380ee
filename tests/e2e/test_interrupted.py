"""A build that is interrupted ends its child processes and leaves no files of itself; one that is killed costs nothing published."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from home_copies import published_file

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
    assert process.wait(120) == code
    # where nothing reaps orphans, they stay in the process table
    _, alive = psutil.wait_procs(children, timeout=60)
    assert [child for child in alive if child.status() != psutil.STATUS_ZOMBIE] == []
    assert not (home / "accelmart.duckdb").exists() and not list((home / "builds").glob("*"))


READER = """
import duckdb, sys
db = duckdb.connect(sys.argv[1], read_only=True)
ask = "select generation_id, (select count(*) from fct_inference_result) > 30000 from ops_generation"
print(*db.execute(ask).fetchone(), flush=True)
sys.stdin.readline()  # the other side publishes meanwhile
print(*db.execute(ask).fetchone(), flush=True)
"""


def kill_a_build(home):
    """Start a build and kill it while dbt writes its file."""
    file = home / "builds" / "current" / "build.duckdb"
    with subprocess.Popen(
        [ACCELMART, "build", "--force"],
        env={"PATH": "/usr/bin:/bin", "ACCELMART_HOME": str(home), "HOME": str(home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as build:
        until = time.monotonic() + 600
        while not (file.exists() and file.stat().st_size > 1_000_000):
            assert build.poll() is None and time.monotonic() < until, "the build does not write its file"
            time.sleep(0.1)
        build.send_signal(signal.SIGKILL)


def killed_build(home):
    """Open a reader on the first build, kill the next one, and have the reader ask again after the second."""
    yield
    with subprocess.Popen(
        [sys.executable, "-c", READER, home / "accelmart.duckdb"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as reader:
        read = [reader.stdout.readline().strip()]
        kill_a_build(home)
        left, published = [p.name for p in (home / "builds").iterdir()], published_file(home)
        yield
        left_after = [p.name for p in (home / "builds").iterdir() if not p.is_symlink()]
        reader.stdin.write("\n")
        reader.stdin.flush()
        read.append(reader.stdout.readline().strip())
    yield SimpleNamespace(read=read, left=left, published=published, left_after=left_after)


@pytest.mark.xdist_group("operated")
def test_a_build_killed_while_it_writes_leaves_the_published_warehouse(operated):
    seen = operated.killed_build
    assert seen.left == ["current"] and seen.published == operated.first  # it opens and answers
    assert operated.second.stem > operated.first.stem
    assert seen.left_after == [], "folders of killed builds are swept"


@pytest.mark.xdist_group("operated")
def test_readers_stay_and_generations_roll_back(operated, accelmart):
    """An open reader goes on with the old data; a new process sees the new; three generations stay."""
    home, old, first, new = operated.home, operated.before, operated.first, operated.second
    assert operated.killed_build.read == [f"{first.stem} True"] * 2
    assert {*(home / "generations").glob("*.duckdb")} == {old, first, new}
    for to, code, then in (
        (["--to", old.stem], 0, old),
        ([], 1, old),  # nothing older is kept
        (["--to", new.stem], 0, new),
        ([], 0, first),
        (["--to", new.stem], 0, new),  # for who reads it after this
    ):
        assert accelmart(home, "rollback", *to, here=True).returncode == code
        assert published_file(home) == then
