"""Copies of a built data root that a test may change."""

import hashlib
import pprint
import shutil
from functools import cache
from pathlib import Path

import msgpack
import yaml

from warehouse.build import environment
from warehouse.home import DBT_PROJECT_DIR, Home


def shared_mark(home):
    """Return the file that marks a data root as one that no test may change."""
    return Path(f"{home}.shared")


def copy_home(built, to):
    """Copy a data root with all but its locks and builds.

    What dbt parsed comes along as if it had been parsed in the copy: it holds the paths of its data root, and dbt parses
    the whole project anew, with every build, where they are others.

    Args:
        built: the data root.
        to: the copy, which must not be there yet.
    """
    shutil.copytree(built, to, symlinks=True, ignore=shutil.ignore_patterns("*.lock", "builds"))
    path = to / "dbt" / "partial_parse.msgpack"
    parsed = msgpack.unpackb(path.read_bytes(), strict_map_key=False)
    parsed = _replaced(parsed, str(built), str(to))
    parsed["state_check"]["profile_hash"]["checksum"] = _profile_hash(to)
    path.write_bytes(msgpack.packb(parsed))
    return to


def _replaced(value, old, new):
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, dict):
        return {k: _replaced(v, old, new) for k, v in value.items()}
    if isinstance(value, list):
        return [_replaced(v, old, new) for v in value]
    return value


def _profile_hash(root):
    """As dbt makes it (ManifestLoader.build_manifest_state_check). Were it another, dbt would only parse anew."""
    from dbt.adapters.duckdb.credentials import DuckDBCredentials

    database = environment(Home(root, str(root / "landing")))["ACCELMART_BUILD_DB"]
    settings = DuckDBCredentials.translate_aliases(_profile() | {"path": database, "schema": "main"})
    credentials = DuckDBCredentials.from_dict(DuckDBCredentials.__pre_deserialize__(settings))
    return hashlib.sha256(pprint.pformat(sorted(credentials.connection_info())).encode()).hexdigest()


@cache
def _profile():
    profiles = yaml.safe_load(Path(DBT_PROJECT_DIR, "profiles.yml").read_text(encoding="utf-8"))
    settings = profiles["accelmart"]["outputs"]["build"]
    return {name: value for name, value in settings.items() if name not in ("type", "threads")}
