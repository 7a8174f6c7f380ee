"""The bundled prices, folded to intervals: the result is the same on every machine, so it is shipped.

To fold a hundred months takes five seconds of a first build. The files of folded months are named by a hash of what
they were folded from and of the rules that folded them (`warehouse.price_history`): a file that no longer fits is
not used.

``python -m warehouse.snapshot_folds`` (`make state`) packs them again after a change of the snapshot or of the fold.
"""

from __future__ import annotations

import io
import shutil
import tarfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, cast

from warehouse.files import sync_path
from warehouse.fingerprint import fold_rules
from warehouse.home import Home
from warehouse.lake import Lake
from warehouse.price_fold import MONTHS_FOLDER, Bundle

PACKED = Path(__file__).with_name("snapshot_folds.tar.xz")
_RULES = "rules"


def unpack(raw: Path, packed: Path = PACKED) -> bool:
    """Put the folded months of the bundled snapshot into a raw layer without any folded month.

    Args:
        raw: root of the raw layer. The caller holds `warehouse.locks.raw_layer`.
        packed: the archive.

    Returns:
        Whether they were put there: not where months are folded already, or where the archive is of other rules.
    """
    target = raw / MONTHS_FOLDER
    if target.exists() or not packed.exists():
        return False
    with tarfile.open(packed) as archive:
        rules = archive.extractfile(_RULES)
        if rules is None or rules.read().decode() != fold_rules():
            return False
        raw.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=f".{MONTHS_FOLDER}.", dir=raw) as folder:
            # not `extractall`: before Python 3.11.4 it knows no filter, and later it warns where none is given
            for member in archive.getmembers():
                path = Path(folder) / member.name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(cast(IO[bytes], archive.extractfile(member)).read())
            whole = Path(folder) / MONTHS_FOLDER
            with ThreadPoolExecutor(16) as pool:  # a disk writes many files at once faster than one by one
                list(pool.map(sync_path, whole.rglob("*")))
            whole.rename(target)
    sync_path(raw)
    return True


def pack(packed: Path = PACKED) -> int:
    """Fold the bundled snapshot and pack its months.

    Args:
        packed: the archive to write.

    Returns:
        The number of files packed.
    """
    with TemporaryDirectory() as folder:
        home = Home(Path(folder), str(Path(folder) / "landing"))
        files = []
        for history in Lake(home).price_histories():
            history.parse()
            files += _files_of(history.bundles())
        with tarfile.open(packed, "w:xz", preset=9) as archive:
            _add(archive, _RULES, fold_rules().encode())
            for file in sorted(files):
                _add(archive, file.relative_to(home.raw).as_posix(), file.read_bytes())
        shutil.rmtree(home.raw)
    return len(files)


def _files_of(bundles: Iterable[Bundle]) -> list[Path]:
    return [path for bundle in bundles for path in bundle.written()]


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(content), 0o644
    archive.addfile(member, io.BytesIO(content))


if __name__ == "__main__":
    print(f"{PACKED.name}: {pack()} files, {PACKED.stat().st_size:,} bytes")
