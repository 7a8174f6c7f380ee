"""What an edit of each kind of input invalidates: the published generation, and derived caches."""

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from made import store

from ingest.core.landing import Landing
from warehouse.decisions.holds import exclude
from warehouse.inputs import fingerprint
from warehouse.inputs.isolation import Isolated, accept_payloads
from warehouse.storage.home import Home

ROOT = Path(__file__).resolve().parents[2]
DAY = datetime(2026, 11, 20, 6, tzinfo=UTC)


def land(home, day, price):
    body = json.dumps({"price": price}).encode()
    return store(Landing(home.landing_url), body, source="listed", key="all", fetched_at=DAY.replace(day=day))


def hashes(checkout):
    """Of all inputs, and of the parsed dbt project."""
    return {"build": fingerprint.input_fingerprint(checkout.home), "manifest": fingerprint.dbt_rules()}


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A copy of the project's folders, and an installation."""
    made = SimpleNamespace(code=tmp_path / "code", home=Home(tmp_path / "data", str(tmp_path / "landing")))
    made.home.root.mkdir()
    for name in ("ingest", "warehouse", "orchestration", "dbt_project", "docs"):
        ignore = shutil.ignore_patterns("__pycache__", "target", "logs")
        shutil.copytree(ROOT / name, made.code / name, symlinks=True, ignore=ignore)
    monkeypatch.setattr(fingerprint, "CODE_DIR", made.code)
    monkeypatch.setattr(fingerprint, "DBT_PROJECT_DIR", made.code / "dbt_project")
    monkeypatch.setattr(fingerprint, "SNAPSHOT_DIR", made.code / "warehouse" / "snapshot")
    land(made.home, 20, 1.5)
    return made


def upgraded(name):
    def upgrade(checkout, monkeypatch):
        installed = fingerprint.version
        monkeypatch.setattr(fingerprint, "version", lambda p: "99" if p == name else installed(p))

    return upgrade


def appended(name, text="\n-- edited\n"):
    def edit(checkout, _):
        with (checkout.code / name).open("a", encoding="utf-8") as file:
            file.write(text)

    return edit


def own(name, text):
    def write(checkout, _):
        path = checkout.home.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    return write


def accepted(checkout, _):
    fields = dict.fromkeys(("source", "payload_key", "release", "fetched_at", "problem"), "")
    accept_payloads(checkout.home, [Isolated(payload_sha256="a" * 64, **fields)])


def hold_as_of(day):
    return own("overrides/holds.csv", f"vast,,2026-11-20,2026-11-{day},{'a' * 64}\n")


def without_a_round(checkout, _):
    for path in (checkout.code / "warehouse" / "snapshot").rglob("*__v0.5__*"):
        path.unlink()


def left_by_dbt(checkout, _):
    folder = checkout.code / "dbt_project" / "target" / "run"
    folder.mkdir(parents=True)
    (folder / "a.sql").write_text("select 1")


BUILD, DBT = {"build"}, {"build", "manifest"}
EDITS = {
    "a landed payload": (lambda c, _: land(c.home, 21, 1.75), BUILD),
    "a poll without a change": (lambda c, _: land(c.home, 21, 1.5), BUILD),
    "a withdrawal": (lambda c, _: exclude(c.home, "vast", None, set()), BUILD),
    "a hold": (hold_as_of(10), BUILD),
    "another moment of a hold": (hold_as_of(11), BUILD),
    "an accepted payload": (accepted, BUILD),
    "scenarios": (own("overrides/scenarios.csv", "hyperscaler,pue,1.1,,,,,\n"), BUILD),
    "scenarios of an earlier version": (own("scenarios.yaml", "scenarios: {}\n"), BUILD),
    "an override": (own("overrides/mlperf_units.csv", "unit\n"), BUILD),
    "the snapshot": (without_a_round, BUILD),
    "a seed": (appended("dbt_project/seeds/accelerator_aliases.csv", "x,,y,1,false,\n"), DBT),
    "a model": (appended("dbt_project/models/marts/operations/ops_generation.sql"), DBT),
    "a macro": (appended("dbt_project/macros/mlperf/formulas.sql"), DBT),
    "a description": (appended("dbt_project/models/marts/operations/_operations.yml", "\n# edited\n"), DBT),
    "the code of a build": (appended("warehouse/build/changes.py", "# edited\n"), BUILD),
    "a parser of the same version": (appended("ingest/prices/vast.py", "# edited\n"), BUILD),
    "DuckDB": (upgraded("duckdb"), DBT),
    "dbt": (upgraded("dbt-core"), DBT),
    "the adapter of dbt": (upgraded("dbt-duckdb"), DBT),
    "the release": (upgraded("accelmart"), BUILD),
    "a page": (appended("docs/architecture.md", "edited\n"), set()),
    "a schedule": (appended("orchestration/schedules.py", "# edited\n"), set()),
    "what dbt leaves behind": (left_by_dbt, set()),
}


def test_an_edit_invalidates_exactly_what_depends_on_it(checkout, monkeypatch):
    before = hashes(checkout)
    found = {}
    for name, (edit, _) in EDITS.items():
        edit(checkout, monkeypatch)
        after = hashes(checkout)
        found[name] = {what for what in before if before[what] != after[what]}
        before = after
    assert found == {name: invalidated for name, (_, invalidated) in EDITS.items()}
    for path in (checkout.code / "dbt_project").rglob("*.sql"):
        path.touch()  # a file of the same content
    assert hashes(checkout) == before
