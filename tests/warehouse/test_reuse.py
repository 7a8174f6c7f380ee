"""Versions of dbt nodes: what an edit, or other data, makes a build do again; and what it takes over."""

import copy
import json

import duckdb
import pytest
from dbt.contracts.state import PreviousState

from warehouse.build import Build
from warehouse.home import Home
from warehouse.reuse import node_versions, remember_versions, reuse


def node(kind, name, *parents, macros=(), **more):
    return {
        "resource_type": kind,
        "name": name,
        "schema": "main",
        "raw_code": f"select '{name}'",
        "config": {"materialized": "table"},
        "depends_on": {"nodes": list(parents), "macros": list(macros)},
        **more,
    }


@pytest.fixture
def manifest():
    """raw → staged → priced → cost; seed → named → cost; a test of each of the last, a unit test of the cost."""
    return {
        "metadata": {"project_name": "p"},
        "nodes": {
            "seed.p.names": node("seed", "names", checksum={"checksum": "1"}),
            "model.p.staged": node("model", "staged", "source.p.raw.prices"),
            "model.p.priced": node("model", "priced", "model.p.staged", macros=["macro.p.euro"]),
            "model.p.named": node("model", "named", "seed.p.names"),
            "model.p.cost": node("model", "cost", "model.p.priced", "model.p.named"),
            "test.p.names_are_unique": node("test", "names_are_unique", "seed.p.names"),
            "test.p.cost_is_positive": node("test", "cost_is_positive", "model.p.cost"),
            "test.p.staged_is_whole": node("test", "staged_is_whole", "model.p.staged"),
        },
        "sources": {"source.p.raw.prices": node("source", "prices")},
        "unit_tests": {
            "unit_test.p.cost.by_hand": node("unit_test", "by_hand", "model.p.cost", expect={"rows": [1]})
        },
        "macros": {
            "macro.p.euro": macro("euro", "macro.p.rate"),
            "macro.p.rate": macro("rate"),
            "macro.p.table": macro("table"),
            "macro.dbt.ref": macro("ref") | {"package_name": "dbt"},
        },
    }


def macro(name, *called):
    return {"macro_sql": name, "package_name": "p", "depends_on": {"macros": list(called)}}


@pytest.fixture
def raw(tmp_path):
    (tmp_path / "raw" / "prices").mkdir(parents=True)
    (tmp_path / "raw" / "prices" / "a.parquet").write_bytes(b"1")
    return tmp_path / "raw"


def changed(before, after):
    """Return the names whose version differs."""
    return {
        unique_id.split(".")[-1]
        for unique_id in before.keys() | after
        if before.get(unique_id) != after.get(unique_id)
    }


EVERYTHING = {
    *("names", "staged", "priced", "named", "cost"),
    *("names_are_unique", "cost_is_positive", "staged_is_whole", "by_hand"),
}
EDITS = {
    "model": (lambda m: m["nodes"]["model.p.priced"].update(raw_code="x"), {"priced", "cost", "cost_is_positive", "by_hand"}),
    "seed": (
        lambda m: m["nodes"]["seed.p.names"].update(checksum={"checksum": "2"}),
        {"names", "named", "cost", "names_are_unique", "cost_is_positive"},
    ),
    "macro that a macro calls": (
        lambda m: m["macros"]["macro.p.rate"].update(macro_sql="x"),
        {"priced", "cost", "cost_is_positive", "by_hand"},
    ),
    "macro that dbt calls": (lambda m: m["macros"]["macro.p.table"].update(macro_sql="x"), EVERYTHING),
    "macro that nobody calls, of a package": (lambda m: m["macros"]["macro.dbt.ref"].update(macro_sql="x"), set()),
    "test": (lambda m: m["nodes"]["test.p.staged_is_whole"].update(config={"severity": "warn"}), {"staged_is_whole"}),
    "unit test": (lambda m: m["unit_tests"]["unit_test.p.cost.by_hand"].update(expect={"rows": [2]}), {"by_hand"}),
    "description of a column": (
        lambda m: m["nodes"]["model.p.cost"].update(columns={"usd": {"description": "US$"}}),
        {"cost", "cost_is_positive", "by_hand"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("edited", EDITS)
def test_an_edit_changes_what_hangs_on_it(manifest, raw, edited):
    edit, expected = EDITS[edited]
    after = copy.deepcopy(manifest)
    edit(after)
    assert changed(node_versions(manifest, raw), node_versions(after, raw)) == expected


def test_a_seed_changes_the_unit_tests_that_read_its_own_rows(manifest, raw):
    by_hand = manifest["unit_tests"]["unit_test.p.cost.by_hand"]
    by_hand["given"] = [{"input": "ref('priced')", "rows": []}, {"input": "ref('names')", "rows": None}]
    after = copy.deepcopy(manifest)
    EDITS["seed"][0](after)
    assert "by_hand" in changed(node_versions(manifest, raw), node_versions(after, raw))


def test_new_data_change_what_reads_them_and_no_unit_test(manifest, raw):
    before = node_versions(manifest, raw)
    (raw / "prices" / "b.parquet").write_bytes(b"2")
    read = {"staged", "priced", "cost", "cost_is_positive", "staged_is_whole"}
    assert changed(before, node_versions(manifest, raw)) == read


def test_another_engine_changes_everything(manifest, raw, monkeypatch):
    before = node_versions(manifest, raw)
    monkeypatch.setattr("warehouse.reuse.engines", lambda: "duckdb==99")
    assert changed(before, node_versions(manifest, raw)) == EVERYTHING


# --- what a build takes over ---


@pytest.fixture
def home(tmp_path, manifest, raw):
    """A published generation of the project: each table holds its name."""
    home = Home(tmp_path, str(tmp_path / "landing"))
    home.generations.mkdir()
    with duckdb.connect(str(home.published)) as db:
        for unique_id, one in manifest["nodes"].items():
            if not unique_id.startswith("test"):
                db.execute(f"create table {one['name']} as select '{one['name']}' as name")
        db.execute(
            "create table ops_generation as select 'g1' generation_id, now() built_at, 'f' input_fingerprint"
        )
        db.execute("create schema shown")
        db.execute("create view shown.named as from main.named")
        db.execute("create view shown.cost as from main.cost")
        db.execute("create macro twice(x) as 2 * x")
    (home.generations / "g1.duckdb").write_bytes(home.published.read_bytes())
    remember_versions(home, "g1", node_versions(manifest, raw), manifest, {"names_are_unique"})
    return home


def relations(build):
    with duckdb.connect(str(build.database)) as db:
        assert db.execute("from duckdb_functions() where not internal").fetchall() == []
        tables = db.execute("select table_name from duckdb_tables()").fetchall()
        views = db.execute("select view_name from duckdb_views() where not internal").fetchall()
        return {name for (name,) in tables}, {name for (name,) in views}


@pytest.fixture
def build(tmp_path):
    return Build(tmp_path)


def left_out(reused, build):
    """Names of the nodes that dbt reads from the state written for it."""
    reused.write_state(build.folder / "reused")
    state = PreviousState(build.folder / "reused", build.folder / "target", build.folder)
    return sorted(r.unique_id.split(".")[-1] for r in state.results if r.status == "success")


def test_nothing_but_what_new_data_change_is_made_again(home, build, manifest, raw):
    (raw / "prices" / "a.parquet").write_bytes(b"other")
    reused = reuse(home, build, manifest)
    assert reused.generation_id == "g1"
    assert left_out(reused, build) == ["by_hand", "named", "names", "names_are_unique"]
    assert [u.split(".")[-1] for u in reused.tables] == ["names", "named"]  # what is read first
    assert relations(build) == ({"named", "names"}, {"named"})


def test_the_tables_of_a_new_test_are_made_again_with_what_reads_them(home, build, manifest):
    """dbt leaves out a test whose tables are all left out."""
    manifest["nodes"]["test.p.new"] = node("test", "new", "model.p.named")
    reused = reuse(home, build, manifest)
    assert {u.split(".")[-1] for u in reused.tables} == {"names", "staged", "priced"}
    assert "new" not in left_out(reused, build)


def test_from_scratch_only_tests_without_data_are_left_out(home, build, manifest):
    """A test of seeds that warned is run again: its warnings are kept with a generation."""
    reused = reuse(home, build, manifest, from_scratch=True)
    assert (reused.generation_id, reused.tables) == ("", ()) and left_out(reused, build) == ["by_hand"]
    assert not build.database.exists()


@pytest.mark.parametrize("damage", ["changed by hand", "no versions", "versions cut off", "no generation"])
def test_a_generation_that_is_not_as_it_was_published_is_not_used(home, build, manifest, damage):
    kept = home.generations / "g1.versions.json"
    if damage == "changed by hand":
        with duckdb.connect(str(home.generations / "g1.duckdb")) as db:
            db.execute("update named set name = 'forged'")
    elif damage == "no versions":
        kept.unlink()
    elif damage == "versions cut off":
        kept.write_text(kept.read_text()[:-20])
    else:
        home.published.unlink()
    assert reuse(home, build, manifest).tables == () and not build.database.exists()


def test_versions_go_with_their_generation(home, manifest, raw):
    (home.generations / "g1.duckdb").rename(home.generations / "g2.duckdb")
    remember_versions(home, "g2", node_versions(manifest, raw), manifest, ())
    assert [p.name for p in home.generations.glob("*.json")] == ["g2.versions.json"]
    assert "unit_test.p.cost.by_hand" in json.loads(
        (home.dbt_target / "passed_without_data.json").read_text()
    )
