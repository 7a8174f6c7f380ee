"""Copies of a built data root that a test may change, and payloads landed there."""

import shutil
from pathlib import Path

import duckdb
from given_payloads import land_payload

from warehouse.publication.generation import as_kept, read_generation
from warehouse.publication.pointer import publication, publish_kept
from warehouse.storage.home import Home


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


def published_file(home):
    """Return the file of the published generation in the folder of those kept."""
    generation = read_generation(home / "accelmart.duckdb")
    return home / "generations" / f"{generation.generation_id}.duckdb"


def file_rows(database, query):
    """Return all rows of a query on a file of a warehouse."""
    with duckdb.connect(str(database), read_only=True) as db:
        return db.execute(query).fetchall()


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
    changed.path.chmod(0o444)
    publish_kept(home, changed)
    return rows


def land_given(home, source, key, origin):
    """Land a round of MLPerf, or a price list, from a file or folder."""
    landed = land_payload(Home(home, str(home / "landing")), source, key, origin)
    assert landed.outcome == "landed", (source, key)
