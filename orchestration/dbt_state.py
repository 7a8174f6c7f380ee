"""What follows from the dbt project without any data, shipped with the code: parsed once, not on every machine.

dbt takes ten seconds to parse the project, five to trace its columns, and ten for unit tests and tests of seeds, which
read no data. The results are the same on every machine, so they are packed beside the code, under the fingerprint of
the project and of the engines (`warehouse.fingerprint.dbt_rules`). Where that differs, because a file of the project or
a package is another, nothing of it is used but what dbt parsed before: dbt parses the changed files alone.

``accelmart build && python -m orchestration.dbt_state`` (`make state`) packs it again after a change.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
import sysconfig
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgpack

from ingest.core.errors import AccelmartError
from orchestration import settings
from warehouse.files import written_whole
from warehouse.fingerprint import dbt_rules, lineage_rules
from warehouse.home import DBT_PROJECT_DIR, Home
from warehouse.reuse import PASSED_FILE, are_rules_tested

PACKED = Path(__file__).with_name("dbt_state.tar.xz")
MANIFEST = "manifest.json"
STAMP = "manifest.fingerprint"
PARSED = "partial_parse.msgpack"
LOCK = "manifest.lock"
LINEAGE_FILE = "column_lineage.json"
_LINEAGE_CODE = Path(__file__).with_name("metadata.py")
_FILES = (STAMP, MANIFEST, PARSED, LINEAGE_FILE, PASSED_FILE)


def is_current(target: Path) -> bool:
    """Return whether a folder holds what dbt parsed of the present project, byte for byte.

    A file that was changed since it was written is removed: dbt would take damaged SQL from it.

    Args:
        target: `Home.dbt_target`.
    """
    try:
        fingerprint, _, digest = (target / STAMP).read_text(encoding="utf-8").partition(" ")
        if digest == _digest(target):
            return fingerprint == dbt_rules()
    except (OSError, ValueError):
        pass
    for name in (STAMP, MANIFEST, PARSED):
        (target / name).unlink(missing_ok=True)
    return False


def write_stamp(target: Path) -> None:
    """Record that a folder holds what dbt parsed of the present project, and the hash of it."""
    with written_whole(target / STAMP) as temporary:
        temporary.write_text(f"{dbt_rules()} {_digest(target)}", encoding="utf-8")


def _digest(target: Path) -> str:
    return hashlib.sha256(b"".join((target / name).read_bytes() for name in (MANIFEST, PARSED))).hexdigest()


def fingerprint_of(packed: Path = PACKED) -> str:
    """Return the fingerprint under which the state is packed; empty where there is none."""
    try:
        with tarfile.open(packed) as archive:
            member = archive.extractfile(STAMP)
            return member.read().decode() if member else ""
    except (FileNotFoundError, KeyError):
        return ""


def unpack(target: Path, packed: Path = PACKED) -> bool:
    """Put the packed state into dbt's folder.

    Args:
        target: `Home.dbt_target`, which holds no state of the present project.
        packed: the archive.

    Returns:
        Whether the packed state is that of the present project and engines. If not, the only thing unpacked is what dbt
        parsed, and that only where the folder has none.
    """
    packed_for = fingerprint_of(packed)
    is_of_project = packed_for == dbt_rules()
    wanted = (
        _FILES[1:] if is_of_project else () if (target / PARSED).exists() or not packed_for else (PARSED,)
    )
    if wanted:
        with tarfile.open(packed) as archive:
            for name in wanted:
                member = archive.extractfile(name)
                if member is None:
                    raise AccelmartError(f"{packed} has no file {name}. Restore it from the repository")
                with written_whole(target / name) as temporary:
                    temporary.write_bytes(member.read())
    if is_of_project:
        write_stamp(target)
    return is_of_project


def pack(home: Home, packed: Path = PACKED) -> None:
    """Pack the state of a data root whose warehouse was built from the present project.

    Args:
        home: the data root.
        packed: the archive to write.

    Raises:
        AccelmartError: something of the present project is missing there: it was not built from it.
    """
    target = home.dbt_target
    if (
        not is_current(target)
        or not are_rules_tested(home, json.loads((target / MANIFEST).read_text(encoding="utf-8")))
        or not read_lineage(target)
    ):
        raise AccelmartError(
            f"{home.root} was not built from the present dbt project. First: accelmart build"
        )
    contents = {name: (target / name).read_bytes() for name in _FILES} | {STAMP: dbt_rules().encode()}
    contents |= {name: _without_paths(contents[name]) for name in (MANIFEST, PARSED)}
    with written_whole(packed) as temporary, tarfile.open(temporary, "w:xz", preset=9) as archive:
        for name, content in contents.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def _without_paths(content: bytes) -> bytes:
    """Make paths of this machine relative to the project, dbt's working folder, and to the folder of packages."""
    relative = {str(DBT_PROJECT_DIR): ".", sysconfig.get_path("purelib"): "."}

    def shortened(value: Any) -> Any:
        if isinstance(value, str):
            for folder, place in relative.items():
                value = value.replace(folder, place)
            return value
        if isinstance(value, dict):
            return {k: shortened(v) for k, v in value.items()}
        return [shortened(v) for v in value] if isinstance(value, list) else value

    if content.startswith(b"{"):
        return json.dumps(shortened(json.loads(content))).encode()
    without: bytes = msgpack.packb(shortened(msgpack.unpackb(content, strict_map_key=False)))
    return without


def write_lineage(folder: Path, lineage: Mapping[str, Mapping[str, list[tuple[str, str]]]]) -> None:
    """Keep what `orchestration.metadata.column_lineage` found: it is the same until the dbt project changes."""
    kept = {"fingerprint": lineage_rules(_LINEAGE_CODE), "lineage": lineage}
    with written_whole(folder / LINEAGE_FILE) as temporary:
        temporary.write_text(json.dumps(kept), encoding="utf-8")


def read_lineage(
    folder: Path, *, of_any_project: bool = False
) -> dict[str, dict[str, list[tuple[str, str]]]]:
    """Return the lineage that was kept for the present dbt project, or for any; empty without any."""
    try:
        kept = json.loads((folder / LINEAGE_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    is_present = kept.get("fingerprint") == lineage_rules(_LINEAGE_CODE)
    return kept["lineage"] if is_present or of_any_project else {}


if __name__ == "__main__":
    try:
        pack(settings.home())
    except AccelmartError as e:
        sys.exit(str(e))
    print(f"{PACKED.name}: {PACKED.stat().st_size:,} bytes")
