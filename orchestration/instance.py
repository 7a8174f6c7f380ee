"""Dagster's instance of this installation: its folder, its settings, and how it is opened."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
from yaml import YAMLError

from ingest.core.errors import AccelmartError
from orchestration import settings
from warehouse.storage.home import DBT_PROJECT_DIR, Home

_SERVER_SETTINGS = DBT_PROJECT_DIR.parent / "deploy" / "dagster.yaml"
_HEADER = "# Run history of the command line and the UI. Settings: https://docs.dagster.io/deployment/oss/dagster-yaml\n"


class DagsterSettingsError(AccelmartError):
    """Dagster's settings cannot be used; nothing was done."""


def ensure_dagster_home(home: Home) -> None:
    """See that ``DAGSTER_HOME`` is set, by default to ``dagster/`` below the data root, and has its settings."""
    if settings.DAGSTER_HOME.read() is None:
        home.dagster.mkdir(parents=True, exist_ok=True)
        path = home.dagster / "dagster.yaml"
        if not path.exists():
            # those of a server, with SQLite in place of its storage
            text = _SERVER_SETTINGS.read_text(encoding="utf-8")
            path.write_text(re.sub(r"\A(#.*\n)*storage:\n( .*\n)*", _HEADER, text), encoding="utf-8")
        os.environ["DAGSTER_HOME"] = str(home.dagster)  # noqa: TID251  # set for Dagster


@contextmanager
def instance(home: Home) -> Iterator[dg.DagsterInstance]:
    """Dagster's instance of this installation.

    Raises:
        DagsterSettingsError: its settings cannot be used.
    """
    ensure_dagster_home(home)
    try:
        opened = dg.DagsterInstance.get()
    except (dg.DagsterError, YAMLError) as e:
        lines = [line.strip() for line in str(e).splitlines() if line.strip()]
        cause = next((line for line in lines if line.startswith("Error 1")), " ".join(lines))
        path = Path(str(settings.DAGSTER_HOME.read())) / "dagster.yaml"
        raise DagsterSettingsError(
            f"{path} cannot be used: {cause[:300]}. Correct it, or remove it: the next command writes it again"
        ) from e
    with opened as dagster_instance:
        yield dagster_instance
