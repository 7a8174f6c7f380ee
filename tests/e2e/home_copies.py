"""Copies of a built data root that a test may change."""

import shutil
from pathlib import Path


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
