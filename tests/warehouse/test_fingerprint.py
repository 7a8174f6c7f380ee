"""What an edit of each kind of input invalidates: the published generation, and derived caches."""

import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest
from made import make_offer, make_source, store

from ingest.core.landing import Landing
from ingest.core.records import Parsed
from warehouse import fingerprint
from warehouse.holds import withdraw
from warehouse.home import Home
from warehouse.isolation import Isolated, accept_payloads

ROOT = Path(__file__).resolve().parents[2]
DAY = datetime(2026, 11, 20, 6, tzinfo=UTC)


def parse(members, *, key):
    ((_, file),) = members
    price = json.loads(file.read())["price"]
    return Parsed(records_in=1, rows=[make_offer(price)])


LISTED = make_source(parse=parse)


def land(home, day, price):
    body = json.dumps({"price": price}).encode()
    return store(Landing(home.landing_url), body, source="listed", key="all", fetched_at=DAY.replace(day=day))


class Checkout:
    """A copy of the project's folders, an installation, and one price list in it."""

    def __init__(self, root):
        self.code, self.home = root / "code", Home(root / "data", str(root / "data" / "landing"))
        self.source = LISTED
        for name in ("ingest", "warehouse", "orchestration", "dbt_project", "docs", "tests/warehouse"):
            ignore = shutil.ignore_patterns("__pycache__", "target", "logs")
            shutil.copytree(ROOT / name, self.code / name, symlinks=True, ignore=ignore)

    @property
    def snapshot(self):
        return self.code / "warehouse" / "snapshot"

    def append(self, name, text):
        path = self.code / name
        path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")

    def own(self, name, text):
        path = self.home.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def seen(self):
        """Return the two hashes: of all inputs, and of the parsed dbt project."""
        return {
            "build": fingerprint.input_fingerprint(self.home),
            "manifest": fingerprint.dbt_rules(),
        }


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    made = Checkout(tmp_path)
    monkeypatch.setattr(fingerprint, "CODE_DIR", made.code)
    monkeypatch.setattr(fingerprint, "DBT_PROJECT_DIR", made.code / "dbt_project")
    monkeypatch.setattr(fingerprint, "SNAPSHOT_DIR", made.snapshot)
    land(made.home, 20, 1.5)
    return made


def of_engine(name):
    def upgrade(checkout, monkeypatch):
        installed = fingerprint.version
        monkeypatch.setattr(
            fingerprint, "version", lambda package: "99" if package == name else installed(package)
        )

    return upgrade


def appended(name, text="\n-- edited\n"):
    return lambda checkout, _: checkout.append(name, text)


def own(name, text):
    return lambda checkout, _: checkout.own(name, text)


def new_parser(checkout, _):
    checkout.append("ingest/prices/vast.py", "# parser_version=99\n")
    checkout.source = replace(checkout.source, parser_version=99)


def accepted(checkout, _):
    fields = dict.fromkeys(("source", "payload_key", "release", "fetched_at", "problem"), "")
    accept_payloads(checkout.home, [Isolated(payload_sha256="a" * 64, **fields)])


def held_at_another_moment(checkout, _):
    """A hold that differs from one before in nothing but the moment at which prices are held."""
    row = {
        "source": "vast",
        "release": None,
        "action": "hold",
        "at": "2026-11-20T00:00:00+00:00",
        "payloads": [],
    }
    fingerprints = set()
    for day in (10, 11):
        held = {"holds": [row | {"as_of": f"2026-11-{day}T00:00:00+00:00"}]}
        checkout.own("holds.json", json.dumps(held))
        fingerprints.add(fingerprint.input_fingerprint(checkout.home))
    assert len(fingerprints) == 2


def without_a_round(checkout, _):
    for path in checkout.snapshot.rglob("*__v0.5__*"):
        path.unlink()


BUILD, DBT = {"build"}, {"build", "manifest"}
EDITS = {
    "a landed payload": (lambda c, _: land(c.home, 21, 1.75), BUILD),
    "a poll without a change": (lambda c, _: land(c.home, 21, 1.5), BUILD),
    "a hold": (lambda c, _: withdraw(c.home, "vast", None, set()), BUILD),
    "another moment of a hold": (held_at_another_moment, BUILD),
    "an accepted payload": (accepted, BUILD),
    "scenarios": (own("scenarios.yaml", "scenarios: {}\n"), BUILD),
    "an override": (own("overrides/mlperf_units.csv", "unit\n"), BUILD),
    "the snapshot": (without_a_round, BUILD),
    "a seed": (appended("dbt_project/seeds/accelerator_aliases.csv", "x,,y,1,false,\n"), DBT),
    "a model": (appended("dbt_project/models/marts/operations/ops_generation.sql"), DBT),
    "a macro": (appended("dbt_project/macros/mlperf/formulas.sql"), DBT),
    "a description": (appended("dbt_project/models/marts/operations/_operations.yml", "\n# edited\n"), DBT),
    "a parser version": (new_parser, BUILD),
    "the code of a build": (appended("warehouse/changes.py", "# edited\n"), BUILD),
    "the code of the export": (appended("warehouse/export.py", "# edited\n"), BUILD),
    "a parser of the same version": (appended("ingest/prices/vast.py", "# edited\n"), BUILD),
    "DuckDB": (of_engine("duckdb"), DBT),
    "dbt": (of_engine("dbt-core"), DBT),
    "the adapter of dbt": (of_engine("dbt-duckdb"), DBT),
    "the release": (of_engine("accelmart"), BUILD),
    "a page": (appended("docs/architecture.md", "edited\n"), set()),
    "a test": (appended("tests/warehouse/test_files.py", "# edited\n"), set()),
    "a schedule": (appended("orchestration/schedules.py", "# edited\n"), set()),
    "what dbt leaves behind": (
        lambda c, _: (
            (c.code / "dbt_project/target/run").mkdir(parents=True)
            or (c.code / "dbt_project/target/run/a.sql").write_text("select 1")
        ),
        set(),
    ),
}


def test_an_edit_invalidates_exactly_what_depends_on_it(checkout, monkeypatch):
    before = checkout.seen()
    assert checkout.seen() == before
    found = {}
    for name, (edit, _) in EDITS.items():
        edit(checkout, monkeypatch)
        after = checkout.seen()
        found[name] = {what for what in before if before[what] != after[what]}
        before = after
    assert found == {name: invalidated for name, (_, invalidated) in EDITS.items()}
    for path in (checkout.code / "dbt_project").rglob("*.sql"):
        path.touch()  # a file of the same content
    assert checkout.seen() == before


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path, str(tmp_path / "landing"))


def publish(home):
    with duckdb.connect(str(home.published)) as db:
        db.execute(
            "create or replace table ops_generation as "
            "select 'g1' as generation_id, now() as built_at, ? as input_fingerprint",
            [fingerprint.input_fingerprint(home)],
        )


def test_the_published_generation_is_current_until_an_input_changes(home):
    assert fingerprint.current_generation(home) is None
    publish(home)
    assert fingerprint.current_generation(home).generation_id == "g1"
    home.scenarios.write_text("scenarios: {}\n")
    assert fingerprint.current_generation(home) is None
    publish(home)
    assert fingerprint.current_generation(home).generation_id == "g1"
    home.scenarios.unlink()  # the earlier inputs are not those of what is published now
    assert fingerprint.current_generation(home) is None


def test_a_record_whose_time_is_yet_to_come_does_not_count(home):
    before = fingerprint.input_fingerprint(home)
    land(home, 20, 1.5)
    landed = fingerprint.input_fingerprint(home)
    assert landed != before
    store(
        Landing(home.landing_url),
        b"{}",
        source="listed",
        key="all",
        fetched_at=datetime(2999, 1, 1, tzinfo=UTC),
    )
    assert fingerprint.input_fingerprint(home) == landed
