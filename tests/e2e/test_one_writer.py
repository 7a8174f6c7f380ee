"""A second build or refresh during a running one: it exits with a message, or waits with the wait option."""

import threading
import time

from filelock import FileLock
from replay_world import world


def build_lock(home):
    """A lock that another thread may release."""
    return FileLock(home / "build.lock", thread_local=False)


def test_a_second_refresh_keeps_what_it_fetched_and_refuses_to_build(spare_home, accelmart, price_data):
    with build_lock(spare_home), world(price_data) as upstream:
        settings = {"ACCELMART_MIRROR": upstream.url, "NO_PROXY": "127.0.0.1"}
        refresh = ["refresh", "ecb-reference-rates"]
        done = accelmart(spare_home, *refresh, settings=settings)
        assert done.returncode == 4, done.stdout + done.stderr
        assert "another build is running" in done.stderr and "Traceback" not in done.stderr
        assert "ecb-reference-rates: " in done.stdout and list((spare_home / "landing").rglob("*.json"))
        assert accelmart(spare_home, *refresh, "--no-build", settings=settings).returncode == 0


def test_a_second_build_waits_with_the_wait_option(copied_home, accelmart):
    seconds = 6  # longer than a command takes to start
    with build_lock(copied_home) as lock:
        started = time.monotonic()
        threading.Timer(seconds, lock.release, kwargs={"force": True}).start()
        done = accelmart(copied_home, "build", "--wait", "120")
    assert done.returncode == 0 and "Nothing new" in done.stdout, done.stdout + done.stderr
    assert time.monotonic() - started >= seconds
