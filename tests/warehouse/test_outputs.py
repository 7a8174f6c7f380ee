"""Outputs follow the published generation; damage, locks and pins; every remedy of the doctor is executed."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import contextmanager

import drill_steps
import duckdb
import pytest
from typer.testing import CliRunner

from accelmart.cli import app
from accelmart.errors import QueryError
from accelmart.published import sql
from ingest.core.stored_json import RecordDamaged
from orchestration import doctor
from orchestration.doctor import examine
from warehouse.build import driver as warehouse_build
from warehouse.build.changes import export_previous
from warehouse.decisions.holds import read_holds
from warehouse.inputs import fingerprint
from warehouse.inputs.fingerprint import current_generation
from warehouse.inputs.isolation import accepted_payloads, read_isolated, write_isolated
from warehouse.outputs import repair as outputs
from warehouse.outputs.repair import behind, repair
from warehouse.publication.generation import (
    NoWarehouseError,
    damaged_generations,
    generations,
    is_intact,
    read_generation,
)
from warehouse.publication.outcome import last_outcome, read_warnings
from warehouse.publication.pointer import (
    NothingToRollBackToError,
    PinnedError,
    own_publication,
    predecessor,
    publication,
    rollback,
    unpin,
)
from warehouse.storage.database import UnreadableError, read_rows
from warehouse.storage.locks import exclusive

FIRST, SECOND, THIRD, FOURTH = (f"2026010{n}T000000-aaaaaa" for n in (1, 2, 3, 4))


@contextmanager
def in_root(root):
    """Commands in this process work on a data root; report and pages are one line each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outputs, "place_report", drill_steps.one_line_report)
        patch.setattr(outputs, "write_pages", drill_steps.one_line_pages)
        patch.setattr(
            doctor, "CHECKS", {name: doctor.CHECKS[name] for name in ("published", "outputs", "builds")}
        )
        patch.setenv("ACCELMART_HOME", str(root))
        patch.delenv("ACCELMART_LANDING", raising=False)
        patch.setenv("DAGSTER_HOME", str(root / "dagster"))
        yield


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    root = tmp_path_factory.mktemp("outputs") / "home"
    (root / "dagster").mkdir(parents=True)
    with in_root(root):
        for name in (FIRST, SECOND, THIRD):
            assert drill_steps.build_step(root, name) == []
    return root


@pytest.fixture
def home(built, tmp_path):
    """A copy of a data root with three generations; report and pages are one line each."""
    copy = shutil.copytree(built, tmp_path, symlinks=True, dirs_exist_ok=True)
    with in_root(copy):
        yield drill_steps.home_of(copy)


def damage(path):
    """Change bytes of a file; its size and modification time stay."""
    info = path.stat()
    path.chmod(0o644)
    with path.open("r+b") as file:
        file.seek(info.st_size // 2)
        file.write(b"damage")
    path.chmod(0o444)
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))


def findings(home, *checks, status="fail"):
    checks = checks or ("published", "outputs")
    return [f for f in examine(home, is_offline=True) if f.check in checks and f.status == status]


def rows(home):
    with duckdb.connect(str(home.published), read_only=True) as db:
        return db.execute("select * from facts order by all").fetchall()


def remedied(home):
    """Execute the first command that each failed finding names, as it is printed; return what still fails."""
    for finding in findings(home):
        command = re.search(r"`accelmart ([^`]+)`", finding.remedy)
        assert command, finding
        arguments = shlex.split(command[1])
        if arguments == ["build"]:  # the part of a build that repairs
            with exclusive(home, 0):
                assert repair(home) == []
            continue
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, (arguments, done.output, done.exception)
    return findings(home)


def kept(home, generation_id):
    return home.generations / f"{generation_id}.duckdb"


def test_a_publication_makes_all_outputs_and_shares_no_inode(home):
    """The exports of before stay for who reads them."""
    assert behind(home) == [] and publication(home).generation.generation_id == THIRD and findings(home) == []
    assert {path.parent.name for path in home.root.glob(".exports/*/facts.parquet")} == {FIRST, SECOND, THIRD}
    assert not home.published.samefile(kept(home, THIRD))
    assert {p.stat().st_mode & 0o777 for p in (home.published, kept(home, THIRD))} == {0o444}


@pytest.mark.parametrize("name", ["exports", "report", "docs"])
def test_an_output_that_is_behind_is_reported_and_repaired(home, name):
    path = {"exports": home.exports, "report": home.report, "docs": home.docs / "state.md"}[name]
    path.unlink()
    assert [o.name for o in behind(home)] == [name]
    assert name in findings(home)[0].found
    assert remedied(home) == [] and behind(home) == []


def test_an_export_whose_bytes_changed_is_written_again(home):
    before = (home.exports / "facts.parquet").read_bytes()
    damage(home.exports / "facts.parquet")
    assert [o.name for o in behind(home)] == ["exports"]
    assert remedied(home) == [] and (home.exports / "facts.parquet").read_bytes() == before


@pytest.mark.parametrize("position", [0.1, 0.5, 0.9])
def test_a_flipped_byte_in_the_record_of_what_is_published_loses_no_generation(home, position):
    before, kept_before = rows(home), [g.generation_id for g in generations(home)]
    content = bytearray(home.publication.read_bytes())
    content[int(len(content) * position)] ^= 0x15
    home.publication.write_bytes(content)
    with exclusive(home, 0):
        assert repair(home) == []
    assert findings(home) == [] and behind(home) == [] and rows(home) == before
    assert [g.generation_id for g in generations(home)] == kept_before
    assert publication(home).generation.generation_id == THIRD


@pytest.mark.parametrize("content", ["", "[]", '{"status": 1}'])
def test_files_that_a_build_writes_again_may_be_damaged(home, content):
    write_isolated(home, [], home.root / "isolated.parquet")
    for path in (home.last_build, home.root / "isolated.json", *home.generations.glob("*.warnings.json")):
        path.write_text(content)
    assert last_outcome(home) is None and read_isolated(home) == []
    assert not read_warnings(home, THIRD)
    with exclusive(home, 0):
        assert repair(home) == []
    assert last_outcome(home).generation_id == THIRD


def test_a_table_written_to_the_published_file_changes_no_generation(home):
    home.published.chmod(0o644)
    with duckdb.connect(str(home.published)) as db:
        db.execute("create table mine as select 1 as x")
    assert damaged_generations(home) == []
    assert "differs" in findings(home)[0].found and [o.name for o in behind(home)] == ["published file"]
    # a build compares with the generation, not with the changed file
    assert predecessor(home).path == kept(home, THIRD)
    assert remedied(home) == []
    with duckdb.connect(str(home.published), read_only=True) as db:
        assert "mine" not in str(db.execute("show tables").fetchall())


def test_a_damaged_published_file_is_replaced_by_its_copy(home):
    damage(home.published)
    assert [o.name for o in behind(home)] == ["published file"]
    assert "rollback --to" in findings(home)[0].remedy
    assert remedied(home) == [] and publication(home).generation.generation_id == THIRD


@pytest.mark.parametrize("name", ["published.json", f"generations/{THIRD}.record.json"])
@pytest.mark.parametrize("change", ["lost", "another SHA-256"])
def test_a_lost_or_wrong_record_is_written_again_and_files_are_read_only(home, name, change):
    generation, record = publication(home).generation, home.root / name
    if change == "lost":
        record.unlink()
    else:
        record.write_text(record.read_text().replace(generation.sha256, "0" * 64))
    for path in (home.published, generation.path):
        path.chmod(0o644)
    with exclusive(home, 0):
        assert repair(home) == []
    assert [g.generation_id for g in generations(home)] == [FIRST, SECOND, THIRD]
    assert publication(home).generation == generation and damaged_generations(home) == []
    assert {p.stat().st_mode & 0o777 for p in (home.published, generation.path)} == {0o444}


def test_a_damaged_copy_is_written_again_from_the_published_file(home):
    damage(kept(home, THIRD))
    assert "the kept copy" in findings(home)[0].found
    assert remedied(home) == [] and is_intact(kept(home, THIRD), publication(home).generation)


def test_if_both_files_are_damaged_a_rollback_publishes_the_one_before(home):
    home.published.unlink()
    home.published.write_bytes(b"not a database")
    damage(kept(home, THIRD))
    assert remedied(home) == [] and publication(home).generation.generation_id == SECOND


def test_if_both_files_are_damaged_the_next_build_is_compared_with_the_generation_before(home):
    damage(home.published)
    damage(kept(home, THIRD))
    assert drill_steps.build_step(home.root, FOURTH) == []
    with duckdb.connect(str(home.published), read_only=True) as db:
        assert db.execute("select generation_id, previous_generation_id from ops_generation").fetchall() == [
            (FOURTH, SECOND)
        ]


def test_a_damaged_old_generation_is_skipped_named_and_removed(home):
    damage(kept(home, SECOND))
    assert damaged_generations(home) == [SECOND]
    with pytest.raises(NothingToRollBackToError, match=f"{SECOND} is damaged. Undamaged: {FIRST}, {THIRD}"):
        rollback(home, SECOND)
    done = CliRunner().invoke(app, ["rollback"])
    assert done.exit_code == 0 and f"{SECOND} is damaged and was skipped" in done.output
    assert publication(home).generation.generation_id == FIRST and behind(home) == []
    assert remedied(home) == [] and not kept(home, SECOND).exists()


def test_the_log_of_a_program_that_wrote_to_the_published_file_is_removed_by_its_remedy(home):
    """DuckDB would apply a write-ahead log to the file that is put back."""
    log = home.published.with_name(f"{home.published.name}.wal")
    log.write_bytes(b"written")
    (finding,) = findings(home, "published", status="warn")
    assert "write-ahead log" in finding.found and finding.remedy.startswith("`accelmart build` removes")
    with exclusive(home, 0):
        assert repair(home) == []
    assert not log.exists() and findings(home, "published", status="ok")


def test_a_pin_holds_a_generation_until_it_is_removed(home, build):
    done = CliRunner().invoke(app, ["rollback", "--pin"])
    assert done.exit_code == 0 and f"Published generation {SECOND} again, pinned" in done.output
    # nothing to build, for command line, sensor and run
    assert current_generation(home).generation_id == SECOND
    with pytest.raises(PinnedError, match=f"{SECOND} is pinned.*rollback --unpin"):
        drill_steps.build_step(home.root, FOURTH)
    for asked in ({"force": True}, {"accept_changes": True}):
        with pytest.raises(PinnedError):
            build(home, **asked)
    assert publication(home).generation.generation_id == SECOND
    (finding,) = findings(home, "published", status="warn")
    assert "pinned" in finding.found
    refused = CliRunner().invoke(app, ["rollback", "--unpin", "--pin"])
    assert "--unpin publishes nothing" in str(refused.exception)
    assert CliRunner().invoke(app, ["rollback", "--unpin"]).exit_code == 0
    assert not publication(home).is_pinned and unpin(home).generation.generation_id == SECOND
    assert drill_steps.build_step(home.root, "20260105T000000-aaaaaa") == []


@pytest.fixture
def build(monkeypatch):
    """A build whose inputs are those of what is published; it fails where it would start dbt."""
    for module in (fingerprint, warehouse_build):
        monkeypatch.setattr(module, "current_generation", lambda home: publication(home).generation)
    monkeypatch.setattr(warehouse_build, "run_dbt", None)
    return warehouse_build.build


def test_a_build_reads_the_published_file_before_it_finds_nothing_new(home, build):
    damage(home.published)
    home.report.unlink()
    assert not build(home).is_new
    assert is_intact(home.published, publication(home).generation) and behind(home) == []


@pytest.mark.parametrize("kind", ["flipped", "cut", "empty"])
@pytest.mark.parametrize("name", ["report.html", "exports/facts.parquet", "exports/datapackage.json"])
def test_a_damaged_output_is_named_by_the_doctor_and_made_again(home, build, name, kind):
    path = home.root / name
    whole = path.read_bytes()
    damaged = bytearray(whole)
    damaged[len(whole) * 2 // 3] ^= 1
    path.write_bytes({"flipped": damaged, "cut": whole[: len(whole) // 2], "empty": b""}[kind])
    (finding,) = findings(home, "outputs")
    assert "missing or damaged" in finding.found and "accelmart build" in finding.remedy
    assert not build(home).is_new and path.read_bytes() == whole and findings(home) == []


ABSURD = {
    "deep list": b"[" * 100_000,
    "deep object": b'{"holds":' * 100_000,
    "empty": b"",
    "null": b"null",
    "number": b"NaN",
    "list of numbers": b"[1, NaN]",
    "list of lists": b"[[], {}]",
    "wrong types": b'{"holds": [{"source": 7, "release": [], "action": "hold", "at": "x", "payloads": 1, "as_of": 1}], '
    b'"at": 7, "status": [], "problems": "x", "generation_id": {}, "built_at": 7, "sha256": [], "bytes": "x"}',
    "not text": b"\xff\xfe\x00",
}


@pytest.mark.parametrize("content", ABSURD)
def test_an_absurd_record_ends_in_one_sentence_or_is_written_again(home, content):
    absurd = ABSURD[content]
    for path, read in ((home.holds, read_holds), (home.accepted_payloads, accepted_payloads)):
        path.write_bytes(absurd)
        with pytest.raises(RecordDamaged, match=rf"{path} is damaged .*To fix: .*remove it") as damaged:
            read(home)
        assert len(str(damaged.value)) < 500
        path.unlink()
    names = ("isolated.json", "published.json", f"generations/{THIRD}.record.json")
    for name in (*names, "last_build.json", f"generations/{THIRD}.warnings.json"):
        (home.root / name).write_bytes(absurd)
    assert (read_isolated(home), last_outcome(home), read_warnings(home, THIRD)) == ([], None, None)
    with exclusive(home, 0):
        assert repair(home) == []
    # nothing vouches for the file of the third any more: the newest with a record of its own is published
    assert findings(home) == [] and last_outcome(home).generation_id == SECOND


@pytest.mark.parametrize("command", [["prune"], ["build"]])
def test_the_folder_of_a_killed_build_is_removed_by_its_remedies(home, build, command):
    (home.builds / "killed").mkdir(parents=True)
    (finding,) = findings(home, "builds", status="warn")
    assert finding.remedy.startswith("`accelmart prune` removes it")
    rehearsed = CliRunner().invoke(app, ["prune", "--dry-run"])
    assert "Would remove 1 killed builds" in rehearsed.output and list(home.builds.iterdir())
    assert CliRunner().invoke(app, command).exit_code == 0
    assert findings(home, "builds", status="ok") and not list(home.builds.iterdir())


HOLD = "import duckdb, sys; db = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"


def test_a_lock_names_its_holder_and_a_build_goes_on(home, tmp_path):
    home.published.chmod(0o644)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, home.published], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout.readline() == "open\n"
        home.published.chmod(0o444)
        named = rf"open for writing in process {holder.pid} .*duckdb -readonly {home.published}"
        with pytest.raises(UnreadableError, match=named):
            read_rows(home.published, "select 1")
        with pytest.raises(QueryError, match=named):
            sql("select 1", database=home.published)
        (finding,) = findings(home)
        assert f"process {holder.pid} (" in finding.found and "duckdb -readonly" in finding.found
        # the predecessor of a build is read from the kept copy
        assert export_previous(predecessor(home), tmp_path / "raw") == THIRD
        assert remedied(home) == [] and read_generation(home.published).generation_id == THIRD
    finally:
        holder.communicate()


@pytest.mark.parametrize("published", [THIRD, SECOND, None])
def test_a_lost_record_is_written_again_from_the_kept_generations(home, published):
    """What is published stays; if that file is gone too, it is the newest generation."""
    if published == SECOND:
        rollback(home, SECOND)
    home.publication.unlink()
    if published is None:
        home.published.unlink()
    with exclusive(home, 0):
        assert repair(home) == []
    assert publication(home).generation.generation_id == (published or THIRD)
    assert read_generation(home.published).generation_id == (published or THIRD) and findings(home) == []


def test_a_file_that_no_build_of_this_root_made_is_for_readers_alone(home, tmp_path):
    """As `accelmart pull` leaves it: read, and no base of a rollback, a comparison, outputs, or of "nothing new"."""
    pulled = drill_steps.home_of(tmp_path / "pulled")
    pulled.root.mkdir()
    with pytest.raises(NoWarehouseError, match="does not exist"):
        rollback(pulled)
    shutil.copy(home.published, pulled.published)
    before = pulled.published.read_bytes()
    with exclusive(pulled, 0):
        assert repair(pulled) == []
    assert [p.name for p in pulled.root.iterdir() if p.name != "build.lock"] == ["accelmart.duckdb"]
    assert publication(pulled).generation.generation_id == THIRD
    assert (predecessor(pulled), current_generation(pulled), generations(pulled)) == (None, None, [])
    with pytest.raises(NothingToRollBackToError, match="no generation is kept"):
        rollback(pulled)
    with pytest.raises(
        NoWarehouseError, match=r"accelmart.duckdb in it is a downloaded copy.*`accelmart build`"
    ):
        own_publication(pulled)
    assert pulled.published.read_bytes() == before
    # the first build of one's own is compared with nothing, and takes its place
    assert drill_steps.build_step(pulled.root, FOURTH) == []
    assert read_generation(pulled.published).generation_id == FOURTH and findings(pulled) == []
    assert [g.generation_id for g in generations(pulled)] == [FOURTH]


def test_a_generation_that_was_never_published_is_no_generation(home):
    """A kill between keeping a generation and publishing it leaves its file without a record."""
    kept(home, FOURTH).write_bytes(kept(home, THIRD).read_bytes())
    assert [g.generation_id for g in generations(home)] == [FIRST, SECOND, THIRD]
    drill_steps.build_step(home.root, "20260105T000000-aaaaaa")
    assert not kept(home, FOURTH).exists()
