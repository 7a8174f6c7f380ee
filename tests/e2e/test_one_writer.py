"""A second build or refresh during a running one: it exits with a message, or waits with the wait option."""

import threading
import time

import pytest
from filelock import FileLock
from home_copies import copy_home
from replay_world import world


@pytest.fixture(scope="module")
def home(built_home, tmp_path_factory):
    copy = tmp_path_factory.mktemp("writers") / "home"
    copy_home(built_home, copy)
    return copy


class Held:
    """Hold the build lock in another process until released, or for some seconds."""

    def __init__(self, home, seconds=None):
        self.lock = FileLock(home / "build.lock", thread_local=False)
        self.seconds = seconds

    def __enter__(self):
        self.lock.acquire()
        if self.seconds:
            threading.Timer(self.seconds, self.lock.release, kwargs={"force": True}).start()
        return self

    def __exit__(self, *_):
        self.lock.release(force=True)


def refresh(accelmart, home, price_data, *options):
    with world(price_data) as upstream:
        settings = {
            "ACCELMART_MIRROR": upstream.url,
            "NO_PROXY": "127.0.0.1",
        }
        return accelmart(home, "refresh", "ecb-reference-rates", *options, settings=settings)


def test_a_second_refresh_keeps_what_it_fetched_and_refuses_to_build(home, accelmart, price_data):
    with Held(home):
        done = refresh(accelmart, home, price_data)
    assert done.returncode == 4, done.stdout + done.stderr
    assert "another build is running" in done.stderr and "--wait" in done.stderr
    assert "Traceback" not in done.stderr
    assert "ecb-reference-rates: " in done.stdout and list((home / "landing").rglob("*.json"))


def test_a_refresh_without_a_build_ignores_the_build_lock(home, accelmart, price_data):
    with Held(home):
        done = refresh(accelmart, home, price_data, "--no-build")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_second_build_waits_with_the_wait_option(built_home, tmp_path, accelmart):
    home = tmp_path / "home"
    copy_home(built_home, home)
    seconds = 6  # longer than a command takes to start
    started = time.monotonic()
    with Held(home, seconds):
        done = accelmart(home, "build", "--wait", "120")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Nothing new" in done.stdout
    assert time.monotonic() - started >= seconds


def test_a_build_reports_that_its_wait_timed_out(home, accelmart):
    with Held(home):
        started = time.monotonic()
        done = accelmart(home, "build", "--wait", "1")
    assert done.returncode == 4 and "another build is running" in done.stderr
    assert time.monotonic() - started >= 1
