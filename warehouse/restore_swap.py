"""The last step of a restore: checked files take the place of those in the data root, also after a kill."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from warehouse.backup import INTERRUPTED, SWAP
from warehouse.files import sync_path
from warehouse.home import Home

FILES = "files"
"""Folder of the checked files below the folder of a restore."""


def finish_restore(home: Home) -> None:
    """Finish restores that were killed: those whose files were all checked; others are discarded.

    The caller holds `warehouse.locks.exclusive`, as a restore does.
    """
    for staging in sorted(home.root.glob(f"{INTERRUPTED}*")):
        if (staging / SWAP).exists():
            finish_swap(home.root, staging)
        shutil.rmtree(staging, ignore_errors=True)


def finish_swap(root: Path, staging: Path) -> None:
    """Do what the plan of a swap leaves to be done: move the replaced files aside, then the staged ones into `root`.

    The plan is removed when it is done: what is left of `staging` can then be removed in any order, also by
    another process. Renames stay within `root`, which may be a mount point.
    """
    plan = json.loads((staging / SWAP).read_text(encoding="utf-8"))
    aside = root / plan["aside"]
    moved: list[tuple[Path, Path]] = []
    try:
        if plan["aside"]:
            aside.mkdir(exist_ok=True)
        for name in plan["replaced"]:
            if not os.path.lexists(aside / name):
                moved.append((root / name, (root / name).rename(aside / name)))
        for path in sorted((staging / FILES).iterdir()):
            moved.append((path, path.rename(root / path.name)))
    except OSError:
        for before, now in reversed(moved):
            now.rename(before)
        (staging / SWAP).unlink()
        raise
    sync_path(root)
    (staging / SWAP).unlink()
