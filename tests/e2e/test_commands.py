"""The command line as people use it: real processes, real files, exit codes that mean something."""

import csv
import io
import json
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from given_payloads import land_payload
from operated_home import published, rows

from accelmart.cli import output
from ingest.mlperf.registry import (
    MLPERF_COLLECTION,
    MLPERF_INFERENCE,
    MLPERF_TRAINING,
    MLPERF_TRAINING_COLLECTION,
)
from orchestration.landing import WHOLE
from warehouse.home import Home
from warehouse.publish import publication, write_publication

ROOT = Path(__file__).resolve().parents[2]


def test_without_a_warehouse_it_says_how_to_make_one(tmp_path, accelmart):
    for command in (["status"], ["sql", "select 1"], ["rollback"]):
        done = accelmart(tmp_path, *command, here=True)
        assert done.returncode == 3, command
        assert "make warehouse" in done.stderr and "Traceback" not in done.stderr


def test_a_second_build_with_nothing_new_builds_nothing(spare_home, accelmart):
    before = (spare_home / "accelmart.duckdb").stat()
    done = accelmart(spare_home, "build")
    assert done.returncode == 0 and "Nothing new" in done.stdout
    assert (spare_home / "accelmart.duckdb").stat().st_mtime_ns == before.st_mtime_ns


def test_help_is_grouped_and_quick(tmp_path, accelmart):
    done = accelmart(tmp_path, "--help", settings={"COLUMNS": "80"})
    assert done.returncode == 0
    heads = [line for line in done.stdout.splitlines() if re.fullmatch(r"[A-Z].*:", line)]
    assert heads == ["Options:", "Ask:", "Look and export:", "Build and refresh:", "Operate:"]
    shown = re.findall(r"^  ([a-z][\w-]*)  +(\S.*)$", done.stdout, flags=re.MULTILINE)
    assert {"sql", "rank", "estimate", "export", "docs", "ui", "build", "refresh", "status"} <= {
        n for n, _ in shown
    }
    assert all(words.endswith(".") and not words.endswith("...") for _, words in shown), (
        "a help fits its line"
    )
    # seconds differ by machine; what makes them does not: nothing heavy is imported to print help
    probe = (
        "import sys, accelmart.cli, orchestration.cli; "
        "print(sorted({'duckdb', 'dagster', 'pandas', 'pyarrow', 'dbt', 'requests', 'rich.console'} & set(sys.modules)))"
    )
    loaded = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


OF_STATUS = (
    "problems last_build unpublished published generations unmapped held quarantined sources payloads is_pinned behind "
    "damaged_generations"
)


@pytest.mark.parametrize(
    ("arguments", "keys"),
    [
        (["build"], "is_new generation warnings new_warnings isolated rejects"),
        (["status"], OF_STATUS),
        (["refresh", "gcp-billing-catalog", "--no-build"], "sources failed build"),
    ],
)
def test_json_is_one_document(spare_home, accelmart, arguments, keys):
    done = accelmart(spare_home, *arguments, "--json", here=True)
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)) == set(keys.split())


def test_json_of_rows(built_home, accelmart):
    for arguments in (
        ["sql", "select 42 as answer"],
        ["rank", "--model", "llama3.1-405b", "--limit", "2"],
        ["status", "--assumptions"],
    ):
        records = json.loads(accelmart(built_home, *arguments, "--json", here=True).stdout)
        assert records and all(isinstance(record, dict) for record in records), arguments


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["rank", "--model", "lama3.1-405b"], "near: llama3.1-405b"),
        (["rank", "--model", "llama3.1-405b", "--provider", "coreweve"], "near: coreweave, "),
        (["refresh", "corweave"], "Did you mean coreweave?"),
        (["fetch", "mlperf-infrence"], "Did you mean mlperf-inference,"),
        (["sql", "from mart_tcoo"], 'Did you mean "mart_tco"?'),
        (["sql", "select accelerator from mart_tco"], '"accelerator_id"'),
        (["sql", "from tco('h100x')"], "nvidia-h100-sxm-80gb"),
        (["compare", "H100", "rtx5090x"], "near: nvidia-rtx-5090, "),
        (["compare", "H100", "H100 and B200"], "no accelerator matches"),
        (["rank", "--model", "llama3.1-405b", "--as-of", "24.10.2026"], "write a day as YYYY-MM-DD"),
        (["rank", "--model", "lama", "--provider", "nobody"], "no model matches"),
    ],
)
def test_a_mistyped_word_is_answered_with_those_that_may_be_meant(built_home, accelmart, arguments, hint):
    done = accelmart(built_home, *arguments, here=True)
    assert done.returncode == 1 and hint in done.stderr


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("accelmart fetch mlperf-tr", {"mlperf-training", "mlperf-training-collection"}),
        ("accelmart refresh corew", {"coreweave"}),
        ("accelmart rank --model llama3.1-4", {"llama3.1-405b"}),
        ("accelmart estimate training --accelerator nvidia-gb300", {"nvidia-gb300-288gb"}),
    ],
)
def test_the_shell_completes(built_home, accelmart, typed, completed):
    settings = {
        "_ACCELMART_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }
    assert set(accelmart(built_home, settings=settings, here=True).stdout.split()) == completed


def test_completion_without_a_warehouse_is_silent(tmp_path, accelmart):
    settings = {
        "_ACCELMART_COMPLETE": "complete_bash",
        "COMP_WORDS": "accelmart rank --model x",
        "COMP_CWORD": "3",
    }
    done = accelmart(tmp_path, settings=settings)  # in a process of its own, as the shell asks
    assert done.stdout.strip() == "" and done.stderr == ""


def test_status_tells_sources_rows_and_generation(built_home, accelmart):
    done = accelmart(built_home, "status", here=True)
    assert done.returncode == 0
    assert re.search(r"published: \d{8}T\d{6}-[0-9a-f]{6}", done.stdout)
    assert re.search(
        r"mlperf-inference-collection\s+\d{4}-\d\d-\d\d\s+[\d.]+\s+1\s+46393\s+29246\s+0\s+ok", done.stdout
    )
    assert re.search(r"v5\.1\s+summary_list\s+1448\s+1448\s+0\s+0\s+0\s+0", done.stdout)


def test_status_names_what_is_damaged_and_what_is_behind(copied_home, accelmart):
    home = Home(copied_home, str(copied_home / "landing"))
    generation, old = publication(home).generation, "20200101T000000-aaaaaa"
    kept = replace(generation, generation_id=old, path=home.generations / f"{old}.duckdb")
    kept.path.write_bytes(b"no database")
    write_publication(home, kept)
    write_publication(home, generation)
    home.report.unlink()
    done = accelmart(copied_home, "status", here=True)
    assert done.returncode == 0, done.stderr
    assert f"damaged generations: {old}. To remove them: accelmart prune" in done.stdout
    assert "behind the published generation: report. To repair: accelmart build" in done.stdout


def test_make_warehouse_prints_ten_lines_and_what_to_try(built_home, first_build, accelmart, warehouse):
    """Ten lines: one on the environment, one on progress, and these."""
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\nwarehouse:")[2].partition("\n\n")[0]
    assert re.findall(r"^\t(.*)$", recipe, flags=re.MULTILINE) == [
        "@$(BIN)/accelmart build",
        "@$(BIN)/accelmart status --short",
    ]
    done = accelmart(built_home, "status", "--short")
    assert done.returncode == 0, done.stderr
    shown = done.stdout.splitlines()
    # progress is one line, or two where the build takes many minutes
    progress = [line for line in first_build.splitlines() if re.search(r"\(\d+ s\)", line)]
    lines = [line for line in first_build.splitlines() if line not in progress] + shown
    assert len(progress) <= 2 and len(lines) <= 8, lines
    plain = [line.replace(str(Path(sys.executable).parent), ".venv/bin") for line in lines]
    # a caveat is not cut off
    assert max(len(line.replace(str(built_home), "data")) for line in plain) <= 150, lines
    commands = re.findall(r"^(?:Try:|    ) \S*accelmart (.*)$", done.stdout, flags=re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        assert accelmart(built_home, *command.split()).returncode == 0, command
    part, speed = warehouse.execute(
        "select accelerator_id, format('{:,.0f}', throughput_per_accelerator) from best_result('deepseek-r1', 'Server')"
    ).fetchone()
    assert f"Fastest: {part}, {speed} output tokens/s" in done.stdout
    rented, usd, note = warehouse.execute(
        "select accelerator_id, usd_per_output_mtok_at_level, size_note from mart_cost_headline where scenario = 'Server' "
        "and benchmark_id = 'deepseek-r1' and pricing_model = 'on_demand' and is_representative order by 2 nulls last"
    ).fetchone()
    assert f"Rent: {rented}, ${usd:.3g} (" in done.stdout and note in done.stdout
    assert "Own: the same, $" in done.stdout and re.search(r"; ranges of \d+ others overlap", done.stdout)


def test_the_slim_file_has_the_public_tables_alone(built_home, accelmart, warehouse, tmp_path):
    slim = tmp_path / "slim.duckdb"
    for _ in range(2):  # an earlier one is replaced
        assert accelmart(built_home, "export", slim, "--duckdb").returncode == 0
    public = warehouse.execute(
        "select table_name, comment, estimated_size from duckdb_tables() where schema_name = 'main' order by 1"
    ).fetchall()
    with duckdb.connect(str(slim), read_only=True) as db:
        assert (
            db.execute(
                "select table_name, comment, estimated_size from duckdb_tables() order by 1"
            ).fetchall()
            == public
        )
        assert db.execute("select count(*) from duckdb_functions() where not internal").fetchone() == (0,)
        units = "select column_name, comment from duckdb_columns() where table_name = 'mart_tco' and schema_name = 'main' order by 1"
        assert db.execute(units).fetchall() == warehouse.execute(units).fetchall()
    assert slim.stat().st_size < (built_home / "accelmart.duckdb").stat().st_size
    (tmp_path / "notes.txt").write_text("mine")
    done = accelmart(built_home, "export", tmp_path / "notes.txt", "--duckdb")
    assert done.returncode == 1 and "is no DuckDB file" in done.stderr
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_progress_in_a_pipe_is_one_line_that_grows(monkeypatch, capfd):
    monkeypatch.setattr(output, "_FIRST_LINE_S", 0.01)
    monkeypatch.setattr(output, "_NEXT_LINE_S", 0.01)
    with output.progress("building", on_one_line=True) as show_step:
        for number in range(3):
            show_step(f"step {number}")
            time.sleep(0.1)
    printed = capfd.readouterr().err
    assert printed.startswith("building ") and printed.endswith("\n") and printed.count(" s)") >= 2
    assert len(printed.splitlines()) == 1 and len(printed) <= 110


def test_sql_prints_tables_csv_and_json(built_home, accelmart):
    query = "select release, count(*) as n, max(power_w) as w from fct_inference_result where release = 'v2.0' group by 1"
    as_json = json.loads(accelmart(built_home, "sql", query, "-f", "json").stdout)
    assert as_json[0]["release"] == "v2.0" and as_json[0]["n"] == 2962
    as_csv = list(csv.DictReader(io.StringIO(accelmart(built_home, "sql", query, "--format", "csv").stdout)))
    assert as_csv[0]["n"] == "2962" and float(as_csv[0]["w"]) == as_json[0]["w"]
    assert "2962" in accelmart(built_home, "sql", query).stdout
    piped = accelmart(built_home, "sql", "-", "-f", "json", input="select 42 as answer")
    assert json.loads(piped.stdout) == [{"answer": 42}]


@pytest.mark.parametrize(
    "statement",
    [
        "delete from fct_inference_result",
        "create table x as select 1",
        "copy (select 1) to 'out.csv'",
        "select * from read_csv('/etc/passwd')",
        "select * from no_such_table",
        "selec 1",
    ],
)
def test_sql_is_read_only_and_errors_help(built_home, accelmart, tmp_path, statement):
    done = accelmart(built_home, "sql", statement, cwd=tmp_path)
    assert done.returncode == 1 and "the query fails" in done.stderr and "show tables" in done.stderr
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["fetch", "mlperf"], "Did you mean mlperf-inference, mlperf-inference-collection, mlperf-systems"),
        (["fetch", "mlperf-inference"], "--release v5.1"),
        (["fetch", "mlperf-inference", "--release", "five"], "write it like v5.1"),
        (["fetch", "mlperf-inference-collection", "--release", "v4.1"], "leave --release out"),
        (["fetch", "mlperf-inference", "--release", "v5.1", "--from", "no/such/file"], "folder"),
        (["rollback", "--to", "19990101T000000-abcdef"], "there is no generation"),
    ],
)
def test_wrong_calls_say_what_is_right(spare_home, accelmart, arguments, hint):
    done = accelmart(spare_home, *arguments, here=True)
    assert done.returncode == 1 and hint in done.stderr


@pytest.mark.xdist_group("operated")
def test_a_list_that_is_left_out_is_named_though_nothing_else_is_new(operated, accelmart):
    again = accelmart(operated.home, "build")
    assert again.returncode == 0 and "Nothing new" in again.stdout
    for done in (operated.said["first"], again):
        assert re.search(r"not used, skypilot-catalog verda.*offers of verda are gone", done.stdout), (
            done.stdout
        )


@pytest.mark.xdist_group("operated")
def test_a_build_killed_while_it_writes_leaves_the_published_warehouse(operated):
    assert operated.killed["left by the kill"] == ["current"]
    assert operated.killed["after the kill"] == operated.first.stem  # it opens and answers
    assert operated.second.stem > operated.first.stem
    assert operated.killed["left"] == [], "folders of killed builds are swept"


@pytest.mark.xdist_group("operated")
def test_the_build_goes_on_with_what_is_good_and_says_what_it_left_out(operated, accelmart, tmp_path):
    assert "records with problems" in operated.said["second"].stdout
    facts = rows(
        operated.second,
        "select platform, benchmark_id, scenario, throughput_per_accelerator, invalid_reason "
        "from fct_inference_result where release = 'v5.0' order by platform, benchmark_id",
    )
    undescribed = "no system description: accelerator and count are unknown"
    assert facts == [
        ("absent", "resnet", "Offline", None, undescribed),
        ("broken", "resnet", "Offline", None, undescribed),
        ("good", "resnet", "Offline", 200.0, None),
        ("good", "retinanet", "Offline", 20.0, None),
    ]
    of_the_round = "where release = 'v5.0' and dialect = 'raw_tree'"
    assert rows(
        operated.second,
        f"select records_in, rows_out, rejects, remarks from ops_reconciliation {of_the_round}",
    ) == [(8, 4, 4, 1)]
    listed = rows(operated.second, f"select payload_member, problem from ops_reject {of_the_round}")
    assert all(any(word in problem for _, problem in listed) for word in ("INVALID", "empty", "truncated"))
    assert any("broken.json" in member for member, _ in listed)

    # and a payload that is no payload is quarantined, with the last good one in force
    page = tmp_path / "summary_results.json"
    page.write_text("<!DOCTYPE html><html><body>404</body></html>")
    fetch = ("fetch", "mlperf-inference", "--release", "v5.1", "--from", page)
    done = accelmart(operated.home, *fetch)
    assert done.returncode == 1 and "quarantined" in done.stderr and "HTML" in done.stderr
    assert "quarantined" in accelmart(operated.home, "status", here=True).stdout


@pytest.mark.xdist_group("operated")
def test_publish_rollback_and_readers_that_stay(operated, accelmart):
    """An open reader goes on with the old data; a new process sees the new; three generations stay."""
    home, seen = operated.home, operated.killed
    old, before, new = (file.stem for file in (operated.before, operated.first, operated.second))
    assert seen["read first"] == seen["read again"] == seen["reopened"] == before
    assert int(seen["rows"]) > 30_000
    assert {p.stem for p in (home / "generations").glob("*.duckdb")} == {old, before, new}
    for to, code, then in (
        (["--to", old], 0, old),
        ([], 1, old),  # nothing older is kept
        (["--to", new], 0, new),
        ([], 0, before),
        (["--to", new], 0, new),  # for who reads it after this
    ):
        assert accelmart(home, "rollback", *to, here=True).returncode == code
        assert published(home) == then


@pytest.mark.xdist_group("operated")
def test_a_rehearsed_prune_removes_nothing(operated, accelmart):
    killed = operated.home / "builds" / "killed"
    killed.mkdir(parents=True)
    (killed / "build.duckdb").write_bytes(b"x" * 1234)
    pruned = accelmart(operated.home, "prune", "--dry-run", here=True)
    assert pruned.returncode == 0 and "Would remove 1 killed builds, 1,234 bytes, 0 runs" in pruned.stdout
    assert killed.exists()


@pytest.mark.xdist_group("changes")
def test_a_failed_check_changes_nothing_and_names_what_is_wrong(changed):
    """Ownership costs that moved although none of their inputs is new."""
    done = changed.failed
    assert done.returncode == 1
    assert "the build failed; the published warehouse is as it was" in done.stderr
    assert "no_mart_moved_without_new_input" in done.stderr and "Traceback" not in done.stderr
    # a hook at the end of the run that fails because of it is no cause
    assert "on-run-end" not in done.stderr and max(map(len, done.stderr.splitlines())) <= 110
    assert changed.published_after_failure == changed.before
    lines = changed.after_failure["status",].splitlines()
    assert "last build: FAILED" in lines[0]
    assert any("no_mart_moved_without_new_input" in line for line in lines[1:3])
    assert [line for line in lines[:5] if line.startswith("not published: mlperf-inference v7.0 of ")]
    document = json.loads(changed.after_failure["status", "--json"])
    assert document["last_build"]["status"] == "failed"
    assert document["published"]["generation_id"] == changed.before
    found = json.loads(changed.after_failure["doctor", "--offline", "--json"])
    (of_build,) = [f for f in found if f["check"] == "builds" and f["status"] == "fail"]
    assert "no_mart_moved_without_new_input" in of_build["found"]


@pytest.mark.xdist_group("snapshot")
def test_the_bundled_snapshot_is_what_the_parsers_give(tmp_path, mlperf_data, accelmart):
    """Fetched from the real upstream files, the raw layer equals what ships with the code."""
    home = tmp_path / "home"
    home.mkdir()
    releases = mlperf_data / "releases"
    summary = mlperf_data / "inference_v5.1/summary_results.json"
    calls = [
        (MLPERF_INFERENCE, "v5.1", summary),
        (MLPERF_INFERENCE, "v5.1", releases / "inference_results_v5.1.tar.gz"),
        *(
            (MLPERF_INFERENCE, of, releases / f"inference_results_{of}.tar.gz")
            for of in ("v0.5", "v0.7", "v1.1", "v4.1", "v6.0")
        ),
        (MLPERF_INFERENCE, "v6.1", mlperf_data / "inference_v6.1/summary_core.csv"),
        (MLPERF_COLLECTION, WHOLE, releases / "cm4mlperf-results.tar.gz"),
        (MLPERF_TRAINING, "v4.1", releases / "training_results_v4.1.tar.gz"),
        (MLPERF_TRAINING, "v5.0", releases / "training_results_v5.0.tar.gz"),
        (MLPERF_TRAINING_COLLECTION, WHOLE, releases / "cm4mlperf-results.tar.gz"),
    ]
    place = Home(home, str(home / "landing"))
    for source, key, origin in calls:
        assert land_payload(place, source, key, origin).outcome == "landed"
    fresh = tmp_path / "snapshot"
    assert accelmart(home, "snapshot", "--folder", fresh).returncode == 0
    shipped = ROOT / "warehouse/snapshot"
    names = {p.relative_to(shipped) for p in shipped.rglob("*.parquet")}
    assert names == {p.relative_to(fresh) for p in fresh.rglob("*.parquet")}
    of_the_moment = ("fetched_at", "built_at")
    for name in names:
        columns = duckdb.sql(f"from '{shipped / name}'").columns
        kept = ", ".join(column for column in columns if column not in of_the_moment)
        theirs, ours = (f"select {kept} from '{folder / name}'" for folder in (shipped, fresh))
        differing = duckdb.sql(
            f"({ours} except all {theirs}) union all ({theirs} except all {ours})"
        ).fetchall()
        assert differing == [], name


def test_the_snapshot_is_small_and_names_no_machine():
    files = list((ROOT / "warehouse/snapshot").rglob("*.parquet"))
    assert files and sum(f.stat().st_size for f in files) < 19_000_000
    parsed = [f for f in files if "payload_url" in pq.read_schema(f).names]
    assert len(files) - len(parsed) == 10  # those that no parser makes
    for file in parsed:
        urls = duckdb.sql(f"select distinct payload_url from '{file}'").fetchall()
        home = "https://github.com/mlcommons/" if file.parent.name.startswith("mlperf") else "https://"
        assert all(url.startswith(home) for (url,) in urls), file
