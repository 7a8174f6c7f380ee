"""One installation in which the payloads of many tests are landed together, built once from an object store.

Each test file lands its own payloads and asserts on its own rows:

- generated rounds and price lists of the future, and rounds of training (test_future.py);
- price lists with impossible prices (test_odd_prices.py);
- a collection that lacks results, and the summary of a round that was held in part (test_round_forms.py);
- values across thirty orders of magnitude, and one better result (test_physical_limits.py).

The source that docs/how-to/add-a-source.md adds is fetched by the commands of the page, which also build (test_add_a_source.py).
What they parse and give to dbt equals what the same payloads on disk give (test_object_storage.py).
"""

from pathlib import Path
from types import SimpleNamespace

import fsspec
import pytest
import test_add_a_source
import test_future
import test_odd_prices
import test_physical_limits
import test_round_forms
from home_copies import copy_home, land_given
from object_store import settings_of, used_here
from small_training import small_training_round

LANDING, READERS = "s3://warehouses/landing", "s3://warehouses/readers"


def land_small_training_round(home, folder):
    for path, text in small_training_round().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    land_given(home, "mlperf-training", "v9.8", folder)


def land_everything(home, folder, mlperf_data):
    """Land the payloads of all test files that build here.

    Returns:
        Results that the landed collection lacks (location → result), or None without real releases.
    """
    land_small_training_round(home, folder / "training_results_v9.8")
    test_future.land_payloads(home, folder / "future", mlperf_data)
    test_odd_prices.land_payloads(home, folder / "odd")
    test_physical_limits.land_better(home, folder / "limits")
    return test_round_forms.land_payloads(home, folder / "forms", mlperf_data) if mlperf_data else None


def build_from_store(accelmart, built_home, folder, address, mlperf_data):
    """Land everything on disk, move it to an object store, and follow the page that adds a source, which builds.

    Args:
        accelmart: runs the command on a home.
        built_home: a built data root, which is copied.
        folder: folder for the copy and for payloads.
        address: of an S3 server.
        mlperf_data: folder of real MLPerf payloads, or None.

    Returns:
        `home`, `disk` (the same payloads, unbuilt), `settings` of the store, `lacked` (see `land_everything`), `page` (output
        of each command of the page), `again` and `published` (outputs of a second build, and of a publication to the store).
    """
    home, disk = copy_home(built_home, folder / "home"), folder / "disk"
    lacked = land_everything(home, folder, mlperf_data)
    disk.mkdir()
    (home / "landing").rename(disk / "landing")
    with pytest.MonkeyPatch.context() as patch, used_here(patch, address):
        fsspec.filesystem("s3").put(f"{disk}/landing/", f"{LANDING}/", recursive=True)
    checkout = test_add_a_source.write_checkout(folder / "checkout")
    settings = {**settings_of(address), "ACCELMART_LANDING": LANDING, "PYTHONPATH": str(checkout)}

    def must(*arguments, cwd: Path = folder):
        done = accelmart(home, *arguments, settings=settings, timeout=900, cwd=cwd)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    page = [must(*command) for command in test_add_a_source.commands(folder)]
    return SimpleNamespace(
        home=home, disk=disk, address=address, settings=settings, lacked=lacked, page=page,
        again=must("build"), published=must("publish", "--to", READERS),
    )  # fmt: skip
