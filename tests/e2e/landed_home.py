"""One installation in which the payloads of many tests are landed together, built once from an object store.

Each test file lands its own payloads and asserts on its own rows:

- generated rounds of the future (test_future.py);
- price lists with impossible prices (test_odd_prices.py);
- a collection from which results were withdrawn, and a cut summary of a round that is held in part (test_round_forms.py);
- one result that is better than all others (test_physical_limits.py);
- trees of training rounds, of which one is corrected (test_first_day.py).

The source that docs/how-to/add-a-source.md adds is fetched by the commands of the page, which also build (test_add_a_source.py).
A further build uses the store (test_object_storage.py).
"""

import shutil
from pathlib import Path
from types import SimpleNamespace

import fsspec
import pytest
import test_add_a_source
import test_first_day
import test_future
import test_odd_prices
import test_physical_limits
import test_round_forms
from home_copies import copy_home
from object_store import settings_of, used_here

LANDING = "s3://warehouses/landing"


def land_everything(home, folder, mlperf_data):
    """Land the payloads of all test files that build here.

    Returns:
        Results that the landed collection lacks (location → result), or None without real releases.
    """
    test_future.land_payloads(home, folder / "future")
    test_odd_prices.land_payloads(home, folder / "odd")
    test_physical_limits.land_better(home, folder / "limits")
    if mlperf_data is None:
        return None
    test_first_day.land_payloads(home, folder / "rounds", mlperf_data)
    return test_round_forms.land_payloads(home, folder / "forms", mlperf_data)


def build_from_store(accelmart, built_home, folder, address, mlperf_data):
    """Land everything on disk, move it to an object store, and follow the page that adds a source, which builds.

    Args:
        accelmart: runs the command on a home.
        built_home: a built data root, which is copied.
        folder: folder for the copy and for payloads.
        address: of an S3 server.
        mlperf_data: folder of real MLPerf payloads, or None.

    Returns:
        `home`, `settings` of the store, `lacked` (see `land_everything`), `page` (output of each command of the page),
        `again` (output of a second build).
    """
    home = copy_home(built_home, folder / "home")
    lacked = land_everything(home, folder, mlperf_data)
    with pytest.MonkeyPatch.context() as patch, used_here(patch, address):
        fsspec.filesystem("s3").put(f"{home}/landing/", f"{LANDING}/", recursive=True)
    shutil.rmtree(home / "landing")
    checkout = test_add_a_source.write_checkout(folder / "checkout")
    settings = {**settings_of(address), "ACCELMART_LANDING": LANDING, "PYTHONPATH": str(checkout)}

    def must(*arguments, cwd: Path = folder):
        done = accelmart(home, *arguments, settings=settings, timeout=900, cwd=cwd)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    page = [must(*command) for command in test_add_a_source.commands(folder)]
    again = must("build")
    return SimpleNamespace(home=home, settings=settings, lacked=lacked, page=page, again=again)
