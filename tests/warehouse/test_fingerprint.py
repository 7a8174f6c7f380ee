"""What an edit of each kind of input invalidates: the answer that nothing is new, builds, and derived caches."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pytest

from ingest.core.fetch_plan import nothing_to_fetch
from ingest.core.landing import Landing
from ingest.core.records import Parsed
from ingest.core.source import Source
from ingest.prices.offers import PriceOffer
from warehouse import fingerprint, prepare
from warehouse.holds import withdraw
from warehouse.home import Home
from warehouse.isolation import Isolated, accept_payloads
from warehouse.price_fold import Bundle
from warehouse.price_history import PriceHistory
from warehouse.raw import read_parts

ROOT = Path(__file__).resolve().parents[2]
DAY = datetime(2026, 11, 20, 6, tzinfo=UTC)


def parse(members, *, key):
    ((_, file),) = members
    price = json.loads(file.read())["price"]
    row = PriceOffer(
        source="listed",
        provider_published="cloud",
        instance_type="gpu",
        region=None,
        pricing_model="on_demand",
        price=price,
        price_published=str(price),
        price_unit="instance_hour",
        currency="USD",
        source_url="https://prices.example/",
        member="",
        record="[0]",
    )
    return Parsed(records_in=1, rows=[row])


LISTED = Source(
    name="listed",
    title="Listed prices",
    home_url="https://prices.example/",
    licence="CC0",
    plan=nothing_to_fetch,
    parse=parse,
)


def land(home, day, price):
    return Landing(home.landing_url).store(
        json.dumps({"price": price}).encode(),
        source="listed",
        key="all",
        url="https://prices.example/",
        content_type="application/json",
        licence="CC0",
        limit_bytes=1 << 10,
        fetched_at=DAY.replace(day=day),
    )


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
        """(inputs by kind, derived things by name), each as what changes when it has to be made anew."""
        history = PriceHistory(self.source, Landing(self.home.landing_url), self.home.raw, self.snapshot)
        history.parse()
        folds = history.stems()
        parts = read_parts(self.snapshot)
        tables = [Bundle(self.home.raw, stem, stem) for stem in folds]
        made = {
            "build": prepare.input_fingerprint(self.home, parts, tables),
            "folds": folds,
            "manifest": fingerprint.dbt_rules(),
        }
        return fingerprint.inputs(self.home), made


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


def without_a_round(checkout, _):
    for path in checkout.snapshot.rglob("*__v0.5__*"):
        path.unlink()


DBT = {"build", "manifest"}
EDITS = {
    "a landed payload": (lambda c, _: land(c.home, 21, 1.75), {"landed payloads"}, {"build", "folds"}),
    "a poll without a change": (lambda c, _: land(c.home, 21, 1.5), {"landed payloads"}, {"build", "folds"}),
    "a hold": (lambda c, _: withdraw(c.home, "vast", None, set()), {"holds"}, {"build"}),
    # it counts by the payload that is then used
    "an accepted payload": (accepted, {"accepted payloads"}, set()),
    "scenarios": (own("scenarios.yaml", "scenarios: {}\n"), {"scenarios"}, {"build"}),
    "an override": (own("overrides/mlperf_units.csv", "unit\n"), {"overrides"}, {"build"}),
    "the snapshot": (without_a_round, {"snapshot"}, {"build"}),
    "a seed": (
        appended("dbt_project/seeds/accelerator_aliases.csv", "x,,y,1,false,\n"),
        {"dbt project"},
        DBT,
    ),
    "a model": (appended("dbt_project/models/marts/ops_generation.sql"), {"dbt project"}, DBT),
    "a macro": (appended("dbt_project/macros/formulas.sql"), {"dbt project"}, DBT),
    "a description": (appended("dbt_project/models/marts/_marts.yml", "\n# edited\n"), {"dbt project"}, DBT),
    "a parser version": (new_parser, {"code"}, {"build", "folds"}),
    "the code that folds": (appended("warehouse/price_fold.py", "# edited\n"), {"code"}, {"build", "folds"}),
    "the rule that folds": (appended("warehouse/price_runs.py", "# edited\n"), {"code"}, {"build", "folds"}),
    "the code of intervals": (
        appended("warehouse/price_intervals.py", "# edited\n"),
        {"code"},
        {"build", "folds"},
    ),
    "the code of a build": (appended("warehouse/changes.py", "# edited\n"), {"code"}, {"build"}),
    # the same version gives the same rows
    "a parser of the same version": (appended("ingest/prices/vast.py", "# edited\n"), {"code"}, set()),
    "the code of the export": (appended("warehouse/export.py", "# edited\n"), {"code"}, set()),
    "DuckDB": (of_engine("duckdb"), {"engines"}, DBT | {"folds"}),
    "dbt": (of_engine("dbt-core"), {"engines"}, DBT),
    "the adapter of dbt": (of_engine("dbt-duckdb"), {"engines"}, DBT),
    "the release": (of_engine("accelmart"), {"engines"}, {"build"}),
    "a page": (appended("docs/architecture.md", "edited\n"), set(), set()),
    "a test": (appended("tests/warehouse/test_files.py", "# edited\n"), set(), set()),
    "a schedule": (appended("orchestration/schedules.py", "# edited\n"), set(), set()),
    "what dbt leaves behind": (
        lambda c, _: (
            (c.code / "dbt_project/target/run").mkdir(parents=True)
            or (c.code / "dbt_project/target/run/a.sql").write_text("select 1")
        ),
        set(),
        set(),
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_invalidates_exactly_what_depends_on_it(checkout, monkeypatch, name):
    edit, kinds, invalidated = EDITS[name]
    inputs, made = checkout.seen()
    assert checkout.seen() == (inputs, made)
    edit(checkout, monkeypatch)
    new_inputs, new_made = checkout.seen()
    assert {kind for kind in inputs if inputs[kind] != new_inputs[kind]} == kinds
    assert {what for what in made if made[what] != new_made[what]} == invalidated


def test_a_file_of_the_same_content_is_no_edit(checkout):
    before = checkout.seen()
    for path in (checkout.code / "dbt_project").rglob("*.sql"):
        path.touch()
    assert checkout.seen() == before


def test_the_code_of_a_build_is_all_that_prepare_imports():
    done = subprocess.run(
        [sys.executable, "-c", "import sys, warehouse.prepare; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    loaded = {name.split(".")[1] for name in done.stdout.split() if name.startswith("warehouse.")}
    assert "price_fold" in loaded
    assert loaded <= {path.stem for path in fingerprint.build_modules()}


# --- what is remembered --------------------------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path, str(tmp_path / "landing"))


def publish(home, value):
    with duckdb.connect(str(home.published)) as db:
        db.execute(
            "create or replace table ops_generation as "
            "select 'g1' as generation_id, now() as built_at, ? as input_fingerprint",
            [value],
        )


def test_the_published_generation_is_current_until_an_input_changes(home, monkeypatch):
    made = []
    monkeypatch.setattr(
        prepare, "select_inputs", lambda home: made.append(home) or SimpleNamespace(fingerprint="f2")
    )
    publish(home, "f1")
    assert fingerprint.known_generation(home) is None
    fingerprint.remember(home, fingerprint.inputs(home), "f1")
    assert fingerprint.known_generation(home).generation_id == "g1"
    assert prepare.current_generation(home).generation_id == "g1" and not made
    home.scenarios.write_text("scenarios: {}\n")
    assert fingerprint.known_generation(home) is None and not made
    assert prepare.current_generation(home) is None and made == [home]
    fingerprint.remember(home, fingerprint.inputs(home), "f2")
    publish(home, "f2")
    assert fingerprint.known_generation(home).input_fingerprint == "f2"
    publish(home, "f1")  # as after a rollback
    assert prepare.current_generation(home) is None


def test_nothing_is_current_where_nothing_is_published(home):
    assert fingerprint.known_generation(home) is None and fingerprint.generation_of(home, None) is None


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"inputs": '])
def test_a_damaged_memory_is_as_none(home, text):
    home.raw.mkdir()
    (home.raw / "inputs.json").write_text(text)
    assert fingerprint.remembered(home) is None


LEFT_OUT = Isolated(
    source="x", payload_key="y", release="", payload_sha256="z", fetched_at="2026-01-01", problem="p"
)
SETTLED = {"unreadable": [], "isolated": {}, "is_parsed": True, "isolated_before": []}


@pytest.mark.parametrize(
    ("state", "is_remembered"),
    [
        ({}, True),
        ({"unreadable": ["a damaged page"]}, False),
        ({"isolated": {("x", "z"): LEFT_OUT}}, False),
        ({"is_parsed": False}, False),
        ({"isolated_before": [LEFT_OUT]}, False),
    ],
)
def test_a_fingerprint_is_remembered_when_every_payload_is_in_use(home, monkeypatch, state, is_remembered):
    now = SETTLED | state

    def lake(_):
        return SimpleNamespace(
            holds=SimpleNamespace(fingerprint=lambda: ""),
            isolated=now["isolated"],
            parts_in_force=list,
            price_bundles=list,
            list_parts=lambda: ([], now["unreadable"]),
            price_histories=lambda: [SimpleNamespace(is_parsed=now["is_parsed"])],
        )

    monkeypatch.setattr(prepare, "Lake", lake)
    monkeypatch.setattr(prepare, "read_isolated", lambda _: now["isolated_before"])
    selected = prepare.select_inputs(home).fingerprint
    assert fingerprint.remembered(home) == (selected if is_remembered else None)
    monkeypatch.undo()
    assert prepare.read_isolated(home) == list(now["isolated"].values())  # for the status


def test_a_list_that_is_landed_and_not_parsed_is_open(home):
    history = PriceHistory(LISTED, Landing(home.landing_url), home.raw, home.root / "snapshot")
    assert history.is_parsed
    land(home, 20, 1.5)
    later = replace(history)
    assert not later.is_parsed
    later.parse()
    assert replace(history).is_parsed
