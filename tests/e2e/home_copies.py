"""Copies of a built data root that a test may change, and payloads landed there."""

import shutil
from pathlib import Path

import duckdb

from ingest.mlperf.registry import MLPERF_SOURCES
from ingest.prices.registry import PRICE_SOURCES
from orchestration.defs.mlperf.landing import FetchConfig, land
from orchestration.list_landing import PriceFetchConfig, land_lists
from warehouse.home import Home
from warehouse.publish import as_kept, make_read_only, place, publication, write_publication


def shared_mark(home):
    """Return the file that marks a data root as one that no test may change."""
    return Path(f"{home}.shared")


def copy_home(built, to):
    """Copy a data root with all but its locks and builds.

    Args:
        built: the data root.
        to: the copy, which must not be there yet.
    """
    return shutil.copytree(built, to, symlinks=True, ignore=shutil.ignore_patterns("*.lock", "builds"))


def change_published(root, *statements):
    """Run statements on the published generation, as if it had been published so.

    Args:
        root: a data root that nobody else uses.
        statements: SQL.

    Returns:
        The rows of each statement.
    """
    home = Home(root, str(root / "landing"))
    generation = publication(home).generation
    generation.path.chmod(0o644)
    with duckdb.connect(str(generation.path)) as db:
        rows = [db.execute(statement).fetchall() for statement in statements]
    changed = as_kept(home, generation, generation.path)
    make_read_only(changed.path, changed)
    write_publication(home, changed)
    place(home, changed)
    return rows


# as the landing assets do: `accelmart fetch` would start Dagster for each
def land_round(home, source, key, origin):
    """Land a round of MLPerf from a file or folder."""
    landed = land(
        Home(home, str(home / "landing")), MLPERF_SOURCES[source], key, FetchConfig(origin=str(origin))
    )
    assert landed.outcome == "landed", (source, key, landed.reason)


def land_list(home, source, key, origin):
    """Land a price list from a file."""
    config = PriceFetchConfig(key=key, origin=str(origin))
    (fetched,) = land_lists(Home(home, str(home / "landing")), PRICE_SOURCES[source], config)
    assert fetched.payload and fetched.payload.outcome == "landed", (source, key, fetched.problem)
