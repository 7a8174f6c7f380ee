"""Published files of a stranger: forty that read, write, lie about names and types; no command is led outside of its root."""

import gzip
import hashlib
import json
import shutil
from types import SimpleNamespace

import duckdb
import pytest
from drill_processes import IS_FULL

from ingest.core.errors import AccelmartError
from warehouse.build import driver as warehouse_build
from warehouse.storage.home import Home

ID = "20260101T000000-aaaaaa"
CANARY = "canary-7f3a"
# what a file needs for the commands to get far; each hostile one changes something of it
BASE = {
    "ops_generation": f"select '{ID}' as generation_id, null::varchar as previous_generation_id, "
    "timestamptz '2026-01-01 00:00:00+00' as built_at, 'f' as input_fingerprint, '0.1.0' as code_version",
    "ops_reconciliation": "select 'vast' as source, 'bundles' as payload_key, 'https://a.example' as payload_url, "
    "'CC0-1.0' as licence, 'aa' as payload_sha256, null::varchar as release, 'prices' as dialect, 1 as records_in, "
    "1 as rows_out, 0 as duplicates, 0 as merged, 0 as rejects, 0 as out_of_scope, 0 as warnings",
    "mart_source_health": "select 'vast' as source, timestamptz '2026-01-01 00:00:00+00' as last_success_at, "
    "1 as payloads, 1 as records_in, 1 as rows, 0 as rejects, 'fresh' as status",
    "ops_unmapped": "select 'seller' as kind, 'a name' as words, 1 as n_rows, null::varchar as first_release, "
    "'r' as example_result_id, 'prices' as excluded_from, 'price_names.csv' as seed_file, 'a line' as seed_line",
    "ops_isolated_payload": "select 's' as source, 'r' as release, 'k' as payload_key, 'aa' as payload_sha256, "
    "'p' as problem, 'm' as remedy",
    "ops_change_alarm": "select 'rule' as rule, 'warn' as severity, 'r' as relation, 'f' as figure, 's' as subject, "
    "'p' as problem, 'm' as remedy",
    "mart_tco": "select 'h100' as accelerator_id, 1.5 as usd_per_hour",
}


def _table(name, query):
    return {name: f"create table main.{name} as {query}"}


def _view(name, query):
    return {name: f"create view main.{name} as {query}"}


def _after(*statements):
    return {f"after {n}": statement for n, statement in enumerate(statements)}


def _generation(**change):
    stated = {
        "generation_id": f"'{ID}'",
        "previous_generation_id": "null::varchar",
        "built_at": "timestamptz '2026-01-01 00:00:00+00'",
        "input_fingerprint": "'f'",
    } | change
    return _table("ops_generation", "select " + ", ".join(f"{v} as {k}" for k, v in stated.items()))


READ = "select content from read_text('{victim}/secret')"
# name: the statements of the file that are other than those of `BASE`, or come after them
HOSTILE = {
    # views that read files, where tables are expected
    "view generation": _view("ops_generation", READ.replace("content", "content as generation_id")),
    "view generation of csv": _view("ops_generation", "from read_csv('{victim}/secret', header = false)"),
    "view reconciliation": _view("ops_reconciliation", READ.replace("content", "content as source")),
    "view health": _view("mart_source_health", READ.replace("content", "content as source")),
    "view unmapped": _view("ops_unmapped", READ.replace("content", "content as words")),
    "view mart": _view("mart_tco", READ),
    "view blob": _view("mart_tco", "select content from read_blob('{victim}/secret')"),
    "view glob": _view("mart_tco", "select file from glob('{victim}/*')"),
    "view parquet by name": _view("mart_tco", "from '{victim}/secret.csv'"),
    "view without end": _view(
        "ops_change_alarm", "select sum(a.i)::text as rule from range(10000000000) a(i), range(10000000000) b(i)"
    ),
    "view beside tables": _after("create view main.extra as " + READ),
    "view in another schema": _after(
        "create schema accelmart.accelmart", "create view accelmart.accelmart.mart_tco as " + READ
    ),
    # macros, which shadow functions that commands use
    "macro reads": _after("create macro main.newest_price_day() as (" + READ + ")"),
    "macro of columns": _after("create macro main.columns_of(t) as table " + READ),
    "macro rank": _after("create macro main.resolve_name(t, w) as table select content as id from read_text('{victim}/secret')"),
    "macro coalesces": _after("create macro main.left(a, b) as (" + READ + ")"),
    "macro writes comments": _after(
        "create macro main.format(a, b) as 'copy (select 1) to ''{victim}/written'''",
        "create macro main.replace(a, b, c) as 'x'' ; copy (select 1) to ''{victim}/written'"),
    "macro hides names": _view("mart_tco", READ) | _after(
        "create macro main.regexp_full_match(a, b) as true", "create macro main.current_database() as 'x'",
        "create macro main.duckdb_views() as table select 1 as x where false"),
    "macro of cells": _after("create macro main.regexp_matches(a, b) as (select true from read_text('{victim}/secret'))"),
    # ids, which name files
    "id leads out": _generation(generation_id="'../../victim/x'"),
    "id absolute": _generation(generation_id="'{victim}/x'"),
    "id of lines": _generation(generation_id=f"'{ID}' || chr(10) || 'x'"),
    "id huge": _generation(generation_id="repeat('2', 5000000)"),
    "id null": _generation(generation_id="null::varchar"),
    "id number": _generation(generation_id="42"),
    "id pattern": _generation(generation_id="'*'"),
    "id of other digits": _generation(generation_id="'٢٠٢٦٠١٠١T000000-aaaaaa'"),
    "id none": _table("ops_generation", BASE["ops_generation"] + " where false"),
    # names
    "table leads out": _after('create table main."../../victim/x" as select 1 as a'),
    "table ends the statement": _after("create table main.\"x\"\"; copy (select 1) to '{victim}/written'; --\" as select 1 as a"),
    "table of 300 characters": _after(f'create table main."{"x" * 300}" as select 1 as a'),
    "column ends the statement": _after("create table main.odd as select 1 as \"a\"\"; copy (select 1) to '{victim}/written'; --\""),
    "column of control characters": _after('create table main.odd as select 1 as "a\x1b[2J"'),
    "comment ends the statement": _after("comment on table main.mart_tco is 'x''}}); copy (select 1) to ''{victim}/written''; --'"),
    # types and values
    "built at text": _generation(built_at="'yesterday'"),
    "built at infinity": _generation(built_at="timestamptz 'infinity'"),
    "built in 290000": _generation(built_at="timestamptz '290000-01-01 00:00:00+00'"),
    "fingerprint struct": _generation(input_fingerprint="{{'a': 1}}"),
    "licence number": _table("ops_reconciliation", BASE["ops_reconciliation"].replace("'CC0-1.0'", "7")),
    "values of odd types": _table("mart_tco", "select map {{'a': 1}} as m, {{'a': 1}} as s, interval 1 day as i, '1'::bit as b"),
    "values without number": _table("mart_tco", "select 'nan'::double as a, '-infinity'::date as d, 170141183460469231731687303715884105727::hugeint as h"),
    "words of a terminal": _table("ops_unmapped", BASE["ops_unmapped"].replace("'a name'", "chr(27) || '[2J' || chr(0) || '=cmd()'")),
    "columns missing": _table("mart_source_health", "select 1 as x") | _table("ops_reconciliation", "select 1 as x"),
}  # fmt: skip
NO_DATABASE = {"no database": b"not a database", "sqlite": b"SQLite format 3\0" + b"\0" * 4096, "empty": b""}


def test_forty_files_are_tried():
    assert len(HOSTILE) + len(NO_DATABASE) >= 40


@pytest.fixture
def place(tmp_path):
    """A folder with a data root, a published place and, beside them, files that nobody may read or change."""
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "secret").write_text(f"{CANARY}\n")
    (victim / "secret.csv").write_text(f"a\n{CANARY}\n")
    made = SimpleNamespace(
        root=tmp_path / "home", victim=victim, out=tmp_path / "out", url=tmp_path / "place"
    )
    for folder in (made.root, made.out, made.url):
        folder.mkdir()
    return made


def write_file(name, place):
    """Publish a hostile file at a place as a stranger would: pointer, hash and size are right."""
    path = place.url / "accelmart.duckdb"
    if name in NO_DATABASE:
        path.write_bytes(NO_DATABASE[name])
    else:
        with duckdb.connect(str(path)) as db:
            made = {table: f"create table main.{table} as {query}" for table, query in BASE.items()}
            for statement in (made | HOSTILE[name]).values():
                db.execute(statement.format(victim=place.victim))
    content = path.read_bytes()
    packed = path.with_suffix(".duckdb.gz")
    packed.write_bytes(gzip.compress(content, 1))
    stated = {"path": path.name, "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    pointer = {"generation_id": ID, "database": stated | {"gzip": packed.name}}
    (place.url / "latest.json").write_text(json.dumps(pointer))
    return path


def outside(place):
    """Return the files that no command may change: names in the parent folder, contents of the victim's folder."""
    parent = place.victim.parent
    files = {p: p.read_bytes() for p in place.victim.rglob("*") if p.is_file()}
    return sorted(p.name for p in parent.iterdir()), files


def commands(place, name):
    """Return the commands to try on a file: every night all; with the suite a build and a third, another third for the next file."""
    out = place.out
    every = [
        ("status",), ("status", "--json"), ("status", "--short"), ("status", "--unmapped"), ("rollback",),
        ("rollback", "--to", "../../victim/x"), ("build",),
        ("export", out / "parquet"), ("export", out / "csv", "-f", "csv"), ("export", out / "one.duckdb", "--duckdb"),
        ("publish", "--to", out / "site"), ("doctor", "--offline"), ("rank", "--model", "deepseek-r1"), ("compare", "H100", "B200"),
        ("sql", "from mart_tco"), ("sql", "from ops_generation", "-f", "csv"), ("sql", "from accelmart.mart_tco"), ("sql", "show tables"),
        ("sql", "select newest_price_day()"), ("changes",), ("evidence", "x"), ("report", "--to", out / "report.html"), ("docs", out / "docs"),
        ("freeze", "vast"), ("pull", place.url),
    ]  # fmt: skip
    turn = [*HOSTILE, *NO_DATABASE].index(name)
    return [words for n, words in enumerate(every) if IS_FULL or (n + turn) % 3 == 0 or words == ("build",)]


class NotBuiltError(AccelmartError):
    """Stands for the build itself: what a build reads of a published file comes before it, and after it its own."""


@pytest.mark.drills
@pytest.mark.parametrize("name", [*HOSTILE, *NO_DATABASE])
def test_a_hostile_file_reads_and_writes_nothing_outside(name, place, accelmart, monkeypatch):
    """Every command ends with its answer or one sentence: an exception of Python would leave `accelmart` here."""
    write_file(name, place)
    asked = []

    def prepare(home, selected, *, accept_changes):
        asked.append(warehouse_build.predecessor(home))
        raise NotBuiltError("not built")

    monkeypatch.setattr(warehouse_build, "select_inputs", lambda home: None)
    monkeypatch.setattr(warehouse_build, "prepare", prepare)
    before = outside(place)
    pulled = accelmart(place.root, "pull", place.url, here=True)
    if pulled.returncode:  # it was refused there; as if an earlier version had pulled it
        shutil.copy(place.url / "accelmart.duckdb", place.root / "accelmart.duckdb")
    content = (place.root / "accelmart.duckdb").read_bytes()
    for words in commands(place, name):
        done = accelmart(place.root, *words, here=True, cwd=place.out)
        text = done.stdout + done.stderr
        assert CANARY not in text and "Traceback" not in text, (words, text)
        assert done.returncode in (0, 1, 2, 3), (words, text)
        assert not done.returncode or text.strip(), words
        assert ("\x1b[2J" not in text and "\0" not in text) or words[0] == "sql", (words, text)
        assert outside(place) == before, words
        assert "Nothing new" not in text or words[0] == "pull", (words, text)
    assert asked == [None]  # the build began, and is not compared with the stranger's file
    assert (place.root / "accelmart.duckdb").read_bytes() == content
    assert not list((place.root / "generations").glob("*.duckdb"))
    assert not (place.root / "published.json").exists()
    written = [p for folder in (place.root, place.out) for p in folder.rglob("*") if p.is_file()]
    assert not [
        p for p in written if CANARY.encode() in p.read_bytes() and p != place.root / "accelmart.duckdb"
    ]


def test_a_copy_is_readable_and_says_what_it_is(place, accelmart):
    """The same file without anything hostile: readers get their rows, and `publish` says what is missing."""
    HOSTILE["none"] = {}
    try:
        write_file("none", place)
    finally:
        del HOSTILE["none"]
    assert accelmart(place.root, "pull", place.url, here=True).returncode == 0
    assert "h100,1.5" in accelmart(place.root, "sql", "from mart_tco", "-f", "csv", here=True).stdout
    shown = accelmart(place.root, "status", here=True)
    assert f"published: {ID}" in shown.stdout and "a downloaded copy" in shown.stdout, (
        shown.stdout + shown.stderr
    )
    done = accelmart(place.root, "export", place.out / "e", here=True)
    assert done.returncode == 0 and (place.out / "e" / "mart_tco.parquet").exists(), done.stderr
    done = accelmart(place.root, "publish", "--to", place.out / "site", here=True)
    assert done.returncode == 3 and "is a downloaded copy. To make one: `make warehouse` or" in done.stderr
    assert Home(place.root, "").generations.exists() is False
